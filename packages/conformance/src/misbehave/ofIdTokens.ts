import { type Rewrite, frontIdToken, idTokenOf } from "./change.ts"
import type { Level } from "../requirement/requirement.ts"
import type { Members } from "./forge.ts"
import { type Misbehavior, misbehavior, unusual } from "./misbehavior.ts"

const both = (rewrite: Rewrite): Misbehavior["transform"] => ({ token: idTokenOf(rewrite), authorization: frontIdToken(rewrite) })

type Claims = (claims: Members) => Members | undefined

/** Claims changed and signed again with the provider's own key. */
const signedAgain =
  (change: Claims): Rewrite =>
  ({ header, claims }, forge) => {
    const changed = change(claims)
    return changed === undefined ? undefined : forge.sign(header, { ...claims, ...changed })
  }

const claims = (id: string, title: string, paragraph: string, change: Claims, level?: Level): Misbehavior =>
  misbehavior(`id-token.${id}`, title, paragraph, both(signedAgain(change)), level)

const rewritten = (id: string, title: string, paragraph: string, rewrite: Rewrite, level?: Level): Misbehavior =>
  misbehavior(`id-token.${id}`, title, paragraph, both(rewrite), level)

/** Where there is such a claim, another value. */
const ifThere =
  (name: string, value: unknown): Claims =>
  (found) =>
    found[name] === undefined ? undefined : { [name]: value }

const validation = "OpenID Connect Core §3.1.3.7"
const tokens = "OpenID Connect Core §2"
const otherHash = "AAAAAAAAAAAAAAAAAAAAAA"
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const broken: Rewrite = ({ jwt }) => {
  const at = jwt.lastIndexOf(".") + 1
  return `${jwt.slice(0, at)}${jwt[at] === "A" ? "B" : "A"}${jwt.slice(at + 1)}`
}

/** What is wrong with the signature and the header; in the code flow a client may trust TLS in place of the signature (§3.1.3.7, step 6). */
const ofSignatures: ReadonlyArray<Misbehavior> = [
  rewritten("alg-none", "the ID token is not signed (none)", validation, ({ header, claims: found }) =>
    [part({ ...header, alg: "none" }), part(found), ""].join("."),
  ),
  rewritten(
    "alg-public-key-mac",
    "the ID token has a MAC keyed with the public key (HS256)",
    "RFC 8725 §2.1",
    ({ header, claims: found }, forge) => forge.macWithPublicKey(header, found),
  ),
  rewritten(
    "alg-other",
    "the ID token is signed by another algorithm than registered",
    validation,
    ({ header, claims: found }, forge) => {
      const alg = header.alg === "ES256" ? "RS256" : "ES256"
      return forge.sign({ ...header, alg, kid: forge.keys.find((key) => key.alg === alg)?.kid }, found)
    },
    "SHOULD",
  ),
  rewritten("signature-broken", "the signature of the ID token is broken", validation, broken, "SHOULD"),
  rewritten(
    "key-embedded",
    "the ID token is signed by a key that it brings along",
    "RFC 8725 §3.10",
    ({ header, claims: found }, forge) => forge.signAsStranger(header, found),
    "SHOULD",
  ),
  rewritten(
    "kid-unknown",
    "the ID token names a key that is not published",
    "OpenID Connect Core §10.1",
    ({ header, claims: found }, forge) => forge.sign({ ...header, kid: "unknown" }, found),
    "SHOULD",
  ),
  rewritten("crit-unknown", "the ID token demands an extension that nobody knows", "RFC 7515 §4.1.11", ({ header, claims: found }, forge) =>
    forge.sign({ ...header, crit: ["misbehave"], misbehave: true }, found),
  ),
]

/** What is wrong with the claims. */
const ofClaims: ReadonlyArray<Misbehavior> = [
  claims("iss-wrong", "the iss is another issuer", `${validation}.2`, () => ({ iss: "https://other.example" })),
  claims("iss-missing", "the iss is missing", `${validation}.2`, () => ({ iss: undefined })),
  claims("iss-slash", "the iss has a slash more", `${validation}.2`, ({ iss }) => ({ iss: `${String(iss)}/` })),
  claims("aud-wrong", "the aud is another client", `${validation}.3`, () => ({ aud: "another-client" })),
  claims("aud-missing", "the aud is missing", `${validation}.3`, () => ({ aud: undefined })),
  claims("aud-additional", "the aud has a second value that the client does not trust", `${validation}.3`, ({ aud }) => ({
    aud: [aud, "another-client"].flat(),
  })),
  claims("azp-other", "the azp is another client", `${validation}.5`, () => ({ azp: "another-client" }), "SHOULD"),
  claims("exp-past", "the ID token has expired an hour ago", `${validation}.9`, ({ iat }) => ({
    iat: Number(iat) - 7200,
    exp: Number(iat) - 3600,
  })),
  claims("exp-missing", "the exp is missing", tokens, () => ({ exp: undefined })),
  claims("iat-missing", "the iat is missing", tokens, () => ({ iat: undefined })),
  claims("iat-old", "the ID token was issued a day ago", `${validation}.10`, ({ iat }) => ({ iat: Number(iat) - 86_400 }), "MAY"),
  claims("nonce-wrong", "the nonce is another one", `${validation}.11`, ifThere("nonce", "another nonce")),
  claims("nonce-missing", "the nonce is missing though one was sent", `${validation}.11`, ifThere("nonce", undefined)),
  claims("sub-missing", "the sub is missing", tokens, () => ({ sub: undefined })),
  claims(
    "at-hash-wrong",
    "the at_hash is of another access token",
    "OpenID Connect Core §3.1.3.8",
    ifThere("at_hash", otherHash),
    "SHOULD",
  ),
  claims("c-hash-wrong", "the c_hash is of another code", "OpenID Connect Core §3.3.2.10", ifThere("c_hash", otherHash)),
  claims("c-hash-missing", "the c_hash is missing", "OpenID Connect Core §3.3.2.11", ifThere("c_hash", undefined)),
]

const inToken = (rewrite: Rewrite): Misbehavior["transform"] => ({ token: idTokenOf(rewrite) })
const inRefresh = (rewrite: Rewrite): Misbehavior["transform"] => ({ refresh: idTokenOf(rewrite) })
const renewal = "OpenID Connect Core §12.2"

/** What is wrong with ID tokens in some places alone, and what is right. */
export const ofIdTokens: ReadonlyArray<Misbehavior> = [
  ...ofSignatures,
  ...ofClaims,
  unusual("id-token.aud-list", "the aud is a list of one", tokens, both(signedAgain(({ aud }) => ({ aud: [aud].flat() })))),
  misbehavior(
    "refresh.iss-other",
    "the refreshed ID token has another iss",
    renewal,
    inRefresh(signedAgain(() => ({ iss: "https://other.example" }))),
  ),
  misbehavior(
    "refresh.sub-other",
    "the refreshed ID token has another sub",
    renewal,
    inRefresh(signedAgain(() => ({ sub: "somebody else" }))),
  ),
  misbehavior(
    "refresh.aud-other",
    "the refreshed ID token has another aud",
    renewal,
    inRefresh(signedAgain(() => ({ aud: "another-client" }))),
  ),
  misbehavior(
    "id-token.sub-between",
    "the ID tokens of the hybrid flow have different subjects",
    "OpenID Connect Core §3.3.3.6",
    inToken(({ header, claims: found }, forge) =>
      found["c_hash"] === undefined ? undefined : forge.sign(header, { ...found, sub: "somebody else" }),
    ),
  ),
]
