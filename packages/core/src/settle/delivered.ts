import type { Instant } from "../model/index.ts"
import type { OutboundAnswer } from "../ports/index.ts"
import { type Objection, pass, prove, table } from "../rules/rule.ts"
import type { Undelivered } from "./outbox.ts"

/** A failed delivery attempt. */
export interface NotDelivered extends Objection {
  /** The failure or refusal, as the outbox records it. */
  readonly undelivered: Undelivered
}

/** A response to a message. */
export interface Answered {
  /** The response, or the reason why there is none. */
  readonly answer: OutboundAnswer
  /** The time of its arrival. */
  readonly now: Instant
}

/** The longest pause that a receiver may request, in seconds. */
const longestPause = 3600

const failed = (failure: string, notBefore?: Instant): NotDelivered => ({
  reason: failure,
  undelivered: { _tag: "Failed", failure, ...(notBefore === undefined ? {} : { notBefore }) },
})

/** Returns the time before which a receiver does not want another request, if it states a number of seconds (RFC 9110 §10.2.3). */
const notBefore = (retryAfter: string | undefined, now: Instant): Instant | undefined =>
  /^\d{1,9}$/.test(retryAfter ?? "") ? now + Math.min(Number(retryAfter), longestPause) : undefined

/**
 * Builds the table that evaluates the response to a message, from the ids and paragraphs of its rules. Only temporary failures are retried;
 * a redirect is never followed.
 */
export const answerTable = (
  name: string,
  { reached, ready, accepted }: Readonly<Record<"reached" | "ready" | "accepted", readonly [id: string, cites: string]>>,
) =>
  table<Answered, NotDelivered>(name)
    .establish(...reached, ({ answer }) => (answer._tag === "Fetched" ? prove({ answer }) : failed(answer.reason)))
    .rule(...ready, ({ answer: { status, retryAfter }, now }) =>
      status >= 500 || status === 408 || status === 425 || status === 429
        ? failed(`answered with status ${status}`, notBefore(retryAfter, now))
        : pass,
    )
    .rule(...accepted, ({ answer: { status } }) => {
      if (status === 200 || status === 204) return pass
      const failure = `refused with status ${status}`
      return { reason: failure, undelivered: { _tag: "Refused", failure } }
    })
