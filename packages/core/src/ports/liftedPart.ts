import type { Command, Instant, RowKind } from "../model/index.ts"
import { aResult, aRow, rowsOf, stored } from "./due.ts"
import type { Lift, LiftedTokenStore } from "./lifted.ts"
import type { Marks } from "./marks.ts"
import { type ReadName, eachRead } from "./namedReads.ts"
import { type Part, inPart, readInPart } from "./part.ts"
import type { FoundBy, TokenStorePort } from "./tokenStore.ts"

const port = "TokenStore"

/**
 * The operations of a part as Effects. They are created on access, so that an issuer holds one object and no functions. With a thousand
 * issuers, the cost of a request is dominated by memory that no recent request has touched (bench/issuers.ts).
 */
class Operations implements Omit<LiftedTokenStore, ReadName>, Part {
  readonly tokens: TokenStorePort
  readonly marks: ReadonlyMap<string, Marks>
  readonly name: string
  readonly people: string
  readonly lift: Lift

  constructor({ tokens, marks, name, people }: Part, lift: Lift) {
    this.lift = lift
    this.tokens = tokens
    this.marks = marks
    this.name = name
    this.people = people
  }

  get find(): LiftedTokenStore["find"] {
    return <Row>(kind: RowKind<Row>, key: FoundBy) => this.lift(port, "find", () => inPart.find(this, kind, key), aRow(kind))()
  }
  get list(): LiftedTokenStore["list"] {
    return <Row>(kind: RowKind<Row>, list: string, given: FoundBy) =>
      this.lift(port, "list", () => inPart.list(this, kind, list, given), rowsOf(kind))()
  }
  get recentAttempts(): LiftedTokenStore["recentAttempts"] {
    return this.lift(port, "recentAttempts", (key: string, now: Instant) => inPart.recentAttempts(this, key, now), stored.findAttempts)
  }
  get commit(): LiftedTokenStore["commit"] {
    return this.lift(port, "commit", (commands: ReadonlyArray<Command>) => inPart.commit(this, commands), aResult)
  }
  get durable(): NonNullable<LiftedTokenStore["durable"]> {
    return this.lift(port, "durable", () => this.tokens.durable?.())
  }
}

/** The named reads, likewise created on access. */
Object.defineProperties(
  Operations.prototype,
  eachRead((name) => ({
    get(this: Operations) {
      return this.lift(port, name, (...args: ReadonlyArray<string>) => readInPart(this, name, args), stored[name])
    },
  })),
)

/** One issuer's part of a token store, as Effects. */
export const liftedPart = (part: Part, lift: Lift): LiftedTokenStore =>
  // The named reads are on the prototype.
  new Operations(part, lift) as Operations & LiftedTokenStore
