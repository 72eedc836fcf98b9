import { jwtPart } from "../exchange/jwtPart.ts"
import { defaultFeatures, type JsonObject } from "@postern/core"
import { decodeJwt, decodeProtectedHeader } from "jose"
import type { Fault } from "./fault.ts"

const near = ["id-token", "response", "userinfo", "refresh", "client-credentials"]

/** The areas that may detect a change of a token type. */
const nearest = { JWT: near, "at+jwt": ["client-credentials", ...near], "logout+jwt": ["backchannel"], "oauth-id-jag+jwt": ["id-jag"] }

type Change = (claims: JsonObject) => JsonObject

/** Signs tokens of one type with changed claims and, if `signedAs` is given, with the `typ` of another type. */
const changed = (
  typ: keyof typeof nearest,
  id: string,
  title: string,
  paragraph: string,
  change: Change,
  signedAs: string = typ,
): Fault => ({
  id: `claims.${id}`,
  title,
  paragraph,
  near: nearest[typ],
  alteration: {
    options: (options) => ({
      ...options,
      signer: {
        ...options.signer,
        sign: (unsigned) =>
          options.signer.sign(unsigned.typ === typ ? { ...unsigned, typ: signedAs, claims: change(unsigned.claims) } : unsigned),
      },
    }),
  },
})

/** Changes some claims. Undefined removes a claim. */
const withClaims =
  (change: (claims: JsonObject) => Readonly<Record<string, JsonObject[string] | undefined>>): Change =>
  (claims) =>
    Object.fromEntries(Object.entries({ ...claims, ...change(claims) }).filter(([, value]) => value !== undefined)) as JsonObject

const inIdToken = (id: string, title: string, paragraph: string, change: Parameters<typeof withClaims>[0]): Fault =>
  changed("JWT", id, title, paragraph, withClaims(change))

const inAccessToken = (id: string, title: string, paragraph: string, change: Parameters<typeof withClaims>[0]): Fault =>
  changed("at+jwt", id, title, paragraph, withClaims(change))

const inLogoutToken = (id: string, title: string, change: Parameters<typeof withClaims>[0]): Fault =>
  changed("logout+jwt", `logout-${id}`, title, "OpenID Connect Back-Channel Logout §2.4", withClaims(change))

const inIdJag = (id: string, title: string, change: Parameters<typeof withClaims>[0]): Fault =>
  changed("oauth-id-jag+jwt", `id-jag-${id}`, title, "draft-ietf-oauth-identity-assertion-authz-grant §3.1", withClaims(change))

/** Changes the header of a signed token without signing it again, so that the signature no longer matches. */
const rewritten = (id: string, title: string, paragraph: string, rewrite: (jwt: string) => string): Fault => ({
  id: `claims.${id}`,
  title,
  paragraph,
  near,
  alteration: {
    options: (options) => ({
      ...options,
      signer: {
        ...options.signer,
        sign: async (unsigned) => {
          const jwt = await options.signer.sign(unsigned)
          return unsigned.typ === "JWT" ? rewrite(jwt) : jwt
        },
      },
    }),
  },
})

const headed = (change: (header: object) => object) => (jwt: string) =>
  [jwtPart(change(decodeProtectedHeader(jwt))), ...jwt.split(".").slice(1)].join(".")

