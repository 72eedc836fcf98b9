import * as Effect from "effect/Effect"
import {
  type Command,
  type Instant,
  type Json,
  type Locator,
  type OutboxMessage,
  addMessage,
  followMessage,
  latest,
} from "../../model/index.ts"
import type { Ports } from "../../ports/index.ts"
import { steps } from "../../ports/steps.ts"
import { type Undelivered, changedBefore } from "../../settle/outbox.ts"
import { allEnd } from "../../settle/replaced.ts"
import { present } from "../../rules/tokens.ts"
import type { DeliveryMeans } from "../feature.ts"
import { type UpstreamSession, upstreamSessions } from "./rows.ts"

/** The kind of the outbox's messages that end the remaining sessions of a sign-in at another provider. */
export const restMessage = "upstream-logout.rest"

/** Pages of sessions that end in one commit. If a person has more, the rest end in further commits, one after the other. */
const mostPages = 10

/** A position in the sessions that a token concerns. Those of its session come first, then those of its person. */
interface From {
  readonly list: "ofSid" | "ofSubject"
  readonly until: Instant
  readonly before: Locator
}

/** The sessions that a logout token names, starting at a position. */
export interface Named {
  /** The name under which the other provider is configured. */
  readonly provider: string
  /** Its issuer identifier. */
  readonly issuer: string
  readonly sub: string | undefined
  readonly sid: string | undefined
  readonly from: From
}

/** The position at which the sessions of a token begin. */
export const beginning = ({ sid }: Pick<Named, "sid">): From => ({ list: sid === undefined ? "ofSubject" : "ofSid", ...latest })

/**
 * Reports whether a token names a sign-in. A token with a `sid` names the sign-ins with that `sid`, whose person must match, and those of
 * the person without a `sid`. A token without a `sid` names all of the person's.
 */
const isMeant = ({ issuer, sub, sid, from: { list } }: Named, found: UpstreamSession): boolean =>
  found.issuer === issuer &&
  (list === "ofSid" ? sub === undefined || found.theirSubject === sub : sid === undefined || found.theirSid === undefined)

/**
 * The sessions here that resulted from a sign-in which a token names, up to a number of pages, and the position of the rest (OpenID Connect
 * Back-Channel Logout §2.6 (9) to (11)).
 */
export const sessionsFrom = steps(function* (named: Named, tokens: Pick<Ports["tokens"], "list" | "findSession">) {
  const { provider, sub, sid } = named
  const meant: Array<Locator> = []
  let from: From | undefined = named.from
  for (let page = 0; page < mostPages && from !== undefined; page++) {
    const at: Named = { ...named, from }
    const { list, until, before }: From = from
    const rows: ReadonlyArray<UpstreamSession> = yield* list === "ofSid"
      ? tokens.list(upstreamSessions, list, { provider, theirSid: sid, until, before })
      : tokens.list(upstreamSessions, list, { provider, theirSubject: sub, until, before })
    meant.push(...rows.filter((each) => isMeant(at, each)).map(({ session }) => session))
    const last = rows.at(-1)
    if (last !== undefined) from = { list, until: last.createdAt, before: last.session }
    else from = list === "ofSid" && sub !== undefined ? { list: "ofSubject", ...latest } : undefined
  }
  const found = yield* Effect.all(
    meant.map((session) => tokens.findSession(session)),
    { concurrency: 8 },
  )
  const rest: Named | undefined = from === undefined ? undefined : { ...named, from }
  return { found: found.filter((session) => session !== undefined), rest }
})

/** Writes the message that has the remaining sessions ended, in the commit that ends the sessions before them. */
export const addRest = (locator: Locator, { provider, issuer, sub, sid, from }: Named, at: Instant): Command =>
  addMessage(locator, restMessage, present({ provider, issuer, sub, sid, ...from }), at)

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

const optional = (value: Json | undefined): string | undefined => (value === undefined ? undefined : text(value))

const namedIn = ({ payload: { provider, issuer, sub, sid, list, until, before } }: Pick<OutboxMessage, "payload">): Named => ({
  provider: text(provider),
  issuer: text(issuer),
  sub: optional(sub),
  sid: optional(sid),
  from: { list: list === "ofSid" ? "ofSid" : "ofSubject", until: Number(until), before: text(before) },
})

/**
 * Ends further sessions that a logout token named, in a commit that also schedules the rest. Each session thus ends once, even if the
 * message is delivered twice.
 */
export const deliverRest = async (
  message: OutboxMessage,
  { tokens, ending, now, fresh, audit }: DeliveryMeans,
): Promise<Undelivered | void> => {
  if (tokens === undefined || ending === undefined) return { _tag: "Failed", failure: "the deliveries were given no token store" }
  const { found, rest, ends } = await ending((by) =>
    Effect.flatMap(sessionsFrom(namedIn(message), by.means.ports.tokens), (step) =>
      Effect.map(allEnd(step.found, by), (ends) => ({ ...step, ends })),
    ),
  )
  const committed = await changedBefore(tokens, [
    followMessage(message.locator),
    ...ends,
    ...(rest === undefined ? [] : [addRest(fresh(), rest, now)]),
  ])
  if (committed === "Conflict") return { _tag: "Failed", failure: "the sessions were changed meanwhile" }
  const ended = found.filter(({ endedAt, expiresAt }) => endedAt === undefined && now < expiresAt)
  audit.record(() =>
    ended.map(({ subject, locator }) => ({ event: "sign_out", at: now, subject, sessionId: locator, endpoint: "upstream-logout" })),
  )
  return undefined
}
