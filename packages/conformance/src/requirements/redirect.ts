import type { Requirement } from "../requirement/requirement.ts"
import { isLoopback } from "../target/loopback.ts"
import { redirectUri } from "../target/roles.ts"
import { Untried } from "../target/target.ts"
import { asks, stopped } from "./answer.ts"

/** A request with a redirect URI that must not match the registered one. */
const sentNowhere = (id: string, paragraph: string, title: string, address: (registered: string) => string | undefined): Requirement =>
  asks(`redirect-${id}`, paragraph, title, (t) => ({ redirect_uri: address(redirectUri(t.client("web"))) }), stopped)

/** The same address with another port. It counts as another address, except on the loopback interface (RFC 8252 §7.3). */
const otherPort = (uri: string): string => {
  const url = new URL(uri)
  if (isLoopback(url)) throw new Untried("an address on loopback may have any port (RFC 8252 §7.3)")
  return uri.replace(/^(https?:\/\/[^/?#]+?)(?::\d+)?(?=[/?#]|$)/, `$1:${url.port === "8443" ? "8444" : "8443"}`)
}

/** Redirect URIs. The browser must never be sent to an unregistered address (RFC 9700 §4.1.3). */
export const redirects: ReadonlyArray<Requirement> = [
  sentNowhere(
    "unregistered",
    "RFC 6749 §3.1.2.4",
    "To an address that is not registered the browser is not sent",
    (uri) => `${uri}/elsewhere`,
  ),
  sentNowhere("query-added", "RFC 9700 §4.1.3", "An address with a query added is not a registered one", (uri) => `${uri}?added=1`),
  sentNowhere("fragment", "RFC 6749 §3.1.2", "An address with a fragment is refused", (uri) => `${uri}#fragment`),
  sentNowhere("case", "RFC 9700 §4.1.3", "An address in another case is not a registered one", (uri) =>
    uri.replace(/callback$/, "Callback"),
  ),
  sentNowhere("userinfo", "RFC 9700 §4.1.3", "An address with user information is not a registered one", (uri) =>
    uri.replace("://", "://client@"),
  ),
  sentNowhere("port", "RFC 9700 §4.1.3", "An address with another port is not a registered one", otherPort),
  sentNowhere("path-dots", "RFC 9700 §4.1.3", "An address with dots in its path is not taken for another", (uri) =>
    uri.replace(/\/callback$/, "/elsewhere/../callback"),
  ),
  sentNowhere("slash", "RFC 9700 §4.1.3", "An address with a slash at its end is not the one without", (uri) => `${uri}/`),
  sentNowhere("host", "RFC 9700 §4.1.3", "An address whose host ends as the registered one is not that one", (uri) =>
    uri.replace("://", "://evil-"),
  ),
  sentNowhere("missing", "OpenID Connect Core §3.1.2.1", "An OpenID request without a redirect_uri is refused", () => undefined),
  sentNowhere("script", "RFC 9700 §4.1.3", "An address of the scheme javascript is refused", () => "javascript:alert(1)"),
]
