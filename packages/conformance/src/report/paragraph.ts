import { escaped } from "./xml.ts"

const specifications: Readonly<Record<string, string>> = {
  "OpenID Connect Core": "https://openid.net/specs/openid-connect-core-1_0.html",
  "OpenID Connect Discovery": "https://openid.net/specs/openid-connect-discovery-1_0.html",
  "OpenID Connect Dynamic Client Registration": "https://openid.net/specs/openid-connect-registration-1_0.html",
  "OpenID Connect RP-Initiated Logout": "https://openid.net/specs/openid-connect-rpinitiated-1_0.html",
  "OpenID Connect Session Management": "https://openid.net/specs/openid-connect-session-1_0.html",
  "OpenID Connect Front-Channel Logout": "https://openid.net/specs/openid-connect-frontchannel-1_0.html",
  "OpenID Connect Back-Channel Logout": "https://openid.net/specs/openid-connect-backchannel-1_0.html",
  "OAuth 2.0 Multiple Response Types": "https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html",
  "OAuth 2.0 Form Post Response Mode": "https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html",
  "Initiating User Registration": "https://openid.net/specs/openid-connect-prompt-create-1_0.html",
  "FAPI 2.0 Security Profile": "https://openid.net/specs/fapi-security-profile-2_0-final.html",
  "FAPI 2.0 Message Signing": "https://openid.net/specs/fapi-message-signing-2_0-final.html",
  "CIBA Core": "https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html",
  "FAPI-CIBA": "https://openid.net/specs/openid-financial-api-ciba-ID1.html",
  JARM: "https://openid.net/specs/oauth-v2-jarm-final.html",
  "Client ID Metadata Document": "https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/",
  "OAuth 2.1": "https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1",
  Fetch: "https://fetch.spec.whatwg.org/",
}

/** The name of a specification and the section number, parsed from a citation such as `RFC 6749 §4.1.2`. */
const partsOf = (paragraph: string): { readonly name: string; readonly section: string } => {
  const mark = paragraph.indexOf("§")
  return mark < 0
    ? { name: paragraph.trim(), section: "" }
    : { name: paragraph.slice(0, mark).trim(), section: /^[\w.]*/.exec(paragraph.slice(mark + 1))?.[0].replace(/\.$/, "") ?? "" }
}

/** The URL of a paragraph, as precise as the specification's anchors allow; undefined for an unknown specification. */
export const addressOf = (paragraph: string): string | undefined => {
  const { name, section } = partsOf(paragraph)
  const anchor = section === "" ? "" : `#section-${section}`
  const rfc = /^RFC (\d+)$/.exec(name)?.[1]
  if (rfc !== undefined) return `https://www.rfc-editor.org/rfc/rfc${rfc}${anchor}`
  if (/^draft-[a-z0-9-]+$/.test(name)) return `https://datatracker.ietf.org/doc/html/${name}${anchor}`
  return specifications[name]
}

/** Returns a paragraph as HTML, with a link to its text if its address is known. */
export const linkOf = (paragraph: string): string => {
  const address = addressOf(paragraph)
  return address === undefined ? escaped(paragraph) : `<a href="${escaped(address)}">${escaped(paragraph)}</a>`
}
