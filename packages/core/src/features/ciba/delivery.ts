import { type Instant, type OutboxMessage, sameDigest, secretOf, writeHandle } from "../../model/index.ts"
import type { OutboundAnswer } from "../../ports/index.ts"
import { type Objection, judge, pass, prove, table, tracing } from "../../rules/rule.ts"
import type { Undelivered } from "../../settle/outbox.ts"
import type { DeliveryMeans } from "../feature.ts"
import { toldClient, toldPerson } from "./messages.ts"
import { notificationEndpoint } from "./metadata.ts"
import type { CibaSettings } from "./options.ts"
import { opened, secretTexts } from "./seal.ts"

/** The longest pause that a client may ask for, in seconds. */
const longestPause = 3600

/** An attempt that did not deliver. */
interface NotDelivered extends Objection {
  readonly undelivered: Undelivered
}

const failed = (failure: string, notBefore?: Instant): NotDelivered => ({
  reason: failure,
  undelivered: { _tag: "Failed", failure, ...(notBefore === undefined ? {} : { notBefore }) },
})

/** Judges the answer of a client's notification endpoint. Only what may be otherwise in a moment is tried again; a redirect is never followed. */
export const answerRules = table<{ readonly answer: OutboundAnswer; readonly now: Instant }, NotDelivered>("ciba/answer")
  .establish("ciba.result-reached", "CIBA Core §10.2, §10.3", ({ answer }) =>
    answer._tag === "Fetched" ? prove({ answer }) : failed(answer.reason),
  )
  .rule("ciba.result-ready", "CIBA Core §10.2, RFC 9110 §15.6", ({ answer: { status, retryAfter }, now }) => {
    if (status < 500 && status !== 408 && status !== 425 && status !== 429) return pass
    const seconds = /^\d{1,9}$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined
    return failed(`answered with status ${status}`, seconds === undefined ? undefined : now + Math.min(seconds, longestPause))
  })
  .rule("ciba.result-accepted", "CIBA Core §10.2, §10.3", ({ answer: { status } }) => {
    if (status === 204 || status === 200) return pass
    const failure = `refused with status ${status}`
    return { reason: failure, undelivered: { _tag: "Refused", failure } }
  })

/** Tells a client of a result: that it can be fetched, or the result itself (CIBA Core §10.2, §10.3). */
export const deliverResult = async (message: OutboxMessage, means: DeliveryMeans): Promise<Undelivered | void> => {
  const { clients, outbound, signal, now, audit, keyed, digest, rulesOff } = means
  const told = toldClient(message)
  const client = await clients.find(told.clientId)
  const endpoint = client === undefined || client.disabled ? undefined : notificationEndpoint.of(client)
  // A client that is gone or disabled, or polls now, has nothing to be told.
  if (endpoint === undefined) return undefined
  if (outbound.post === undefined) return { _tag: "Failed", failure: "the Outbound port of the provider sends nothing" }
  const { locator } = told
  const secret = await keyed(secretTexts(locator))
  if (!sameDigest(await digest(`q ${secret}`), told.digest))
    return { _tag: "Refused", failure: "the provider's account key is another one than when the request was made" }
  const result: object = told.result === undefined ? {} : JSON.parse(await opened(told.result, "result", locator, keyed))
  const authorization = secretOf(`Bearer ${await opened(told.notification, "notification", locator, keyed)}`)
  const text = JSON.stringify({ auth_req_id: writeHandle({ kind: "q", locator, secret }), ...result })
  const { ofStranger } = client?.keys ?? {}
  const answer = await outbound.post(endpoint, { contentType: "application/json", text, authorization, ofStranger }, signal)
  const objection = judge(tracing(rulesOff), answerRules, { answer, now })
  const noted = { at: now, clientId: told.clientId, subject: told.subject, detail: objection?.reason }
  if (objection === undefined) audit.record(() => [{ ...noted, event: "authentication_result_delivered" }])
  else if (objection.undelivered._tag === "Refused") audit.record(() => [{ ...noted, event: "authentication_result_refused" }])
  return objection?.undelivered
}

/** Tells a person that a request waits for them, while it does. */
export const deliverNotification =
  ({ notify }: CibaSettings) =>
  async (message: OutboxMessage, { now, signal }: DeliveryMeans): Promise<Undelivered | void> => {
    const waiting = toldPerson(message)
    if (notify === undefined || now >= waiting.expiresAt) return undefined
    await notify(waiting, signal)
    return undefined
  }
