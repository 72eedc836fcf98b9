import { objectOf, textOf } from "../exchange/exchange.ts"
import { type Rewrite, isFine, jwtOf, keeping, members } from "./change.ts"
import type { Members } from "./forge.ts"
import { type Misbehavior, type More, type Transform, misbehavior, unusual } from "./misbehavior.ts"
import { signedAgain } from "./ofIdTokens.ts"
import { broken, unsigned } from "./ofSignatures.ts"

const draft = "draft-ietf-oauth-identity-assertion-authz-grant"
const processing = `${draft} §4.4.1`
const assertion = "RFC 7523 §3"

/** The question that decides the verdict, because the provider does not see the server that the ID-JAG is for. */
const asking: More = { question: "Did the other authorization server give an access token for it?" }

const rewritten = (id: string, title: string, paragraph: string, rewrite: Rewrite, more: More = {}): Misbehavior =>
  misbehavior(`id-jag.${id}`, title, paragraph, { "id-jag": jwtOf("access_token", rewrite) }, { ...asking, ...more })

const claims = (id: string, title: string, paragraph: string, change: (found: Members) => Members, more?: More): Misbehavior =>
  rewritten(id, title, paragraph, signedAgain(change), more)

const typed =
  (typ: string): Rewrite =>
  ({ header, claims: found }, forge) =>
    forge.sign({ ...header, typ }, found)

const other = "https://other.example"

/** Replaces the ID-JAG with the client's earlier one. */
const replayed: Transform = (change) => {
  const found = isFine(change.answer) ? textOf(objectOf(change.answer.body)?.["access_token"]) : ""
  const earlier = change.kept["id_jag"]
  if (earlier === undefined) return found === "" ? undefined : keeping(change.answer, { id_jag: found })
  return jwtOf("access_token", () => earlier)(change)
}

const ofSignature: ReadonlyArray<Misbehavior> = [
  rewritten("typ-jwt", "the typ of the ID-JAG is JWT", processing, typed("JWT")),
  rewritten("typ-access-token", "the typ of the ID-JAG is that of an access token", processing, typed("at+jwt")),
  unusual(
    "id-jag.typ-media-type",
    "the typ of the ID-JAG is a whole media type",
    "RFC 7515 §4.1.9",
    { "id-jag": jwtOf("access_token", typed("application/oauth-id-jag+jwt")) },
    asking,
  ),
  misbehavior(
    "id-jag.id-token",
    "the ID token stands in the place of the ID-JAG",
    processing,
    { "id-jag": members((_, { sent }) => ({ access_token: sent.get("subject_token") })) },
    asking,
  ),
  rewritten("alg-none", "the ID-JAG is not signed (none)", assertion, unsigned),
  rewritten("signature-broken", "the signature of the ID-JAG is broken", assertion, broken),
  rewritten("key-strange", "the ID-JAG is signed by a key that is not published", assertion, ({ header, claims: found }, forge) =>
    forge.signAsStranger(header, found),
  ),
  rewritten("key-embedded", "the ID-JAG is signed by a key that it brings along", "RFC 8725 §3.10", ({ header, claims: found }, forge) =>
    forge.signAsStranger({ ...header, jwk: forge.stranger }, found),
  ),
]

const ofClaims: ReadonlyArray<Misbehavior> = [
  claims("iss-other", "the iss of the ID-JAG is another issuer", assertion, () => ({ iss: other })),
  claims("iss-missing", "the iss of the ID-JAG is missing", assertion, () => ({ iss: undefined })),
  claims("sub-missing", "the sub of the ID-JAG is missing", assertion, () => ({ sub: undefined })),
  claims("aud-other", "the ID-JAG is for another server", processing, () => ({ aud: other })),
  claims("aud-additional", "the ID-JAG is for another server, too", processing, ({ aud }) => ({ aud: [aud, other].flat() })),
  claims("aud-missing", "the ID-JAG is for no server", processing, () => ({ aud: undefined })),
  unusual(
    "id-jag.aud-list",
    "the aud of the ID-JAG is a list of one",
    processing,
    {
      "id-jag": jwtOf(
        "access_token",
        signedAgain(({ aud }) => ({ aud: [aud].flat() })),
      ),
    },
    asking,
  ),
  claims("client-other", "the ID-JAG is for another client", processing, () => ({ client_id: "another-client" })),
  claims("client-missing", "the ID-JAG is for no client", processing, () => ({ client_id: undefined })),
  claims("exp-past", "the ID-JAG has expired an hour ago", assertion, ({ iat }) => ({ iat: Number(iat) - 7200, exp: Number(iat) - 3600 })),
  claims("exp-missing", "the ID-JAG never ends", assertion, () => ({ exp: undefined })),
  claims("jti-missing", "the jti of the ID-JAG is missing", `${draft} §3.1`, () => ({ jti: undefined })),
  misbehavior(
    "id-jag.replayed",
    "the ID-JAG is the one that the client got before",
    assertion,
    { "id-jag": replayed },
    { ...asking, level: "MAY", signIns: 2 },
  ),
  claims("cnf-other", "the ID-JAG is bound to a key that nobody has proved", `${draft} §9.8`, () => ({
    cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" },
  })),
  claims("tenant-other", "the ID-JAG is of a tenant that nobody knows", `${draft} §6.1`, () => ({ tenant: "another-tenant" }), {
    level: "SHOULD",
  }),
  claims("resource-other", "the ID-JAG is for a resource of another server", "RFC 8707 §2.2", () => ({ resource: `${other}/api` })),
  claims("details-form", "the authorization_details of the ID-JAG are a text", processing, () => ({ authorization_details: "everything" })),
  claims(
    "scope-wider",
    "the ID-JAG has offline_access and scopes that were neither asked for nor answered",
    processing,
    ({ scope }) => ({ scope: `${textOf(scope)} offline_access misbehave.everything` }),
    { level: "SHOULD", question: "Did the other authorization server give a refresh token, or scopes that the client may not have?" },
  ),
]

/**
 * Faulty and unusual ID-JAGs. The duty is that of the authorization server in their audience. Only the type of the response is the client's
 * to check.
 */
export const ofIdJags: ReadonlyArray<Misbehavior> = [
  ...ofSignature,
  ...ofClaims,
  misbehavior(
    "id-jag.issued-type-other",
    "the answer with the ID-JAG says that it is an access token",
    "RFC 8693 §2.2.1",
    { "id-jag": members(() => ({ issued_token_type: "urn:ietf:params:oauth:token-type:access_token", token_type: "Bearer" })) },
    { level: "SHOULD", question: "Did the client send it to the other authorization server?" },
  ),
]
