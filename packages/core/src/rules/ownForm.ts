import { type PageRefusal, refusePage } from "./page.ts"
import { pass, rule, table } from "./rule.ts"

/** Reports whether a browser says, by Sec-Fetch-Site, that another origin sends a request. */
export const isForeign = (fetchSite: string | undefined): boolean => fetchSite === "cross-site" || fetchSite === "same-site"

/**
 * A form of the provider's own pages is sent by those pages alone, and a browser says where a request comes from. This stands beside the
 * form's token; a browser that does not say is judged by the token. Authorization and logout requests may come from anywhere (OpenID
 * Connect Core §3.1.2.1, RP-Initiated Logout §2).
 */
export const ownFormRules = table<{ readonly fetchSite: string | undefined }, undefined, PageRefusal>("own-form", [
  rule("own-form.same-origin", "Fetch Metadata §2.3, RFC 6749 §10.12, RFC 9700 §4.7", (q) =>
    isForeign(q.fetchSite)
      ? refusePage("form_stale", 403, "invalid_request", "The form is no longer valid.", `a form that another origin sent: ${q.fetchSite}`)
      : pass,
  ),
])
