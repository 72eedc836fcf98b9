import type { Command, Instant, RowKind } from "../model/index.ts"
import { aResult, aRow, rowsOf, stored } from "./due.ts"
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
    return this.lift(port, "findGrant", (id: string) => inPart.findGrant(this, id), stored.findGrant)
  }
  get grantsOf(): LiftedTokenStore["grantsOf"] {
    return this.lift(port, "grantsOf", (subject: string) => inPart.grantsOf(this, subject), stored.grantsOf)
  }
  get findCode(): LiftedTokenStore["findCode"] {
    return this.lift(port, "findCode", (locator: string) => inPart.findCode(this, locator), stored.findCode)
  }
  get findAccessToken(): LiftedTokenStore["findAccessToken"] {
    return this.lift(port, "findAccessToken", (locator: string) => inPart.findAccessToken(this, locator), stored.findAccessToken)
  }
  get findRefreshToken(): LiftedTokenStore["findRefreshToken"] {
    return this.lift(port, "findRefreshToken", (locator: string) => inPart.findRefreshToken(this, locator), stored.findRefreshToken)
  }
  get findSession(): LiftedTokenStore["findSession"] {
    return this.lift(port, "findSession", (locator: string) => inPart.findSession(this, locator), stored.findSession)
  }
  get sessionsOf(): LiftedTokenStore["sessionsOf"] {
    return this.lift(port, "sessionsOf", (subject: string) => inPart.sessionsOf(this, subject), stored.sessionsOf)
  }
  get findInteraction(): LiftedTokenStore["findInteraction"] {
    return this.lift(port, "findInteraction", (locator: string) => inPart.findInteraction(this, locator), stored.findInteraction)
  }
  get findDevice(): LiftedTokenStore["findDevice"] {
    return this.lift(port, "findDevice", (locator: string) => inPart.findDevice(this, locator), stored.findDevice)
  }
  get findDeviceByUserCode(): LiftedTokenStore["findDeviceByUserCode"] {
    return this.lift(
      port,
      "findDeviceByUserCode",
      (userCode: string) => inPart.findDeviceByUserCode(this, userCode),
      stored.findDeviceByUserCode,
    )
  }
  get findAttempts(): LiftedTokenStore["findAttempts"] {
    return this.lift(port, "findAttempts", (key: string) => inPart.findAttempts(this, key), stored.findAttempts)
  }
  get consentsOf(): LiftedTokenStore["consentsOf"] {
    return this.lift(port, "consentsOf", (subject: string) => inPart.consentsOf(this, subject), stored.consentsOf)
  }
  get recentAttempts(): LiftedTokenStore["recentAttempts"] {
    return this.lift(port, "recentAttempts", (key: string, now: Instant) => inPart.recentAttempts(this, key, now), stored.recentAttempts)
  }
  get findConsent(): LiftedTokenStore["findConsent"] {
    return this.lift(
      port,
      "findConsent",
      (subject: string, clientId: string) => inPart.findConsent(this, subject, clientId),
      stored.findConsent,
    )
  }
  get commit(): LiftedTokenStore["commit"] {
    return this.lift(port, "commit", (commands: ReadonlyArray<Command>) => inPart.commit(this, commands), aResult)
  }
  get durable(): NonNullable<LiftedTokenStore["durable"]> {
    return this.lift(port, "durable", () => this.tokens.durable?.())
  }
}
