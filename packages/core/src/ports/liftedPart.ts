import type { Command, Instant, RowKind } from "../model/index.ts"
import { aList, aResult, aRow } from "./due.ts"
import type { Marks } from "./marks.ts"
import { type Part, inPart } from "./part.ts"
import type { FoundBy, TokenStorePort } from "./plain.ts"
import { type LiftedTokenStore, atOnce } from "./lifted.ts"

const port = "TokenStore"

/**
 * One issuer's part of a token store, as Effects. An operation is bound to the part when it is asked for, so that an issuer keeps one object and no functions: a request
 * of one of a thousand issuers waits above all for memory that no request has used lately (bench/issuers.ts).
 */
export class LiftedPart implements LiftedTokenStore, Part {
  readonly tokens: TokenStorePort
  readonly marks: ReadonlyMap<string, Marks>
  readonly name: string
  readonly people: string

  constructor({ tokens, marks, name, people }: Part) {
    this.tokens = tokens
    this.marks = marks
    this.name = name
    this.people = people
  }

  get find(): LiftedTokenStore["find"] {
    return <Row>(kind: RowKind<Row>, key: FoundBy) => atOnce(port, "find", () => inPart.find(this, kind, key), aRow)()
  }
  get list(): LiftedTokenStore["list"] {
    return <Row>(kind: RowKind<Row>, list: string, given: FoundBy) =>
      atOnce(port, "list", () => inPart.list(this, kind, list, given), aList)()
  }
  get findGrant(): LiftedTokenStore["findGrant"] {
    return atOnce(port, "findGrant", (id: string) => inPart.findGrant(this, id), aRow)
  }
  get grantsOf(): LiftedTokenStore["grantsOf"] {
    return atOnce(port, "grantsOf", (subject: string) => inPart.grantsOf(this, subject), aList)
  }
  get findCode(): LiftedTokenStore["findCode"] {
    return atOnce(port, "findCode", (locator: string) => inPart.findCode(this, locator), aRow)
  }
  get findAccessToken(): LiftedTokenStore["findAccessToken"] {
    return atOnce(port, "findAccessToken", (locator: string) => inPart.findAccessToken(this, locator), aRow)
  }
  get findRefreshToken(): LiftedTokenStore["findRefreshToken"] {
    return atOnce(port, "findRefreshToken", (locator: string) => inPart.findRefreshToken(this, locator), aRow)
  }
  get findSession(): LiftedTokenStore["findSession"] {
    return atOnce(port, "findSession", (locator: string) => inPart.findSession(this, locator), aRow)
  }
  get sessionsOf(): LiftedTokenStore["sessionsOf"] {
    return atOnce(port, "sessionsOf", (subject: string) => inPart.sessionsOf(this, subject), aList)
  }
  get findInteraction(): LiftedTokenStore["findInteraction"] {
    return atOnce(port, "findInteraction", (locator: string) => inPart.findInteraction(this, locator), aRow)
  }
  get findDevice(): LiftedTokenStore["findDevice"] {
    return atOnce(port, "findDevice", (locator: string) => inPart.findDevice(this, locator), aRow)
  }
  get findDeviceByUserCode(): LiftedTokenStore["findDeviceByUserCode"] {
    return atOnce(port, "findDeviceByUserCode", (userCode: string) => inPart.findDeviceByUserCode(this, userCode), aRow)
  }
  get findAttempts(): LiftedTokenStore["findAttempts"] {
    return atOnce(port, "findAttempts", (key: string) => inPart.findAttempts(this, key), aRow)
  }
  get consentsOf(): LiftedTokenStore["consentsOf"] {
    return atOnce(port, "consentsOf", (subject: string) => inPart.consentsOf(this, subject), aList)
  }
  get recentAttempts(): LiftedTokenStore["recentAttempts"] {
    return atOnce(port, "recentAttempts", (key: string, now: Instant) => inPart.recentAttempts(this, key, now), aRow)
  }
  get findConsent(): LiftedTokenStore["findConsent"] {
    return atOnce(port, "findConsent", (subject: string, clientId: string) => inPart.findConsent(this, subject, clientId), aRow)
  }
  get commit(): LiftedTokenStore["commit"] {
    return atOnce(port, "commit", (commands: ReadonlyArray<Command>) => inPart.commit(this, commands), aResult)
  }
  get durable(): NonNullable<LiftedTokenStore["durable"]> {
    return atOnce(port, "durable", () => this.tokens.durable?.())
  }
}
