import { refuse } from "../model/index.ts"
import type { Params } from "../wire/index.ts"
import { pass, rule } from "./rule.ts"

/** A form as it came to an endpoint for programs. */
export interface FormRequest {
  readonly params: Params
  /** True if the Content-Type named the form encoding. */
  readonly isForm: boolean
  /** Parameters that may come more than once here, beside `resource`. */
  readonly repeatable?: ReadonlyArray<string> | undefined
}

/** The body is a form (RFC 6749 §4.1.3, appendix B). */
export const formEncoded = <Q extends FormRequest, S>(endpoint: string) =>
  rule<Q, S>(`${endpoint}.form`, "RFC 6749 appendix B", (q) =>
    q.isForm ? pass : refuse("invalid_request", "The body must be application/x-www-form-urlencoded.", "another Content-Type, or none"),
  )

/** Names of parameters as a trail may show them: those that look like names. */
export const shownNames = (names: ReadonlyArray<string>): string =>
  names
    .slice(0, 5)
    .map((name) => (/^[A-Za-z0-9_.-]{1,40}$/.test(name) ? name : "(not shown)"))
    .join(", ")

/** No parameter comes twice (RFC 6749 §3.1, §3.2), but `resource` may (RFC 8707 §2). */
export const parametersOnce = <Q extends FormRequest, S>(endpoint: string, cites = "RFC 6749 §3.2") =>
  rule<Q, S>(`${endpoint}.parameters-once`, cites, (q) => {
    const twice = q.params.repeated.filter((name) => name !== "resource" && q.repeatable?.includes(name) !== true)
    return twice.length === 0
      ? pass
      : refuse("invalid_request", "A parameter is sent more than once.", `sent more than once: ${shownNames(twice)}`)
  })
