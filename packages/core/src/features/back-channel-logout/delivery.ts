import { type Instant, type JsonObject, type OutboxMessage } from "../../model/index.ts"
import type { OutboundAnswer } from "../../ports/index.ts"
import { type Objection, judge, pass, prove, table, tracing } from "../../rules/rule.ts"
import { present } from "../../rules/tokens.ts"
import type { Undelivered } from "../../settle/outbox.ts"
import type { DeliveryMeans } from "../feature.ts"
import { type ToldLogout, toldLogout } from "./message.ts"
import { logoutUri } from "./metadata.ts"

/** The life of a logout token: the receiver acts at once, and each attempt has a token of its own (Back-Channel Logout §2.4). */
const life = 120

/** The longest pause that a receiver may ask for, in seconds. */
const longestPause = 3600

/** The event that a logout token tells of (OpenID Connect Back-Channel Logout §2.4). */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

/** An attempt that did not deliver. */
interface NotDelivered extends Objection {
  readonly undelivered: Undelivered
}

const failed = (failure: string, notBefore?: Instant): NotDelivered => ({
  reason: failure,
  undelivered: { _tag: "Failed", failure, ...(notBefore === undefined ? {} : { notBefore }) },
})

/** The moment before which a receiver does not want to be asked again; HTTP dates are as good as seconds (RFC 9110 §10.2.3). */
const notBefore = (retryAfter: string | undefined, now: Instant): Instant | undefined => {
  const seconds = /^\d{1,9}$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined
  return seconds === undefined ? undefined : now + Math.min(seconds, longestPause)
}

/** An answer, and the time it came. */
interface Answered {
  readonly answer: OutboundAnswer
  readonly now: Instant
}

/** Judges the answer to a logout token. Only what may be otherwise in a moment is tried again. */
export const answerRules = table<Answered, NotDelivered>("back-channel-logout/answer")
  .establish("back-channel-logout.reached", "OpenID Connect Back-Channel Logout §2.5", ({ answer }) =>
    answer._tag === "Fetched" ? prove({ answer }) : failed(answer.reason),
  )
  .rule("back-channel-logout.ready", "OpenID Connect Back-Channel Logout §2.8, RFC 9110 §15.6", ({ answer: { status, retryAfter }, now }) =>
    status >= 500 || status === 408 || status === 425 || status === 429
      ? failed(`answered with status ${status}`, notBefore(retryAfter, now))
      : pass,
  )
  .rule("back-channel-logout.accepted", "OpenID Connect Back-Channel Logout §2.8", ({ answer: { status } }) => {
    if (status === 200 || status === 204) return pass
    const failure = `refused with status ${status}`
    return { reason: failure, undelivered: { _tag: "Refused", failure } }
  })

/** The claims of a logout token. Each attempt has its own: a receiver that notes the `jti` before it acts would refuse the same one again. */
const claimsOf = (
  { issuer, now, fresh }: DeliveryMeans,
  { clientId, sub, sid }: Pick<ToldLogout, "clientId" | "sub" | "sid">,
): JsonObject =>
  present({
    iss: issuer,
    aud: clientId,
    iat: now,
    exp: now + life,
    jti: fresh(),
    sub,
    sid,
    events: { [logoutEvent]: {} },
  })

/** Sends one logout token (OpenID Connect Back-Channel Logout §2.5). A client that takes none any more has been told all it wants to hear. */
export const deliverLogout = async (message: OutboxMessage, means: DeliveryMeans): Promise<Undelivered | void> => {
  const { clients, outbound, signal, now, audit, sign, rulesOff } = means
  const { clientId, subject, sub, sid } = toldLogout(message)
  const client = await clients.find(clientId)
  const uri = client === undefined ? undefined : logoutUri.of(client)
  if (client === undefined || uri === undefined) return undefined
  if (outbound.post === undefined) return { _tag: "Failed", failure: "the Outbound port of the provider sends nothing" }
  const { idTokenSignedResponseAlg: alg, idTokenEncryption, keys } = client
  const token = await sign({
    alg,
    typ: "logout+jwt",
    contentType: "application/logout+jwt",
    claims: claimsOf(means, { clientId, sub, sid }),
    encryption: idTokenEncryption && { ...idTokenEncryption, keys },
  })
  const body = { contentType: "application/x-www-form-urlencoded", text: `logout_token=${token}`, ofStranger: keys.ofStranger }
  const answered: Answered = { answer: await outbound.post(uri, body, signal), now }
  const objection = judge(tracing(rulesOff), answerRules, answered)
  const told = { at: now, clientId, subject, detail: objection?.reason }
  if (objection === undefined) audit.record(() => [{ ...told, event: "logout_delivered" }])
  else if (objection.undelivered._tag === "Refused") audit.record(() => [{ ...told, event: "logout_refused" }])
  return objection?.undelivered
}
