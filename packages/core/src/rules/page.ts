import type { Decision, ErrorCode, Refusal, Seconds, Trouble } from "../model/index.ts"
import { refuse } from "../model/index.ts"

/** A refusal for a person, with the trouble that the page describes and the status of the page. */
export interface PageRefusal extends Refusal {
  readonly trouble: Trouble
  readonly status: number
}

/** Refuses with an error page. */
export const refusePage = (trouble: Trouble, status: number, error: ErrorCode, description: string, reason = description): PageRefusal => ({
  ...refuse(error, description, reason),
  trouble,
  status,
})

/** Refuses an invalid request with a page, 400 and `invalid_request`. */
export const invalidPage = (trouble: Trouble, description: string, reason?: string): PageRefusal =>
  refusePage(trouble, 400, "invalid_request", description, reason)

/** Adds the time after which a retry makes sense. */
export const retryLater = (refusal: PageRefusal, retryAfter: Seconds): PageRefusal => ({ ...refusal, retryAfter })

/** Converts a page refusal into a decision. */
export const toPage = (refusal: PageRefusal): Extract<Decision, { _tag: "RefusePage" }> => ({
  _tag: "RefusePage",
  refusal,
  trouble: refusal.trouble,
  status: refusal.status,
})
