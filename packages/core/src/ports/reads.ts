import {
  accessTokens,
  attempts,
  codes,
  consents,
  devices,
  type Grant,
  grants,
  interactionOf,
  interactions,
  refreshTokens,
  sessions,
  type RowKind,
} from "../model/index.ts"
import { after, type Awaitable } from "./awaitable.ts"
import type { FoundBy, TokenStorePort } from "./plain.ts"

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

/** Builds the named reads of a token store from its generic reads. */
export const readsOf = ({ find, findWithGrant, list }: Reader): Omit<TokenStorePort, "recentAttempts" | "commit" | "durable"> => ({
  find,
  list,
  findGrant: (id) => find(grants, { id }),
  grantsOf: (subject) => list(grants, "grants", { subject }),
  findCode: (locator) => after(findWithGrant(codes, { locator }), (found) => found && { code: found.row, grant: itsGrant(found) }),
  findAccessToken: (locator) =>
    after(findWithGrant(accessTokens, { locator }), (found) => found && { token: found.row, grant: found.grant }),
  findRefreshToken: (locator) =>
    after(findWithGrant(refreshTokens, { locator }), (found) => found && { token: found.row, grant: itsGrant(found) }),
  findSession: (locator) => find(sessions, { locator }),
  sessionsOf: (subject) => list(sessions, "sessions", { subject }),
  findInteraction: (locator) => after(find(interactions, { locator }), (row) => row && interactionOf(row)),
  findDevice: (locator) => find(devices, { locator }),
  findDeviceByUserCode: (userCode) => find(devices, { userCode }),
  findAttempts: (key) => find(attempts, { key }),
  findConsent: (subject, clientId) => find(consents, { subject, clientId }),
  consentsOf: (subject) => list(consents, "consents", { subject }),
})

/** Returns the grant of a row whose kind demands one. Only a broken row lacks it, which the check of the store's answers refuses. */
const itsGrant = ({ grant }: WithGrant<unknown>): Grant => grant as Grant
