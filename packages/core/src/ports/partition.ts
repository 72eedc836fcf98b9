import { type RowKind, rowKinds } from "../model/index.ts"
import { marksIn } from "./marks.ts"
import { type Part, inPart } from "./part.ts"
import type { TokenStorePort } from "./plain.ts"

// Several issuers keep their rows in one store. Whatever tells rows apart (keys, and the members that events and lists find rows by) carries the name of the issuer,
// so that no question of one issuer can be answered by a row of another. Descriptions of rows say which members these are: a new kind of row, or a new store, needs
// nothing here.

/** The part of a store that belongs to one issuer. */
export interface Partition {
  /**
   * The name of the issuer: 1 to 32 lower-case letters, digits and dashes, never given to another issuer. Empty for the rows that carry no name: those of a store that
   * served one issuer before.
   */
  readonly name: string
  /** The name that guesses of passwords are counted under: one for all issuers that share their people. That of the issuer when not given. */
  readonly people?: string | undefined
  /** Every kind of row of the store: `rowKindsOf` the features of the issuer's provider; those of core when not given. */
  readonly kinds?: ReadonlyArray<RowKind> | undefined
}

/** The part of a token store that a partition names, as a value. */
export const partOf = (tokens: TokenStorePort, { name, people = name, kinds = rowKinds }: Partition): Part => ({
  tokens,
  marks: marksIn(kinds),
  name,
  people,
})

/**
 * The part of a token store that is one issuer's: every row that it writes carries the issuer's name, and no row of another issuer is found, listed or changed through
 * it. The store may be any; its rows need no other tables. A list that nothing narrows to an issuer, such as the outbox's, shows those of its first
 * 100 rows that are the issuer's.
 */
export const partitioned = (tokens: TokenStorePort, partition: Partition): TokenStorePort => {
  const part = partOf(tokens, partition)
  const { keeps, durable, recentAttempts } = tokens
  return {
    ...(keeps && { keeps: (table) => part.marks.has(table) && keeps(table) }),
    find: (kind, key) => inPart.find(part, kind, key),
    list: (kind, list, given) => inPart.list(part, kind, list, given),
    findGrant: (id) => inPart.findGrant(part, id),
    grantsOf: (subject) => inPart.grantsOf(part, subject),
    findCode: (locator) => inPart.findCode(part, locator),
    findAccessToken: (locator) => inPart.findAccessToken(part, locator),
    findRefreshToken: (locator) => inPart.findRefreshToken(part, locator),
    findSession: (locator) => inPart.findSession(part, locator),
    sessionsOf: (subject) => inPart.sessionsOf(part, subject),
    findInteraction: (locator) => inPart.findInteraction(part, locator),
    findDevice: (locator) => inPart.findDevice(part, locator),
    findDeviceByUserCode: (userCode) => inPart.findDeviceByUserCode(part, userCode),
    findAttempts: (key) => inPart.findAttempts(part, key),
    ...(recentAttempts && { recentAttempts: (key, now) => inPart.recentAttempts(part, key, now) }),
    findConsent: (subject, clientId) => inPart.findConsent(part, subject, clientId),
    consentsOf: (subject) => inPart.consentsOf(part, subject),
    commit: (commands) => inPart.commit(part, commands),
    ...(durable && { durable: () => durable() }),
  }
}
