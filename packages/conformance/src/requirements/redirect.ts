import type { Requirement } from "../requirement/requirement.ts"
import { redirectUri } from "../target/roles.ts"
import { type Case, plain, stopped } from "./answer.ts"

const cases: ReadonlyArray<Case> = [
  {
    id: "redirect-unregistered",
    paragraph: "RFC 6749 §3.1.2.4",
    title: "To an address that is not registered the browser is not sent",
    changes: (t) => ({ redirect_uri: `${redirectUri(t.client("web"))}/elsewhere` }),
    oracle: stopped,
  },
  {
    id: "redirect-query-added",
    paragraph: "RFC 9700 §4.1.3",
    title: "An address with a query added is not a registered one",
    changes: (t) => ({ redirect_uri: `${redirectUri(t.client("web"))}?added=1` }),
    oracle: stopped,
  },
  {
    id: "redirect-fragment",
    paragraph: "RFC 6749 §3.1.2",
    title: "An address with a fragment is refused",
    changes: (t) => ({ redirect_uri: `${redirectUri(t.client("web"))}#fragment` }),
    oracle: stopped,
  },
  {
    id: "redirect-case",
    paragraph: "RFC 9700 §4.1.3",
    title: "An address in another case is not a registered one",
    changes: (t) => ({ redirect_uri: redirectUri(t.client("web")).replace(/callback$/, "Callback") }),
    oracle: stopped,
  },
  {
    id: "redirect-userinfo",
    paragraph: "RFC 9700 §4.1.3",
    title: "An address with user information is not a registered one",
    changes: (t) => ({ redirect_uri: redirectUri(t.client("web")).replace("https://", "https://client@") }),
    oracle: stopped,
  },
  {
    id: "redirect-port",
    paragraph: "RFC 9700 §4.1.3",
    title: "An address with another port is not a registered one",
    changes: (t) => ({ redirect_uri: redirectUri(t.client("web")).replace(/^(https:\/\/[^/]+)/, "$1:8443") }),
    oracle: stopped,
  },
  {
    id: "redirect-path-dots",
    paragraph: "RFC 9700 §4.1.3",
    title: "An address with dots in its path is not taken for another",
    changes: (t) => ({ redirect_uri: redirectUri(t.client("web")).replace(/\/callback$/, "/elsewhere/../callback") }),
    oracle: stopped,
  },
  {
    id: "redirect-slash",
    paragraph: "RFC 9700 §4.1.3",
    title: "An address with a slash at its end is not the one without",
    changes: (t) => ({ redirect_uri: `${redirectUri(t.client("web"))}/` }),
    oracle: stopped,
  },
  {
    id: "redirect-host",
    paragraph: "RFC 9700 §4.1.3",
    title: "An address whose host ends as the registered one is not that one",
    changes: (t) => ({ redirect_uri: redirectUri(t.client("web")).replace("https://", "https://evil-") }),
    oracle: stopped,
  },
  {
    id: "redirect-missing",
    paragraph: "OpenID Connect Core §3.1.2.1",
    title: "An OpenID request without a redirect_uri is refused",
    changes: { redirect_uri: undefined },
    oracle: stopped,
  },
  {
    id: "redirect-script",
    paragraph: "RFC 9700 §4.1.3",
    title: "An address of the scheme javascript is refused",
    changes: { redirect_uri: "javascript:alert(1)" },
    oracle: stopped,
  },
]

/** Redirect URIs: to an address that is not registered, nobody is ever sent (RFC 9700 §4.1.3). */
export const redirects: ReadonlyArray<Requirement> = cases.map(plain)