/** Wrong claims and wrong headers of the tokens that are issued. */
export const claimFaults: ReadonlyArray<Fault> = [
  inIdToken("iss-wrong", "names another issuer", "OpenID Connect Core §2", () => ({ iss: "https://other.conformance.test" })),
  inIdToken("iss-missing", "names no issuer", "OpenID Connect Core §2", () => ({ iss: undefined })),
  inIdToken("aud-wrong", "is for another client", "OpenID Connect Core §2", () => ({ aud: "somebody-else" })),
  inIdToken("aud-missing", "is for nobody", "OpenID Connect Core §2", () => ({ aud: undefined })),
  inIdToken("aud-more", "is for others, too", "OpenID Connect Core §3.1.3.7", ({ aud = "" }) => ({ aud: [aud, "somebody-else"] })),
  inIdToken("azp-wrong", "names another authorized party", "OpenID Connect Core §2", () => ({ azp: "somebody-else" })),
  inIdToken("sub-missing", "names no person", "OpenID Connect Core §2", () => ({ sub: undefined })),
  inIdToken("sub-empty", "names a person without a name", "OpenID Connect Core §2", () => ({ sub: "" })),
  inIdToken("sub-changing", "names a person anew each time", "OpenID Connect Core §2", () => ({ sub: Math.random().toString(36) })),
  inIdToken("sub-long", "names a person in 300 characters", "OpenID Connect Core §2", () => ({ sub: "x".repeat(300) })),
  inIdToken("exp-past", "has expired when it is issued", "OpenID Connect Core §2", ({ iat = 0 }) => ({ exp: Number(iat) - 10 })),
  inIdToken("exp-missing", "never expires", "OpenID Connect Core §2", () => ({ exp: undefined })),
  inIdToken("exp-far", "lives for a year", "OpenID Connect Core §2", ({ iat = 0 }) => ({ exp: Number(iat) + 31_536_000 })),
  inIdToken("exp-text", "says when it expires as a text", "OpenID Connect Core §2", ({ exp = 0 }) => ({ exp: `${Number(exp)}` })),
  inIdToken("iat-missing", "does not say when it was issued", "OpenID Connect Core §2", () => ({ iat: undefined })),
  inIdToken("iat-future", "was issued tomorrow", "OpenID Connect Core §2", ({ iat = 0 }) => ({ iat: Number(iat) + 86_400 })),
  inIdToken("nonce-wrong", "has another nonce", "OpenID Connect Core §2", ({ nonce }) => (nonce === undefined ? {} : { nonce: "another" })),
  inIdToken("nonce-missing", "has lost its nonce", "OpenID Connect Core §2", () => ({ nonce: undefined })),
  inIdToken("nonce-made-up", "has a nonce that nobody sent", "OpenID Connect Core §2", ({ nonce = "made up" }) => ({ nonce })),
  inIdToken("auth-time-future", "tells of a sign-in to come", "OpenID Connect Core §2", ({ auth_time }) =>
    auth_time === undefined ? {} : { auth_time: Number(auth_time) + 3600 },
  ),
  inIdToken("auth-time-missing", "does not tell when the person signed in", "OpenID Connect Core §2", () => ({ auth_time: undefined })),
  inIdToken("auth-time-fresh", "tells of a sign-in right now, always", "OpenID Connect Core §2", ({ iat = 0 }) => ({
    auth_time: Number(iat),
  })),
  inIdToken("at-hash-wrong", "has the hash of another access token", "OpenID Connect Core §3.2.2.10", ({ at_hash }) =>
    at_hash === undefined ? {} : { at_hash: "AAAAAAAAAAAAAAAAAAAAAA" },
  ),
  inIdToken("at-hash-missing", "has no hash of the access token", "OpenID Connect Core §3.2.2.10", () => ({ at_hash: undefined })),
  inIdToken("c-hash-wrong", "has the hash of another code", "OpenID Connect Core §3.3.2.11", ({ c_hash }) =>
    c_hash === undefined ? {} : { c_hash: "AAAAAAAAAAAAAAAAAAAAAA" },
  ),
  inIdToken("c-hash-missing", "has no hash of the code", "OpenID Connect Core §3.3.2.11", () => ({ c_hash: undefined })),
  inIdToken("acr-empty", "has an empty acr", "OpenID Connect Core §2", () => ({ acr: "" })),
  inIdToken("amr-text", "has an amr that is no list", "OpenID Connect Core §2", () => ({ amr: "pwd" })),
  inIdToken("too-much", "tells the person's name to everybody", "OpenID Connect Core §5.4", () => ({
    name: "Alice Ant",
    email: "alice@example.com",
  })),
  inIdToken("iat-of-sign-in", "was issued when the person signed in, always", "OpenID Connect Core §2", ({ iat, auth_time = iat }) => ({
    iat: auth_time,
  })),
  inIdToken("claims-lost", "tells nothing of the person where no access token comes", "OpenID Connect Core §5.4", () => ({
    name: undefined,
    email: undefined,
  })),
  {
    ...inIdToken("jarm-state", "leaves the state out of a response as a JWT", "JARM §2.1", ({ code }) =>
      code === undefined ? {} : { state: undefined },
    ),
    near: ["jarm"],
  },
  inAccessToken("access-sub", "gives a client's token to somebody else", "RFC 9068 §2.2", ({ client_id, sub = "" }) =>
    client_id === sub ? { sub: "somebody else" } : {},
  ),
  {
    ...inAccessToken("access-cnf", "leaves out what an access token is bound to", "RFC 8705 §3.1, RFC 9449 §6.1", () => ({
      cnf: undefined,
    })),
    near: ["mutual-tls", "dpop"],
  },
  inAccessToken("access-jti", "leaves the jti out of access tokens", "RFC 9068 §2.2", () => ({ jti: undefined })),
  inAccessToken("access-aud", "issues access tokens for nobody", "RFC 9068 §2.2", () => ({ aud: undefined })),
  inAccessToken("access-client", "leaves the client out of access tokens", "RFC 9068 §2.2", () => ({ client_id: undefined })),
  changed(
    "at+jwt",
    "access-as-id-token",
    "issues access tokens that may be taken for ID tokens",
    "RFC 8725 §3.12",
    (claims) => ({ ...claims, aud: claims["client_id"] ?? "" }),
    "JWT",
  ),
  changed(
    "oauth-id-jag+jwt",
    "id-jag-typ",
    "issues ID-JAGs of another type",
    "draft-ietf-oauth-identity-assertion-authz-grant §3.1",
    (same) => same,
    "JWT",
  ),
  rewritten("alg-none", "signs with none", "RFC 8725 §3.2", (jwt) => `${jwtPart({ alg: "none" })}.${jwt.split(".")[1] ?? ""}.`),
  rewritten("signature-broken", "breaks its signatures", "RFC 7515 §5.2", (jwt) => {
    const at = jwt.lastIndexOf(".") + 1
    return `${jwt.slice(0, at)}${jwt[at] === "A" ? "B" : "A"}${jwt.slice(at + 1)}`
  }),
  inLogoutToken("nonce", "puts a nonce into logout tokens", () => ({ nonce: "n" })),
  inLogoutToken("event", "leaves the event out of logout tokens", () => ({ events: undefined })),
  inLogoutToken("sid", "names another session in logout tokens", () => ({ sid: "another" })),
  inLogoutToken("sub", "names another person in logout tokens", () => ({ sub: "another" })),
  inLogoutToken("aud", "sends logout tokens of another client", () => ({ aud: "another" })),
  inLogoutToken("exp", "sends logout tokens that are good for a day", ({ iat }) => ({ exp: Number(iat) + 86_400 })),
  inLogoutToken("jti", "sends logout tokens of one jti", () => ({ jti: "one" })),
  inIdJag("iss", "issues ID-JAGs in the name of another", () => ({ iss: "https://other.conformance.test" })),
  inIdJag("aud", "issues ID-JAGs for several servers", ({ aud = "" }) => ({ aud: [aud, "https://other.conformance.test"] })),
  inIdJag("client", "leaves the client out of ID-JAGs", () => ({ client_id: undefined })),
  inIdJag("jti", "issues ID-JAGs of one jti", () => ({ jti: "one" })),
  inIdJag("exp", "issues ID-JAGs that never end", () => ({ exp: undefined })),
  inIdJag("auth-time", "tells of a later sign-in in ID-JAGs", ({ auth_time }) => ({ auth_time: Number(auth_time) + 60 })),
  {
    ...inAccessToken("access-auth-time", "tells of a sign-in right now in every access token", "RFC 9068 §2.2.1", ({ iat = 0 }) => ({
      auth_time: iat,
    })),
    near: ["id-jag-bearer"],
  },
  {
    id: "claims.logout-untold",
    title: "tells nobody of a sign-out",
    paragraph: "OpenID Connect Back-Channel Logout §2.5",
    near: ["backchannel"],
    alteration: { options: (options) => ({ ...options, features: defaultFeatures.map((each) => ({ ...each, sessionEndings: [] })) }) },
  },
  rewritten(
    "kid-missing",
    "does not say which key signed",
    "OpenID Connect Core §10.1",
    headed((header) => ({ ...header, kid: undefined })),
  ),
  rewritten(
    "kid-unknown",
    "names a key that is not published",
    "OpenID Connect Core §10.1",
    headed((header) => ({ ...header, kid: "unknown" })),
  ),
  rewritten(
    "crit",
    "demands an extension that nobody knows",
    "RFC 7515 §4.1.11",
    headed((header) => ({ ...header, crit: ["conformance"], conformance: true })),
  ),
  rewritten(
    "jku",
    "brings the address of a key along",
    "RFC 8725 §3.10",
    headed((header) => ({ ...header, jku: "https://other.conformance.test/keys" })),
  ),
  rewritten("claims-of-another", "answers with claims that were not signed", "RFC 7515 §5.2", (jwt) => {
    const [header = "", , signature = ""] = jwt.split(".")
    return [header, jwtPart({ ...decodeJwt(jwt), extra: true }), signature].join(".")
  }),
]
