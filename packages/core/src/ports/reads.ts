import { type Grant, interactionOf, interactions, type RowKind } from "../model/index.ts"
import { after, type Awaitable } from "./awaitable.ts"
import { eachRead, type NamedRead, namedReads } from "./namedReads.ts"
import type { FoundBy, TokenStorePort } from "./tokenStore.ts"

/** The maximum number of rows in a list. */
export const listed = 100

/** A row with the grant it was made from; the grant is undefined for a row that has none. */
export interface WithGrant<Row> {
  /** The row. */
  readonly row: Row
  /** Its grant. */
  readonly grant: Grant | undefined
}

/**
 * Joins a row with its grant. Returns undefined if the row names a grant that was not found, because a row of a grant is not found without
 * the grant. A row that names none where its kind demands one is returned: it is broken, and the check of the store's answers says so.
 */
export const foundWithGrant = <Row>({ ofGrant = "" }: RowKind<Row>, row: Row, grant: Grant | undefined): WithGrant<Row> | undefined =>
  // A row is a plain object, whatever its type calls it.
  grant === undefined && typeof (row as Readonly<Record<string, unknown>>)[ofGrant] === "string" ? undefined : { row, grant }

/** The generic reads of a store, which work for every kind of row. */
export interface Reader {
  /** Finds a row by its key or a secondary key. */
  readonly find: <Row>(kind: RowKind<Row>, key: FoundBy) => Awaitable<Row | undefined>
  /** Finds a row with its grant. A row that was made from a grant is not found without it. */
  readonly findWithGrant: <Row>(kind: RowKind<Row>, key: FoundBy) => Awaitable<WithGrant<Row> | undefined>
  /** Lists rows, at most {@link listed} of them. */
  readonly list: <Row>(kind: RowKind<Row>, name: string, given: FoundBy) => Awaitable<ReadonlyArray<Row>>
}

type Value = string | undefined

// Only a broken row lacks the grant that its kind demands, which the check of the store's answers refuses.
const readBy = ({ find, findWithGrant, list }: Reader, { kind, by: [first, second], list: name, withGrant }: NamedRead) => {
  if (name !== undefined) return (value: Value) => list(kind, name, { [first]: value })
  if (withGrant !== undefined)
    return (value: Value) =>
      after(findWithGrant(kind, { [first]: value }), (found) => found && { [withGrant]: found.row, grant: found.grant })
  return (value: Value, other: Value) => find(kind, second === undefined ? { [first]: value } : { [first]: value, [second]: other })
}

/** The reads of a token store. */
type Reads = Omit<TokenStorePort, "keeps" | "recentAttempts" | "commit" | "durable">

/** Builds the reads of a token store from its generic ones. */
export const readsOf = (reader: Reader): Reads => {
  const { find, list } = reader
  return {
    find,
    list,
    // Each has the arguments and the rows that the table states.
    ...(eachRead((name) => readBy(reader, namedReads[name])) as Omit<Reads, "find" | "list">),
    findInteraction: (locator) => after(find(interactions, { locator }), (row) => row && interactionOf(row)),
  }
}
