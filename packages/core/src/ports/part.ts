import { type Attempts, type Command, type CommitResult, type Grant, type Instant, type RowKind, attempts, grants } from "../model/index.ts"
import { type Awaitable, after } from "./awaitable.ts"
import type { Marks } from "./marks.ts"
import { type NamedRead, type ReadName, namedReads, runRead } from "./namedReads.ts"
import { inPartition, ownValue, separator } from "./partitionNames.ts"
import type { FoundBy, TokenStorePort } from "./tokenStore.ts"
import { listed } from "./reads.ts"

/** One issuer's part of a token store, as a value. The functions below are its operations. */
export interface Part {
  /** The store of all issuers. */
  readonly tokens: TokenStorePort
  /** The members of each kind of row that carry the name of the issuer. */
  readonly marks: ReadonlyMap<string, Marks>
  /** The name of the issuer; empty for rows without a name. */
  readonly name: string
  /** The name under which password guesses are counted. */
  readonly people: string
}

type Members = Readonly<Record<string, unknown>>

/** Password guesses are counted per user directory, which several issuers may share. */
const isOfPeople = (kind: RowKind, key: unknown): boolean =>
  kind.name === attempts.name && typeof key === "string" && (key.startsWith("password ") || key.startsWith("upstream "))

const marksFor = ({ marks }: Part, table: string): Marks => {
  const found = marks.get(table)
  if (found === undefined) throw new TypeError(`the rows of ${table} are not described to the partition of their store`)
  return found
}

const nameFor = ({ name, people }: Part, kind: RowKind, key: unknown): string => (isOfPeople(kind, key) ? people : name)

/** Adds the issuer's name to some of the members. */
const marked = (part: Part, kind: RowKind, given: Members, which: ReadonlyArray<string>): Members => {
  const result: Record<string, unknown> = { ...given }
  for (const member of which) {
    const value = result[member]
    if (typeof value === "string") result[member] = inPartition(value, nameFor(part, kind, value))
  }
  return result
}

/** Removes the issuer's name from a row; undefined for a row of another issuer. */
const unmarked = <Row>(part: Part, { kind, members }: Marks, row: Row): Row | undefined => {
  const result: Record<string, unknown> = { ...(row as Members) }
  for (const member of members) {
    const stored = result[member]
    if (typeof stored !== "string") continue
    const value = ownValue(stored, nameFor(part, kind, stored))
    if (value === undefined) return undefined
    result[member] = value
  }
  // Each member has the type that it had.
  return result as Row
}

/** Runs a read by a marked value. The result is undefined if the value belongs to another issuer by its form. */
const sought = <A>({ name }: Part, given: ReadonlyArray<unknown>, ask: () => Awaitable<A | undefined>): Awaitable<A | undefined> =>
  name === "" && given.some((value) => typeof value === "string" && value.includes(separator)) ? undefined : ask()

const one = <Row>(
  part: Part,
  kind: RowKind<Row>,
  key: string,
  ask: (key: string) => Awaitable<Row | undefined>,
): Awaitable<Row | undefined> =>
  sought(part, [key], () =>
    after(ask(inPartition(key, nameFor(part, kind, key))), (row) =>
      row === undefined ? undefined : unmarked(part, marksFor(part, kind.name), row),
    ),
  )

const many = <Row>(
  part: Part,
  kind: RowKind<Row>,
  list: string,
  given: FoundBy,
  ask: (given: FoundBy) => Awaitable<ReadonlyArray<Row>>,
): Awaitable<ReadonlyArray<Row>> => {
  const found = marksFor(part, kind.name)
  const names = found.lists.get(list) ?? []
  const rows = sought(part, Object.values(given), () => ask(marked(part, kind, given, names) as FoundBy))
  return after(rows, (all = []) => all.slice(0, listed).flatMap((row) => unmarked(part, found, row) ?? []))
}

/** Restricts a command to the issuer's rows. */
const command = (part: Part, { table, event, given, row, ...more }: Command): Command => {
  const { kind, members, events } = marksFor(part, table)
  const names = events.get(event)
  if (names === undefined) throw new TypeError(`${table} has no event ${event}`)
  return {
    ...more,
    table,
    event,
    // Values stay what they were, but for a mark on some texts.
    given: marked(part, kind, given, names) as Command["given"],
    ...(row === undefined ? {} : { row: marked(part, kind, row as Members, members) }),
  }
}

/** A row of a grant in the member that its read states, and the grant. */
interface FoundWithGrant extends Members {
  readonly grant?: Grant | undefined
}

/** Returns a row and its grant if both belong to the issuer; undefined otherwise. */
const withOwnGrant = (part: Part, kind: RowKind, found: FoundWithGrant | undefined, member: string): FoundWithGrant | undefined => {
  const row = found && unmarked(part, marksFor(part, kind.name), found[member])
  if (found === undefined || row === undefined) return undefined
  if (found.grant === undefined) return { ...found, [member]: row }
  const grant = unmarked(part, marksFor(part, grants.name), found.grant)
  return grant && { ...found, [member]: row, grant }
}

const granted = (
  part: Part,
  kind: RowKind,
  locator: string,
  ask: (locator: string) => Awaitable<FoundWithGrant | undefined>,
  member: string,
): Awaitable<FoundWithGrant | undefined> =>
  sought(part, [locator], () => after(ask(inPartition(locator, part.name)), (found) => withOwnGrant(part, kind, found, member)))

/** Runs a named read of a part. Its result is that of the store's. */
export const readInPart = (part: Part, name: ReadName, [key = "", ...others]: ReadonlyArray<string>): Awaitable<unknown> => {
  const { kind, by, list, withGrant }: NamedRead = namedReads[name]
  const [first] = by
  const ask = (own: unknown): unknown => runRead(part.tokens, name, [own, ...others])
  if (list !== undefined) return many(part, kind, list, { [first]: key }, (given) => ask(given[first]) as ReadonlyArray<unknown>)
  return withGrant === undefined
    ? one(part, kind, key, ask)
    : granted(part, kind, key, (own) => ask(own) as Awaitable<FoundWithGrant | undefined>, withGrant)
}

/** The other operations of a part, as those of a token store. */
export const inPart = {
  find: <Row>(part: Part, kind: RowKind<Row>, key: FoundBy): Awaitable<Row | undefined> => {
    const found = marksFor(part, kind.name)
    return sought(part, Object.values(key), () =>
      after(part.tokens.find(kind, marked(part, kind, key, found.members) as FoundBy), (row) =>
        row === undefined ? undefined : unmarked(part, found, row),
      ),
    )
  },
  list: <Row>(part: Part, kind: RowKind<Row>, list: string, given: FoundBy): Awaitable<ReadonlyArray<Row>> =>
    many(part, kind, list, given, (all) => part.tokens.list(kind, list, all)),
  recentAttempts: (part: Part, key: string, now: Instant): Awaitable<Attempts | undefined> =>
    one(part, attempts, key, (own) =>
      part.tokens.recentAttempts === undefined ? part.tokens.findAttempts(own) : part.tokens.recentAttempts(own, now),
    ),
  commit: (part: Part, commands: ReadonlyArray<Command>): Awaitable<CommitResult> =>
    part.tokens.commit(commands.map((each) => command(part, each))),
}
