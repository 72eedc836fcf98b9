import type { Instant, Session } from "../model/index.ts"
import type { Message } from "../wire/index.ts"
import { type PageRefusal, invalidPage, refusePage } from "./page.ts"
import { type ProvingTable, type Rule, pass, prove, rule, table } from "./rule.ts"

/** Reports whether a request comes from another origin, according to Sec-Fetch-Site. */
export const isForeign = (fetchSite: string | undefined): boolean => fetchSite === "cross-site" || fetchSite === "same-site"

/**
 * Requires that a form of the provider comes from its own pages, according to the browser. This complements the form's token; if the
 * browser does not state the origin, only the token counts. Authorization and logout requests may come from anywhere (OpenID Connect Core
 * §3.1.2.1, RP-Initiated Logout §2).
 */
export const ownFormRules = table<{ readonly message: Pick<Message, "headers"> }, PageRefusal>("own-form").rule(
  "own-form.same-origin",
  "Fetch Metadata §2.3, RFC 6749 §10.12, RFC 9700 §4.7",
  ({ message: { headers } }) =>
    isForeign(headers["sec-fetch-site"])
      ? refusePage(
          "form_stale",
          403,
          "invalid_request",
          "The form is no longer valid.",
          `a form that another origin sent: ${headers["sec-fetch-site"]}`,
        )
      : pass,
)

/** Refuses a form that is not one of the provider's, or is stale. */
export const stale = (reason: string): PageRefusal => invalidPage("form_stale", "The form is no longer valid.", reason)

/** Requires that a form is form-encoded (RFC 6749 appendix B). */
export const sentAsForm = (id: string): Rule<{ readonly isForm: boolean }, unknown, PageRefusal> =>
  rule(id, "RFC 6749 appendix B", ({ isForm }) => (isForm ? pass : stale("another Content-Type than a form's")))

/** The token of a form, and the expected one of this browser and session. */
export interface FormToken {
  readonly csrf: string | undefined
  readonly browser: { readonly sessionCsrf: string }
}

/** Requires that a form carries the token of the browser and session in which it was shown. */
export const tokenOfSession = (id: string, cites: string): Rule<FormToken, unknown, PageRefusal> =>
  rule(id, cites, ({ csrf, browser }) =>
    csrf === browser.sessionCsrf ? pass : stale(csrf === undefined ? "no CSRF token" : "a CSRF token of another browser or session"),
  )

/** A form that is submitted in a session, if there is one. */
export interface SessionForm extends FormToken {
  readonly isForm: boolean
  readonly now: Instant
  readonly session: Session | undefined
}

/** The answer to a form that asks a person for permission. */
export interface AllowForm extends FormToken {
  readonly isForm: boolean
  readonly decision: string | undefined
}

/** Requires a valid form with a person's decision to allow or deny. */
export const allowedOrDenied =
  <In extends object, S extends AllowForm>(prefix: string, cites: { readonly csrf: string; readonly decision: string }) =>
  (begun: ProvingTable<In, S, PageRefusal>) =>
    begun
      .include(sentAsForm(`${prefix}.form`))
      .include(tokenOfSession(`${prefix}.csrf`, cites.csrf))
      .establish(`${prefix}.decision`, cites.decision, ({ decision }: AllowForm) =>
        decision === "allow" || decision === "deny" ? prove({ approved: decision === "allow" }) : stale("neither allow nor deny"),
      )
