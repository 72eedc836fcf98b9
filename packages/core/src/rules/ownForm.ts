import type { Instant, Session } from "../model/index.ts"
import type { Message } from "../wire/index.ts"
import { type PageRefusal, invalidPage, refusePage } from "./page.ts"
import { type ProvingTable, type Rule, pass, prove, rule, table } from "./rule.ts"

/** Reports whether a browser says, by Sec-Fetch-Site, that another origin sends a request. */
export const isForeign = (fetchSite: string | undefined): boolean => fetchSite === "cross-site" || fetchSite === "same-site"

/**
 * A form of the provider's own pages is sent by those pages alone, and a browser says where a request comes from. This stands beside the
 * form's token; a browser that does not say is judged by the token. Authorization and logout requests may come from anywhere (OpenID
 * Connect Core §3.1.2.1, RP-Initiated Logout §2).
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

/** Refuses a form that cannot be one of ours, or is no longer good. */
export const stale = (reason: string): PageRefusal => invalidPage("form_stale", "The form is no longer valid.", reason)

/** A form of ours is sent as one (RFC 6749 appendix B). */
export const sentAsForm = (id: string): Rule<{ readonly isForm: boolean }, unknown, PageRefusal> =>
  rule(id, "RFC 6749 appendix B", ({ isForm }) => (isForm ? pass : stale("another Content-Type than a form's")))

/** The token of a form, and the one that this browser and session must show. */
export interface FormToken {
  readonly csrf: string | undefined
  readonly browser: { readonly sessionCsrf: string }
}

/** A form of ours carries the token of the browser and session that it was shown to. */
export const tokenOfSession = (id: string, cites: string): Rule<FormToken, unknown, PageRefusal> =>
  rule(id, cites, ({ csrf, browser }) =>
    csrf === browser.sessionCsrf ? pass : stale(csrf === undefined ? "no CSRF token" : "a CSRF token of another browser or session"),
  )

/** A form of ours that is sent in a session, where one stands. */
export interface SessionForm extends FormToken {
  readonly isForm: boolean
  readonly now: Instant
  readonly session: Session | undefined
}

/** The answer to a form of ours that asks a person to allow something. */
export interface AllowForm extends FormToken {
  readonly isForm: boolean
  readonly decision: string | undefined
}

/** A person allows or denies by a form of ours that was shown to them. */
export const allowedOrDenied =
  <In extends object, S extends AllowForm>(prefix: string, cites: { readonly csrf: string; readonly decision: string }) =>
  (begun: ProvingTable<In, S, PageRefusal>) =>
    begun
      .include(sentAsForm(`${prefix}.form`))
      .include(tokenOfSession(`${prefix}.csrf`, cites.csrf))
      .establish(`${prefix}.decision`, cites.decision, ({ decision }: AllowForm) =>
        decision === "allow" || decision === "deny" ? prove({ approved: decision === "allow" }) : stale("neither allow nor deny"),
      )
