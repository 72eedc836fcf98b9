import type { JsonObject, OutboxMessage } from "../../model/index.ts"
import { judge, tracing } from "../../rules/rule.ts"
import { present } from "../../rules/tokens.ts"
import { answerTable } from "../../settle/delivered.ts"
import type { Undelivered } from "../../settle/outbox.ts"
import type { DeliveryMeans } from "../feature.ts"
import { type ToldLogout, toldLogout } from "./message.ts"
import { logoutUri } from "./metadata.ts"

/**
 * The lifetime of a logout token, in seconds. It is short because the receiver acts at once and each attempt has its own token
 * (Back-Channel Logout §2.4).
 */
const life = 120

/** The event that a logout token reports (OpenID Connect Back-Channel Logout §2.4). */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

/** Judges the answer to a logout token. */
export const answerRules = answerTable("back-channel-logout/answer", {
  reached: ["back-channel-logout.reached", "OpenID Connect Back-Channel Logout §2.5"],
  ready: ["back-channel-logout.ready", "OpenID Connect Back-Channel Logout §2.8, RFC 9110 §15.6"],
  accepted: ["back-channel-logout.accepted", "OpenID Connect Back-Channel Logout §2.8"],
})

/**
 * The claims of a logout token. Each attempt has a token of its own, because a receiver that records the `jti` before it acts would refuse
 * the same token again.
 */
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

/**
 * Sends one logout token (OpenID Connect Back-Channel Logout §2.5). A client that no longer accepts logout tokens is not sent one, and the
 * message is done.
 */
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
  const answer = await outbound.post(uri, body, signal)
  const objection = judge(tracing(rulesOff), answerRules, { answer, now })
  const told = { at: now, clientId, subject, detail: objection?.reason }
  if (objection === undefined) audit.record(() => [{ ...told, event: "logout_delivered" }])
  else if (objection.undelivered._tag === "Refused") audit.record(() => [{ ...told, event: "logout_refused" }])
  return objection?.undelivered
}
