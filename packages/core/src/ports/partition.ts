import { type RowKind, rowKinds } from "../model/index.ts"
import { type MemberKinds, kindFault, memberFaults, partFaults, refuseFaults } from "../model/members.ts"
import { marksIn } from "./marks.ts"
import { type ReadName, eachRead } from "./namedReads.ts"
import { type Part, inPart, readInPart } from "./part.ts"
import type { TokenStorePort } from "./tokenStore.ts"

// Several issuers keep their rows in one store. The members that identify rows (keys, and the members that events and lists find rows by)
// carry the name of the issuer, so that no read of one issuer returns a row of another. The descriptions of rows state which members these
// are, so a new kind of row or a new store needs no change here.

/** The part of a store that belongs to one issuer. */
export interface Partition {
  /**
   * The name of the issuer: 1 to 32 lower-case letters, digits and dashes, never reused for another issuer. Empty for rows without a name,
   * which a store has that served a single issuer before.
   */
  readonly name: string
  /** The name under which password guesses are counted; issuers that share their users share it. Defaults to the name of the issuer. */
  readonly people?: string | undefined
  /** Every kind of row of the store: the `rowKindsOf` the features of the issuer's provider. Defaults to the kinds of core. */
  readonly kinds?: ReadonlyArray<RowKind> | undefined
}

/** Returns the part of a token store that a partition names. */
export const partOf = (tokens: TokenStorePort, { name, people = name, kinds = rowKinds }: Partition): Part => ({
  tokens,
  marks: marksIn(kinds),
  name,
  people,
})

const partitionKinds: MemberKinds<Partition> = { name: "text", people: "text?", kinds: "objects?" }

/**
 * Restricts a token store to one issuer. Every row that is written carries the issuer's name, and no row of another issuer is found, listed
 * or changed. Any store will do; its rows need no other tables. A list that is not narrowed to an issuer, such as the outbox's, contains
 * those of its first 100 rows that belong to the issuer.
 */
export const partitioned = (tokens: TokenStorePort, partition: Partition): TokenStorePort => {
  refuseFaults(
    "partitioned",
    partFaults("tokens", tokens, { commit: "function" }, "TokenStorePort"),
    kindFault("partition", partition, "object") ?? memberFaults(partition, partitionKinds, "partition."),
  )
  const part = partOf(tokens, partition)
  const { keeps, durable, recentAttempts } = tokens
  return {
    ...(keeps && { keeps: (table) => part.marks.has(table) && keeps(table) }),
    find: (kind, key) => inPart.find(part, kind, key),
    list: (kind, list, given) => inPart.list(part, kind, list, given),
    // Each has the arguments and the result of the store's.
    ...(eachRead(
      (name) =>
        (...args: ReadonlyArray<string>) =>
          readInPart(part, name, args),
    ) as Pick<TokenStorePort, ReadName>),
    ...(recentAttempts && { recentAttempts: (key, now) => inPart.recentAttempts(part, key, now) }),
    commit: (commands) => inPart.commit(part, commands),
    ...(durable && { durable: () => durable() }),
  }
}
