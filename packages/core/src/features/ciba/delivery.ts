import { type OutboxMessage, sameDigest, secretOf, writeHandle } from "../../model/index.ts"
import { type Objection, judge, pass, table, tracing } from "../../rules/rule.ts"
import { answerTable } from "../../settle/delivered.ts"
import { type Undelivered, changedBefore } from "../../settle/outbox.ts"
import type { DeliveryMeans } from "../feature.ts"
import { type ToldResult, toldClient, toldPerson } from "./messages.ts"
import { notificationEndpoint } from "./metadata.ts"
import type { CibaSettings } from "./options.ts"
import { type AuthenticationRequest, authenticationRequests, expireAuthentication, expiryKept } from "./rows.ts"
import { opened, secretTexts } from "./seal.ts"

/** Judges the response of a client's notification endpoint. */
export const answerRules = answerTable("ciba/answer", {
  reached: ["ciba.result-reached", "CIBA Core §10.2, §10.3"],
  ready: ["ciba.result-ready", "CIBA Core §10.2, RFC 9110 §15.6"],
  accepted: ["ciba.result-accepted", "CIBA Core §10.2, §10.3"],
})

/** Sends a client the `auth_req_id` of a request, with the result if that is pushed. */
const send = async (told: ToldResult, resultOf: () => Promise<object>, means: DeliveryMeans): Promise<Undelivered | void> => {
  const { clients, outbound, signal, now, audit, keyed, digest, rulesOff } = means
  const client = await clients.find(told.clientId)
  const endpoint = client === undefined || client.disabled ? undefined : notificationEndpoint.of(client)
  // A client that was deleted or disabled, or that polls now, is not notified.
  if (endpoint === undefined) return undefined
  if (outbound.post === undefined) return { _tag: "Failed", failure: "the Outbound port of the provider sends nothing" }
  const { locator } = told
  const secret = await keyed(secretTexts(locator))
  if (!sameDigest(await digest(`q ${secret}`), told.digest))
    return { _tag: "Refused", failure: "the provider's account key is another one than when the request was made" }
  const authorization = secretOf(`Bearer ${await opened(told.notification, "notification", locator, keyed)}`)
  const text = JSON.stringify({ auth_req_id: writeHandle({ kind: "q", locator, secret }), ...(await resultOf()) })
  const { ofStranger } = client?.keys ?? {}
  const answer = await outbound.post(endpoint, { contentType: "application/json", text, authorization, ofStranger }, signal)
  const objection = judge(tracing(rulesOff), answerRules, { answer, now })
  const noted = { at: now, clientId: told.clientId, subject: told.subject, detail: objection?.reason }
  if (objection === undefined) audit.record(() => [{ ...noted, event: "authentication_result_delivered" }])
  else if (objection.undelivered._tag === "Refused") audit.record(() => [{ ...noted, event: "authentication_result_refused" }])
  return objection?.undelivered
}

/** Notifies a client that a result can be fetched, or pushes the result (CIBA Core §10.2, §10.3). */
export const deliverResult = async (message: OutboxMessage, means: DeliveryMeans): Promise<Undelivered | void> => {
  const told = toldClient(message)
  const { result, locator } = told
  return send(told, async () => (result === undefined ? {} : JSON.parse(await opened(result, "result", locator, means.keyed))), means)
}

/** Judges whether a client must be notified that a request expired. For an answered request it was sent the result instead. */
export const expiryRules = table<{ readonly request: AuthenticationRequest | undefined }, Objection>("ciba/expiry").rule(
  "ciba.expiry-unanswered",
  "CIBA Core §12",
  ({ request }) =>
    request === undefined || request.state === "pending" || request.state === "expired"
      ? pass
      : { reason: `the request is ${request.state}` },
)

const expired = { error: "expired_token", error_description: "The person did not answer in time." }

/**
 * Expires a request that nobody has answered, and pushes the error to its client (CIBA Core §12). The row is changed first, by the version
 * that was read. No person can then answer on a machine whose clock is behind, and the client never gets both an error and tokens.
 */
export const deliverExpiry = async (message: OutboxMessage, means: DeliveryMeans): Promise<Undelivered | void> => {
  const { tokens, now, rulesOff } = means
  const told = toldClient(message)
  if (tokens === undefined) return { _tag: "Failed", failure: "the deliveries were given no token store" }
  const request = await tokens.find(authenticationRequests, { locator: told.locator })
  if (request === undefined || judge(tracing(rulesOff), expiryRules, { request }) !== undefined) return undefined
  if (request.state === "pending" && (await changedBefore(tokens, [expireAuthentication(request, now + expiryKept)])) === "Conflict")
    return { _tag: "Failed", failure: "the request was answered at this very moment" }
  return send(told, async () => expired, means)
}

/** Notifies a person of a request while it waits for them. */
export const deliverNotification =
  ({ notify }: CibaSettings) =>
  async (message: OutboxMessage, { now, signal }: DeliveryMeans): Promise<Undelivered | void> => {
    const waiting = toldPerson(message)
    if (notify === undefined || now >= waiting.expiresAt) return undefined
    await notify(waiting, signal)
    return undefined
  }
