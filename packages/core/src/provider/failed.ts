import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Trouble } from "../model/index.ts"
import { refuse } from "../model/index.ts"
import { OutwardRefused, PortFailed, causeTold, isUncertain } from "../ports/index.ts"
import { ending, mapped, onward } from "../ports/steps.ts"
import type { Endpoint } from "../settle/endpoint.ts"
import type { Inquiry } from "../settle/request.ts"
import { type Contended, sign } from "../settle/settle.ts"
import type { Answer, Message } from "../wire/index.ts"
import { type Written, pageAnswer } from "./pageAnswer.ts"
import { errorJson, type render } from "./render.ts"

/** Seconds before another try makes sense, where the failed port names none. */
const retryAfter = 2

/** Seconds that a failed port names for another try. */
const retryAfterOf = (error: PortFailed | Contended): number =>
  error._tag === "PortFailed" && error.cause instanceof OutwardRefused ? error.cause.retryAfter : retryAfter

/** An answer, and how the request ended. */
export interface Ending {
  readonly answer: Answer
  readonly outcome: string
  readonly fault: string | undefined
  /** The failure of the pages port, where another page is shown in the place of its own. */
  readonly failed?: PortFailed | undefined
}

/** The form in which decisions are written. */
export interface Writing {
  readonly write: typeof render
}

const descriptions = {
  server_error: "The provider failed. Quote the request id to its operator.",
  temporarily_unavailable: "The provider cannot answer now; nothing was changed. Try again.",
} as const

/** Of a commit that nobody answered for. */
const uncertain = "The provider cannot answer now; whether the request was carried out is not known. Try again."

/** Answers in the place of an endpoint: with a page, or with JSON to a program. */
export const wrong = (
  endpoint: Endpoint | undefined,
  trouble: Trouble,
  status: number,
  message: Message,
  inquiry: Inquiry,
  fault?: "server_error" | "temporarily_unavailable",
  description = fault === undefined ? "" : descriptions[fault],
  wait?: number,
): Effect.Effect<Written> => {
  if (endpoint?.audience === "programs" && fault !== undefined) {
    return Effect.succeed({ answer: errorJson({ ...refuse(fault, description), retryAfter: wait }) })
  }
  return pageAnswer({ _tag: "Error", trouble, error: fault, retryAfter: wait }, status, message, inquiry, {
    headers: wait === undefined ? [] : [["retry-after", String(wait)]],
  })
}

/** A failure as it is answered: to the client, once it is known to be one (RFC 6749 §4.1.2.1), else where it was asked. */
const faulty = (
  endpoint: Endpoint | undefined,
  trouble: Trouble,
  status: number,
  message: Message,
  inquiry: Inquiry,
  error: "server_error" | "temporarily_unavailable",
  { write }: Writing,
  description: string = descriptions[error],
  wait?: number,
): Effect.Effect<Written> => {
  const { callback } = inquiry.about
  const here = (): Effect.Effect<Written> => wrong(endpoint, trouble, status, message, inquiry, error, description, wait)
  if (callback === undefined) return here()
  const params = [["error", error] as const, ["error_description", description] as const]
  const told = ending(() => sign({ _tag: "SendBack", callback, params, tokens: undefined, cookies: [], commands: [] }, inquiry))
  return onward(told, (exit) => (Exit.isSuccess(exit) ? write(exit.value, message, inquiry) : here()))
}

/** The failure of a port or of a commit, also one that a port that answers at once has thrown; undefined for a defect. */
const failureOf = (cause: Cause.Cause<PortFailed | Contended>): PortFailed | Contended | undefined => {
  // A feature of an embedder's may have a copy of this package of its own, and so another class of failures: only what is thrown is told by its class.
  const failed = cause.reasons.find(Cause.isFailReason)?.error
  if (failed !== undefined) return failed
  const thrown = Cause.squash(cause)
  return thrown instanceof PortFailed ? thrown : undefined
}

/** The failure of an attempt as it is answered, and as the operator reads it. */
const failed = (
  endpoint: Endpoint | undefined,
  cause: Cause.Cause<PortFailed | Contended>,
  message: Message,
  inquiry: Inquiry,
  means: Writing,
): Effect.Effect<Ending> => {
  const error = failureOf(cause)
  if (error !== undefined) {
    const fault = error.message
    const [trouble, said] =
      error._tag === "PortFailed" && isUncertain(error)
        ? (["uncertain", uncertain] as const)
        : (["unavailable", descriptions.temporarily_unavailable] as const)
    const wait = retryAfterOf(error)
    const outcome = error._tag
    return mapped(faulty(endpoint, trouble, 503, message, inquiry, "temporarily_unavailable", means, said, wait), (written) => ({
      ...written,
      outcome,
      fault,
    }))
  }
  return mapped(faulty(endpoint, "failed", 500, message, inquiry, "server_error", means), (written) => ({
    ...written,
    outcome: Cause.hasInterruptsOnly(cause) ? "Interrupted" : "Defect",
    fault: causeTold(Cause.squash(cause)),
  }))
}

/** The last resort, when even the page that says so cannot be made. */
export const broken: Answer = { status: 500, headers: [["cache-control", "no-store"]], body: "" }

/** A failure, even of the page that tells it. */
export const failedSafely: typeof failed = (endpoint, cause, message, inquiry, means) =>
  mapped(
    ending(() => failed(endpoint, cause, message, inquiry, means)),
    (exit) => (Exit.isSuccess(exit) ? exit.value : { answer: broken, outcome: "Defect", fault: causeTold(Cause.squash(exit.cause)) }),
  )
