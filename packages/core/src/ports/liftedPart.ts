import type { Command, RowKind } from "../model/index.ts"
import { aResult, aRow, rowsOf, stored } from "./due.ts"
import type { Awaitable } from "./awaitable.ts"
import type { Marks } from "./marks.ts"
import { type Part, inPart } from "./part.ts"
import type { FoundBy, TokenStorePort } from "./plain.ts"
import type { Lift, LiftedTokenStore } from "./lifted.ts"

const port = "TokenStore"

/**
 * One issuer's part of a token store, as Effects. Operations are created on access, so that an issuer holds one object and no functions.
 * With a thousand issuers, the cost of a request is dominated by memory that no recent request has touched (bench/issuers.ts).
 */
export class LiftedPart implements LiftedTokenStore, Part {
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
  get findGrant(): LiftedTokenStore["findGrant"] {
    return read(this, "findGrant")
  }
  get grantsOf(): LiftedTokenStore["grantsOf"] {
    return read(this, "grantsOf")
  }
  get findCode(): LiftedTokenStore["findCode"] {
    return read(this, "findCode")
  }
  get findAccessToken(): LiftedTokenStore["findAccessToken"] {
    return read(this, "findAccessToken")
  }
  get findRefreshToken(): LiftedTokenStore["findRefreshToken"] {
    return read(this, "findRefreshToken")
  }
  get findSession(): LiftedTokenStore["findSession"] {
    return read(this, "findSession")
  }
  get sessionsOf(): LiftedTokenStore["sessionsOf"] {
    return read(this, "sessionsOf")
  }
  get findInteraction(): LiftedTokenStore["findInteraction"] {
    return read(this, "findInteraction")
  }
  get findDevice(): LiftedTokenStore["findDevice"] {
    return read(this, "findDevice")
  }
  get findDeviceByUserCode(): LiftedTokenStore["findDeviceByUserCode"] {
    return read(this, "findDeviceByUserCode")
  }
  get findAttempts(): LiftedTokenStore["findAttempts"] {
    return read(this, "findAttempts")
  }
  get consentsOf(): LiftedTokenStore["consentsOf"] {
    return read(this, "consentsOf")
  }
  get recentAttempts(): LiftedTokenStore["recentAttempts"] {
    return read(this, "recentAttempts")
  }
  get findConsent(): LiftedTokenStore["findConsent"] {
    return read(this, "findConsent")
  }
  get commit(): LiftedTokenStore["commit"] {
    return this.lift(port, "commit", (commands: ReadonlyArray<Command>) => inPart.commit(this, commands), aResult)
  }
  get durable(): NonNullable<LiftedTokenStore["durable"]> {
    return this.lift(port, "durable", () => this.tokens.durable?.())
  }
}

type Read = (part: Part, ...args: ReadonlyArray<unknown>) => Awaitable<unknown>

/** Lifts a read of a part by its name. */
const read = <Name extends keyof typeof stored>(part: LiftedPart, name: Name): LiftedTokenStore[Name] => {
  // A lifted read has the arguments of the plain one, and its answer is checked by the same name.
  const plain = inPart[name] as Read
  return part.lift(port, name, (...args: ReadonlyArray<unknown>) => plain(part, ...args), stored[name]) as LiftedTokenStore[Name]
}
