import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Trouble } from "../model/index.ts"
import { readable, refuse } from "../model/index.ts"
import { OutwardRefused, PortFailed, causeTold, isUncertain } from "../ports/index.ts"
import { ending, mapped, onward } from "../ports/steps.ts"
import type { Endpoint } from "../settle/endpoint.ts"
import type { Inquiry } from "../settle/request.ts"
import { type Contended, sign } from "../settle/settle.ts"
import type { Answer, Message } from "../wire/index.ts"
import { type Written, pageAnswer } from "./pageAnswer.ts"
import { errorJson, type render } from "./render.ts"

/** Seconds until a retry makes sense, if the failed port states none. */
const retryAfter = 2

/** The seconds until a retry that a failed port states. */
const retryAfterOf = (error: PortFailed | Contended): number =>
  error._tag === "PortFailed" && error.cause instanceof OutwardRefused ? error.cause.retryAfter : retryAfter

/** An answer, with the outcome of the request. */
export interface Ending {
  readonly answer: Answer
  readonly outcome: string
  readonly fault: string | undefined
  /** The failure of the pages port, if another page replaced the intended one. */
  readonly failed?: PortFailed | undefined
}

/** The function that renders decisions. */
export interface Writing {
  readonly write: typeof render
}

const descriptions = {
  server_error: "The provider failed. Quote the request id to its operator.",
  temporarily_unavailable: "The provider cannot answer now; nothing was changed. Try again.",
} as const

/** The description for a commit with an unknown outcome. */
const uncertain = "The provider cannot answer now; whether the request was carried out is not known. Try again."

/** Answers instead of an endpoint: with a page, or with JSON for a program. */
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

/** Answers a failure: to the client if the redirect URI is validated (RFC 6749 §4.1.2.1), otherwise directly. */
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

/** Returns the failure of a port or of a commit, even if a synchronous port threw it; undefined for a bug. */
const failureOf = (cause: Cause.Cause<PortFailed | Contended>): PortFailed | Contended | undefined => {
  // An embedder's feature may use its own copy of this package, with another class of failures. The class is therefore only checked for
  // thrown values.
  const failed = cause.reasons.find(Cause.isFailReason)?.error
  if (failed !== undefined) return failed
  const thrown = readable(Cause.squash(cause))
  return thrown instanceof PortFailed ? thrown : undefined
}

/** Answers the failure of an attempt, and describes it for the operator. */
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

/** The last resort, if even the error page cannot be created. */
export const broken: Answer = { status: 500, headers: [["cache-control", "no-store"]], body: "" }

/** Answers a failure, even if its error page fails too. */
export const failedSafely: typeof failed = (endpoint, cause, message, inquiry, means) =>
  mapped(
    ending(() => failed(endpoint, cause, message, inquiry, means)),
    (exit) => (Exit.isSuccess(exit) ? exit.value : { answer: broken, outcome: "Defect", fault: causeTold(Cause.squash(exit.cause)) }),
  )
