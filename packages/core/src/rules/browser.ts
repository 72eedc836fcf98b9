import { type Objection, pass, rule, table } from "./rule.ts"

/** What tells whether a POST came with the browser's own cookies. */
export interface BrowserSeen {
  /** Whether the browser sent no cookie of ours. */
  readonly unknown: boolean
}

/**
 * A POST from another site comes without our cookies, which are SameSite=Lax. Such a browser is sent on by GET, where they come along;
 * it must not be given new ones, or a sign-in that waits in another tab would be lost.
 */
export const browserRules = table<unknown, BrowserSeen, Objection>("browser", [
  rule("browser.known", "RFC 6265bis §5.6.7.1, OpenID Connect Core §3.1.2.1", (_, s) =>
    s.unknown ? { reason: "a POST without our cookies: from another site, or from a browser that keeps none" } : pass,
  ),
])
