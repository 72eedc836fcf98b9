import type { Decision, ErrorCode, Refusal, Seconds, Trouble } from "../model/index.ts"
import { refuse } from "../model/index.ts"

/** A refusal that a person reads: what the trouble is, in words the page has, and the page's status. */
export interface PageRefusal extends Refusal {
  readonly trouble: Trouble
  readonly status: number
}

/** Refuses a person with a page. */
export const refusePage = (trouble: Trouble, status: number, error: ErrorCode, description: string, reason = description): PageRefusal => ({
  ...refuse(error, description, reason),
  trouble,
  status,
})

/** Refuses an invalid request with a page, 400 and `invalid_request`. */
export const invalidPage = (trouble: Trouble, description: string, reason?: string): PageRefusal =>
  refusePage(trouble, 400, "invalid_request", description, reason)

/** The same refusal with a time after which another try makes sense. */
export const retryLater = (refusal: PageRefusal, retryAfter: Seconds): PageRefusal => ({ ...refusal, retryAfter })

/** The decision a page refusal comes to. */
export const toPage = (refusal: PageRefusal): Extract<Decision, { _tag: "RefusePage" }> => ({
  _tag: "RefusePage",
  refusal,
  trouble: refusal.trouble,
  status: refusal.status,
})
