import { longestKept } from "./length.ts"
import { type PageRefusal, invalidPage } from "./page.ts"
import { type Objection, pass, prove, table } from "./rule.ts"

/**
 * A POST from another site comes without our cookies, which are SameSite=Lax. Such a browser is sent on by GET, where they come along;
 * it must not be given new ones, or a sign-in that waits in another tab would be lost.
 */
export const browserRules = table<{ readonly browser: { readonly unknown: boolean } }, Objection>("browser").rule(
  "browser.known",
  "RFC 6265bis §5.6.7.1, OpenID Connect Core §3.1.2.1",
  ({ browser }) =>
    browser.unknown ? { reason: "a POST without our cookies: from another site, or from a browser that keeps none" } : pass,
)

/** A request that a browser is to make again by GET. */
export interface SentOn {
  /** Path and query; undefined where the body is too long to be written as one at all. */
  readonly to: string | undefined
}

/** Judges whether a request fits into the URL that its browser would be sent on to: a longer one is refused by clients and servers alike. */
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
