import { jwtPart } from "../exchange/jwtPart.ts"
import { type Rewrite, frontIdToken, idTokenOf } from "./change.ts"
import { type Misbehavior, type More, misbehavior } from "./misbehavior.ts"
import type { Level } from "../requirement/requirement.ts"

/** Rewrites ID tokens of token responses and of authorization responses. */
export const both = (rewrite: Rewrite): Misbehavior["transform"] => ({ token: idTokenOf(rewrite), authorization: frontIdToken(rewrite) })

/** Defines a fault of ID tokens, in token responses and in authorization responses. */
export const rewritten = (id: string, title: string, paragraph: string, rewrite: Rewrite, more?: Level | More): Misbehavior =>
  misbehavior(`id-token.${id}`, title, paragraph, both(rewrite), more)

const validation = "OpenID Connect Core §3.1.3.7"

/** Breaks the signature of a token. */
export const broken: Rewrite = ({ jwt }) => {
  const at = jwt.lastIndexOf(".") + 1
  return `${jwt.slice(0, at)}${jwt[at] === "A" ? "B" : "A"}${jwt.slice(at + 1)}`
}

/** Removes the signature of a token and sets `alg` to `none`. */
export const unsigned: Rewrite = ({ header, claims }) => [jwtPart({ ...header, alg: "none" }), jwtPart(claims), ""].join(".")

/** Faults of the signature and the header. In the code flow a client may rely on TLS instead of the signature (§3.1.3.7, step 6). */
export const ofSignatures: ReadonlyArray<Misbehavior> = [
  rewritten("alg-none", "the ID token is not signed (none)", validation, unsigned),
  rewritten(
    "alg-public-key-mac",
    "the ID token has a MAC keyed with the public key (HS256)",
    "RFC 8725 §2.1",
    ({ header, claims }, forge) => forge.macWithPublicKey(header, claims),
  ),
  rewritten(
    "alg-other",
    "the ID token is signed by another algorithm than registered",
    validation,
    ({ header, claims }, forge) => {
      const alg = header.alg === "ES256" ? "RS256" : "ES256"
      const key = forge.keyFor(alg)
      return key === undefined ? undefined : forge.sign({ ...header, alg, kid: key.kid }, claims)
    },
    "SHOULD",
  ),
  rewritten("signature-broken", "the signature of the ID token is broken", validation, broken, "SHOULD"),
  rewritten(
    "signature-broken-es256",
    "the signature of an ID token signed with ES256 is broken",
    validation,
    (token, forge, change) => (token.header.alg === "ES256" ? broken(token, forge, change) : undefined),
    "SHOULD",
  ),
  rewritten(
    "key-embedded",
    "the ID token is signed by a key that it brings along",
    "RFC 8725 §3.10",
    ({ header, claims }, forge) => forge.signAsStranger({ ...header, jwk: forge.stranger }, claims),
    "SHOULD",
  ),
  rewritten(
    "key-address",
    "the ID token is signed by a key whose address it brings along (jku)",
    "RFC 8725 §3.10",
    ({ header, claims }, forge, { planted }) => forge.signAsStranger({ ...header, jku: `${planted}/keys` }, claims),
    "SHOULD",
  ),
  rewritten(
    "certificate-address",
    "the ID token is signed by a key whose certificate's address it brings along (x5u)",
    "RFC 8725 §3.10",
    ({ header, claims }, forge, { planted }) => forge.signAsStranger({ ...header, x5u: `${planted}/certificate` }, claims),
    "SHOULD",
  ),
  rewritten(
    "kid-unknown",
    "the ID token names a key that is not published",
    "OpenID Connect Core §10.1",
    ({ header, claims }, forge) => forge.sign({ ...header, kid: "unknown" }, claims),
    "SHOULD",
  ),
  rewritten(
    "kid-new",
    "each ID token names another key that is not published: the client must not fetch the keys again and again",
    "OpenID Connect Core §10.1.1",
    ({ header, claims }, forge) => forge.sign({ ...header, kid: `unknown-${String(claims["iat"])}-${String(claims["nonce"])}` }, claims),
    { level: "SHOULD", signIns: 3, most: ["keys", 6] },
  ),
  rewritten("crit-unknown", "the ID token demands an extension that nobody knows", "RFC 7515 §4.1.11", ({ header, claims }, forge) =>
    forge.sign({ ...header, crit: ["misbehave"], misbehave: true }, claims),
  ),
]
