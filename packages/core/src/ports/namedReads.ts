import {
  type RowKind,
  accessTokens,
  attempts,
  codes,
  consents,
  devices,
  grants,
  interactions,
  refreshTokens,
  sessions,
} from "../model/index.ts"
import type { TokenStorePort } from "./tokenStore.ts"

/** A read of a token store that has a name of its own. */
export interface NamedRead {
  /** The kind of the rows it returns. */
  readonly kind: RowKind
  /** The members that its arguments are values of. */
  readonly by: readonly [first: string, second?: string]
  /** The name of the list it returns; undefined if it finds one row. */
  readonly list?: string
  /** The member of its result that is the row, if the row's grant stands beside it. */
  readonly withGrant?: "code" | "token"
}

/** The named reads of a token store, except `recentAttempts`, which a store may omit. */
export const namedReads = {
  findGrant: { kind: grants, by: ["id"] },
  grantsOf: { kind: grants, by: ["subject"], list: "grants" },
  findCode: { kind: codes, by: ["locator"], withGrant: "code" },
  findAccessToken: { kind: accessTokens, by: ["locator"], withGrant: "token" },
  findRefreshToken: { kind: refreshTokens, by: ["locator"], withGrant: "token" },
  findSession: { kind: sessions, by: ["locator"] },
  sessionsOf: { kind: sessions, by: ["subject"], list: "sessions" },
  findInteraction: { kind: interactions, by: ["locator"] },
  findDevice: { kind: devices, by: ["locator"] },
  findDeviceByUserCode: { kind: devices, by: ["userCode"] },
  findAttempts: { kind: attempts, by: ["key"] },
  findConsent: { kind: consents, by: ["subject", "clientId"] },
  consentsOf: { kind: consents, by: ["subject"], list: "consents" },
} as const satisfies Readonly<Record<string, NamedRead>>

/** The name of such a read. */
export type ReadName = keyof typeof namedReads

/** Makes a value for each named read. */
export const eachRead = <A>(make: (name: ReadName) => A): Readonly<Record<ReadName, A>> =>
  // The names are those of the table.
  Object.fromEntries((Object.keys(namedReads) as Array<ReadName>).map((name) => [name, make(name)])) as Record<ReadName, A>

/** Runs a named read of a store. */
export const runRead = (tokens: TokenStorePort, name: ReadName, args: ReadonlyArray<unknown>): unknown =>
  // The arguments are those of the read.
  (tokens as unknown as Readonly<Record<ReadName, (...args: ReadonlyArray<unknown>) => unknown>>)[name](...args)
