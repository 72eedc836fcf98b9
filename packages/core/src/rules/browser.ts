import { longestKept } from "./length.ts"
import { type PageRefusal, invalidPage } from "./page.ts"
import { type Objection, pass, prove, table } from "./rule.ts"

/**
 * A POST from another site has no cookies of ours, because they are SameSite=Lax. Such a browser is redirected to a GET, which includes
 * them. It must not receive new ones, because a sign-in that waits in another tab would be lost.
 */
export const browserRules = table<{ readonly browser: { readonly unknown: boolean } }, Objection>("browser").rule(
  "browser.known",
  "RFC 6265bis §5.6.7.1, OpenID Connect Core §3.1.2.1",
  ({ browser }) =>
    browser.unknown ? { reason: "a POST without our cookies: from another site, or from a browser that keeps none" } : pass,
)

/** A request that a browser repeats by GET. */
export interface SentOn {
  /** Path and query; undefined if the body is too long to be converted at all. */
  readonly to: string | undefined
}

/** Checks that a request fits into a URL, because clients and servers refuse longer ones. */
export const sentOnRules = table<SentOn, PageRefusal>("browser/sent-on").establish(
  "browser.sent-on-length",
  "RFC 9110 §4.1, §15.5.15",
  ({ to }) =>
    to !== undefined && to.length <= longestKept
      ? prove({ to })
      : invalidPage(
          "request_invalid",
          "The request is too long.",
          `a POST without our cookies that takes more than ${longestKept} characters as a URL, and so cannot be sent on by GET`,
        ),
)
