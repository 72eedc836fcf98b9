import { refuse } from "../model/index.ts"
import type { Params } from "../wire/index.ts"
import { pass, rule } from "./rule.ts"

/** A form, as received by an endpoint for programs. */
export interface FormRequest {
  readonly params: Params
  /** True if the Content-Type is the form encoding. */
  readonly isForm: boolean
  /** Parameters that may be repeated here, in addition to `resource`. */
  readonly repeatable?: ReadonlyArray<string> | undefined
}

/** Requires the body to be a form (RFC 6749 §4.1.3, appendix B). */
export const formEncoded = <Q extends FormRequest, S>(endpoint: string) =>
  rule<Q, S>(`${endpoint}.form`, "RFC 6749 appendix B", (q) =>
    q.isForm ? pass : refuse("invalid_request", "The body must be application/x-www-form-urlencoded.", "another Content-Type, or none"),
  )

/** Returns the parameter names that a trail may contain: those that look like names. */
export const shownNames = (names: ReadonlyArray<string>): string =>
  names
    .slice(0, 5)
    .map((name) => (/^[A-Za-z0-9_.-]{1,40}$/.test(name) ? name : "(not shown)"))
    .join(", ")

/** Forbids repeated parameters (RFC 6749 §3.1, §3.2), except `resource` (RFC 8707 §2). */
export const parametersOnce = <Q extends FormRequest, S>(endpoint: string, cites = "RFC 6749 §3.2") =>
  rule<Q, S>(`${endpoint}.parameters-once`, cites, (q) => {
    const twice = q.params.repeated.filter((name) => name !== "resource" && q.repeatable?.includes(name) !== true)
    return twice.length === 0
      ? pass
      : refuse("invalid_request", "A parameter is sent more than once.", `sent more than once: ${shownNames(twice)}`)
  })
