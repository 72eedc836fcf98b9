import { tokenExchangeGrantType } from "@postern/core/grants"
import { asking, cibaGrant } from "../support/asking.ts"
import { authorize, codeFor, post, redeem, request, signedIn, verifier } from "../support/flows.ts"
import { type ProofParts, digest, otherKey, ownKey, part, present, proof, proofKey, prove } from "../support/proofs.ts"
import { type Said, said } from "../support/visitor.ts"
import { type World, type WorldOptions, clients } from "../support/world.ts"
import { type Case, type Expectation, refused, sentBack } from "./case.ts"
import { world as exchanging } from "./tokenExchange.ts"

const path = "/connect/token"
const userinfoPath = "/connect/userinfo"
const machine = { grant_type: "client_credentials", scope: "api.read" }
const bound: Expectation = { status: 200, json: { token_type: "DPoP" } }
const invalid = (description: string): Expectation => refused("invalid_dpop_proof", description)

const takes = (title: string, parts: ProofParts, options: WorldOptions = {}): Case => ({
  title,
  rule: undefined,
  options,
  run: (w) => prove(w, path, "web", machine, parts),
  expect: bound,
})

/** A proof that is refused at the token endpoint, and at userinfo by the same rule, as a resource refuses it. */
interface Negative extends Case {
  readonly atResource: Case
}

const atResource = (title: string, rule: string, description: string, run: Case["run"]): Case => ({
  title: `${title} (userinfo)`,
  rule,
  run,
  expect: refused("invalid_dpop_proof", description, 401),
})

/** Turns a proof that is wrong at the token endpoint into one that is as wrong at userinfo. */
const asWrong = ({ claims = {}, ...parts }: ProofParts): ProofParts => {
  const { htm, htu } = claims as { readonly htm?: unknown; readonly htu?: unknown }
  const swapped = (text: string): string => text.replace(/token|userinfo/, (name) => (name === "token" ? "userinfo" : "token"))
  return {
    ...parts,
    claims: { ...claims, ...(htm === "GET" ? { htm: "POST" } : {}), ...(typeof htu === "string" ? { htu: swapped(htu) } : {}) },
  }
}

const refuses = (title: string, rule: string, description: string, parts: ProofParts | ((w: World) => ProofParts)): Negative => {
  const partsIn = (w: World): ProofParts => (typeof parts === "function" ? parts(w) : parts)
  return {
    title,
    rule,
    run: (w) => prove(w, path, "web", machine, partsIn(w)),
    expect: invalid(description),
    atResource: atResource(title, rule, description, async (w) =>
      present(w, (await codeTokens(w)).json?.["access_token"], asWrong(partsIn(w))),
    ),
  }
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** The same bytes in base64url that is not canonical: of its last letter, a bit after the last byte is set. */
const inOtherLetters = (text: string): string => text.slice(0, -1) + letters.charAt(letters.indexOf(text.slice(-1)) + 1)

/** Asks with a header that is no sound proof as a whole. */
const sends = (title: string, rule: string, description: string, header: (sound: string) => string): Negative => ({
  title,
  rule,
  run: (w) => post(w, path, "web", machine, { dpop: header(proof(w.now(), "POST", path)) }),
  expect: invalid(description),
  atResource: atResource(title, rule, description, async (w) => {
    const token = String((await codeTokens(w)).json?.["access_token"])
    const sound = proof(w.now(), "GET", userinfoPath, { claims: { ath: digest(token) } })
    return said(await w.send({ path: userinfoPath, headers: { authorization: `DPoP ${token}`, dpop: header(sound) } }))
  }),
})

/** A number that is less by one than an odd one. */
const evenOf = (odd: string): string => {
  const bytes = Buffer.from(odd, "base64url")
  return Buffer.concat([bytes.subarray(0, -1), Buffer.of((bytes.at(-1) ?? 1) - 1)]).toString("base64url")
}

const lacks = "The DPoP proof lacks a claim."
const noKey = "The jwk of the DPoP proof is not a key for its alg."
const notTheUrl = "The htu of the DPoP proof is not the URL of the request."
const notNow = "The iat of the DPoP proof is not a time near now."
const isPrivateKey = "The jwk of the DPoP proof is a private or a symmetric key."
const badSignature = "The signature of the DPoP proof is not of its jwk."
const at = (htu: string): ProofParts => ({ claims: { htu } })
const rsa = proofKey("RS256")

const proofs: ReadonlyArray<Case | Negative> = [
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519", "PS256", "RS256"].map((alg) =>
    takes(`RFC 9449 §4.3 (5): a proof is taken that is signed with ${alg}`, { key: proofKey(alg) }),
  ),
  takes("RFC 7515 §4.1.9: the typ of a proof may be a whole media type, in any case", { header: { typ: "Application/DPoP+JWT" } }),
  takes(
    "RFC 9449 §4.3 (9), RFC 3986 §6.2.2: htu is compared by syntax, without query and fragment",
    at("HTTPS://OP.example:443/a/../connect/%74oken?q#f"),
  ),
  takes("RFC 9449 §4.2: claims that are not known are ignored, and so is a nonce that nobody asked for", {
    claims: { color: "red", nonce: "n" },
  }),
  takes("RFC 9449 §4.3: kid and jku of the header change nothing", { header: { kid: "none of ours", jku: "https://evil.example/jwks" } }),
  takes("RFC 9449 §11.1: a proof of a clock that is 10 s ahead is taken", { claims: { iat: 1_795_219_210 } }),
  takes("RFC 9449 §11.1: a proof that is 60 s old is taken", { claims: { iat: 1_795_219_140 } }),
  {
    title: "RFC 9449 §4.3 (9): htu is compared with the public URL of the provider, whatever Host says",
    rule: undefined,
    run: (w) =>
      post(w, path, "web", machine, { dpop: proof(w.now(), "POST", path), host: "evil.example", "x-forwarded-host": "evil.example" }),
    expect: bound,
  },
  sends(
    "RFC 9449 §4.3 (1): two DPoP headers are refused, which arrive as a list",
    "dpop.once",
    "There must be one DPoP header, with one proof.",
    (one) => `${one}, ${one}`,
  ),
  sends("RFC 9449 §4.3 (2): what is no JWT is refused", "dpop.jwt", "The DPoP proof is not a JWT.", () => "proof"),
  sends("RFC 9449 §4.3 (2): an empty header is refused, and not taken for none", "dpop.jwt", "The DPoP proof is not a JWT.", () => ""),
  sends(
    "RFC 9110 §5.4: a proof of more than 8 KB is not read",
    "dpop.length",
    "The DPoP proof is too long.",
    (one) => one + "A".repeat(8192),
  ),
  sends(
    "RFC 9449 §4.3 (6): a broken signature is refused",
    "dpop.signature",
    badSignature,
    (one) => one.slice(0, -8) + (one.endsWith("AAAAAAAA") ? "BBBBBBBB" : "AAAAAAAA"),
  ),
  ...(
    [
      ["white space", (signature: string) => `${signature.slice(0, 9)} ${signature.slice(9)}`],
      ["padding", (signature: string) => `${signature}==`],
      ["a plus sign", (signature: string) => `${signature}+`],
    ] as const
  ).map(([what, change]) =>
    sends(`RFC 7515 §5.2: a signature with ${what} in it is no base64url`, "dpop.signature", badSignature, (one) => {
      const [header, payload, signature = ""] = one.split(".")
      return `${header}.${payload}.${change(signature)}`
    }),
  ),
  sends(
    "RFC 9449 §4.3 (5): a proof that nobody signed is refused",
    "dpop.algorithm",
    "The alg of the DPoP proof is not supported.",
    (one) => `${part({ typ: "dpop+jwt", alg: "none", jwk: ownKey.jwk })}.${one.split(".")[1] ?? ""}.`,
  ),
  refuses("RFC 9449 §4.3 (4): another typ is refused", "dpop.type", "The typ of the DPoP proof is not dpop+jwt.", {
    header: { typ: "JWT" },
  }),
  refuses("RFC 9449 §4.3 (4): and so is none", "dpop.type", "The typ of the DPoP proof is not dpop+jwt.", { header: { typ: undefined } }),
  refuses("RFC 9449 §4.3 (5): a shared secret proves nothing", "dpop.algorithm", "The alg of the DPoP proof is not supported.", {
    header: { alg: "HS256", jwk: { kty: "oct", k: "c2VjcmV0" } },
  }),
  refuses("RFC 9449 §4.3 (7): a private key is refused", "dpop.key-public", isPrivateKey, {
    header: { jwk: ownKey.privateKey.export({ format: "jwk" }) },
  }),
  ...["p", "q", "dp", "dq", "qi", "oth", "k"].map((name) =>
    refuses(`RFC 9449 §4.3 (7): a key with ${name} is no public key`, "dpop.key-public", isPrivateKey, {
      header: { jwk: { ...ownKey.jwk, [name]: "AQAB" } },
    }),
  ),
  refuses("RFC 9449 §4.2: a proof without a key is refused", "dpop.key", noKey, { header: { jwk: undefined } }),
  refuses("RFC 9449 §4.2: a key of another kind than alg says is refused", "dpop.key", noKey, { header: { jwk: rsa.jwk } }),
  refuses("RFC 9449 §4.2: a key of another curve is refused", "dpop.key", noKey, { header: { jwk: { ...ownKey.jwk, crv: "P-384" } } }),
  refuses("RFC 9449 §4.2: a list is no key", "dpop.key", noKey, { header: { jwk: [ownKey.jwk] } }),
  refuses("RFC 7518 §3.3: an RSA key that is shorter than 2048 bits is refused", "dpop.key", noKey, {
    key: rsa,
    header: { jwk: { ...rsa.jwk, n: String(rsa.jwk["n"]).slice(0, 300) } },
  }),
  ...(
    [
      ["ES256", "x"],
      ["ES256", "y"],
      ["EdDSA", "x"],
      ["PS256", "n"],
    ] as const
  ).map(([alg, name]) => {
    const key = alg === "PS256" ? rsa : proofKey(alg)
    return refuses(
      `RFC 4648 §3.5, RFC 7638 §3.1: ${alg}, the same ${name} in other letters would give the key another thumbprint, and is refused`,
      "dpop.key",
      noKey,
      {
        key: { ...key, alg },
        header: { jwk: { ...key.jwk, [name]: inOtherLetters(String(key.jwk[name])) } },
      },
    )
  }),
  ...["e", "n"].map((name) =>
    refuses(`RFC 7518 §6.3.1: a zero before ${name} would give the key another thumbprint, and is refused`, "dpop.key", noKey, {
      key: rsa,
      header: {
        jwk: { ...rsa.jwk, [name]: Buffer.concat([Buffer.of(0), Buffer.from(String(rsa.jwk[name]), "base64url")]).toString("base64url") },
      },
    }),
  ),
  ...(
    [
      ["an exponent of 1, by which everybody's signature is valid", "e", "AQ"],
      ["an even exponent", "e", "AQAA"],
      ["an even modulus", "n", "even"],
    ] as const
  ).map(([what, name, value]) =>
    refuses(`RFC 8017 §3.1: ${what}, is of no RSA key`, "dpop.key", noKey, {
      key: rsa,
      header: { jwk: { ...rsa.jwk, [name]: value === "even" ? evenOf(String(rsa.jwk["n"])) : value } },
    }),
  ),
  refuses("RFC 9449 §4.3 (6): a key that did not sign is refused", "dpop.signature", badSignature, { header: { jwk: otherKey.jwk } }),
  ...["jti", "htm", "htu", "iat"].map((name) =>
    refuses(`RFC 9449 §4.3 (3): a proof without ${name} is refused`, "dpop.claims", lacks, { claims: { [name]: undefined } }),
  ),
  refuses("RFC 9449 §4.2: a jti that is no text is refused", "dpop.claims", lacks, { claims: { jti: 7 } }),
  refuses("RFC 9449 §4.2: an iat that is no number is refused", "dpop.claims", lacks, { claims: { iat: "now" } }),
  refuses(
    "RFC 9449 §11.1: a jti of more than 256 characters is not remembered",
    "dpop.jti-length",
    "The jti of the DPoP proof is too long.",
    {
      claims: { jti: "j".repeat(257) },
    },
  ),
  takes("RFC 9449 §11.1: one of 256 is", { claims: { jti: "j".repeat(256) } }),
  ...["GET", "post", "Post"].map((htm) =>
    refuses(
      `RFC 9449 §4.3 (8): a proof for the method ${htm} is refused`,
      "dpop.method",
      "The htm of the DPoP proof is not the method of the request.",
      { claims: { htm } },
    ),
  ),
  ...[
    "https://other.example/connect/token",
    "http://op.example/connect/token",
    "https://op.example:8443/connect/token",
    "https://op.example/connect/token/",
    "https://op.example/connect/Token",
    "https://op.example/connect/userinfo",
    "https://op.example@evil.example/connect/token",
    "https://someone@op.example/connect/token",
    "https:\\\\op.example\\connect\\token",
    " https://op.example/connect/token",
    "/connect/token",
    `https://op.example/connect/token?${"q".repeat(2048)}`,
  ].map((htu) => refuses(`RFC 9449 §4.3 (9): a proof for ${htu.slice(0, 60)} is refused`, "dpop.address", notTheUrl, at(htu))),
  refuses("RFC 9449 §4.3 (11): a proof that is 61 s old is refused", "dpop.fresh", notNow, (w) => ({ claims: { iat: w.now() - 61 } })),
  refuses("RFC 9449 §4.3 (11): a proof that is 11 s ahead is refused", "dpop.fresh", notNow, (w) => ({ claims: { iat: w.now() + 11 } })),
  refuses(
    "RFC 7519 §4.1.5: a proof that is not yet valid by its nbf is refused",
    "dpop.validity",
    "The DPoP proof is not valid now.",
    (w) => ({
      claims: { nbf: w.now() + 11 },
    }),
  ),
  refuses("RFC 7519 §4.1.4: nor one that has expired by its exp", "dpop.validity", "The DPoP proof is not valid now.", (w) => ({
    claims: { exp: w.now() },
  })),
  {
    title: "RFC 9449 §11.1: the provider's own time for proofs holds",
    rule: "dpop.fresh",
    options: { more: { settings: { dpop_proof_lifetime: 5 } } },
    run: (w) => prove(w, path, "web", machine, { claims: { iat: w.now() - 6 } }),
    expect: invalid(notNow),
  },
]

/** A client sends one proof twice, after a while. */
const twice = async (w: World, seconds: number, second: ProofParts = {}): Promise<Said> => {
  const same = { claims: { jti: "the same", iat: w.now() } }
  await prove(w, path, "web", machine, same)
  w.pass(seconds)
  return prove(w, path, "web", machine, { ...same, ...second })
}

const replays: ReadonlyArray<Case> = [
  {
    title: "RFC 9449 §11.1: a proof that was used is refused",
    rule: "dpop.unused",
    run: (w) => twice(w, 0),
    expect: invalid("The DPoP proof was used before."),
  },
  {
    title: "RFC 9449 §11.1: and still is when it is as old as it may be",
    rule: "dpop.unused",
    run: (w) => twice(w, 60),
    expect: invalid("The DPoP proof was used before."),
  },
  {
    title: "RFC 9449 §4.2: the same jti of another key is another proof",
    rule: undefined,
    run: (w) => twice(w, 0, { key: otherKey }),
    expect: bound,
  },
  {
    title: "RFC 9449 §11.1: the same jti may come again once the first could not",
    rule: undefined,
    run: async (w) => {
      await twice(w, 72)
      return prove(w, path, "web", machine, { claims: { jti: "the same" } })
    },
    expect: bound,
  },
  {
    title: "RFC 9449 §11.1: a proof that an error came of is not used up",
    rule: undefined,
    run: async (w) => {
      const dpop = proof(w.now(), "POST", path)
      await post(w, path, "web", { grant_type: "authorization_code", code: "c_none", redirect_uri: "https://app.example/cb" }, { dpop })
      return post(w, path, "web", machine, { dpop })
    },
    expect: bound,
  },
  {
    title: "RFC 9449 §11.1: a proof that was used at userinfo is refused there",
    rule: "dpop.unused",
    run: async (w) => {
      const token = (await codeTokens(w)).json?.["access_token"]
      await present(w, token, { claims: { jti: "once" } })
      return present(w, token, { claims: { jti: "once" } })
    },
    expect: refused("invalid_dpop_proof", "The DPoP proof was used before.", 401),
  },
]

/** Tokens of a code that are bound to the usual key. */
const codeTokens = async (w: World, clientId = "web", changes: Readonly<Record<string, string>> = {}): Promise<Said> =>
  redeemWith(w, await codeFor(w, clientId, { scope: "openid offline_access", ...changes }), clientId)

const redeemWith = (w: World, code: string, clientId = "web", parts: ProofParts = {}): Promise<Said> =>
  prove(
    w,
    path,
    clientId,
    { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: verifier },
    parts,
  )

const must: WorldOptions = {
  clients: clients.map((each) => (each.client_id === "web" ? { ...each, dpop_bound_access_tokens: true } : each)),
}
const unbound = "The client's tokens must be bound to a key or a certificate."
const jkt = { dpop_jkt: ownKey.jkt }
const otherCode = refused("invalid_grant", "The authorization code is bound to another key.")

/** Pushes a request with a proof, and has it granted. */
const pushed = async (w: World, fields: Readonly<Record<string, string>>, parts: ProofParts | undefined): Promise<Said> => {
  const changes = request("web", { client_id: undefined, ...fields })
  return parts === undefined ? post(w, "/connect/par", "web", changes) : prove(w, "/connect/par", "web", changes, parts)
}
const pushedCode = async (w: World, fields: Readonly<Record<string, string>>, parts: ProofParts | undefined): Promise<string> => {
  const request_uri = String((await pushed(w, fields, parts)).json?.["request_uri"])
  const visitor = await signedIn(w)
  return (await visitor.get("/connect/authorize", { client_id: "web", request_uri })).params["code"] ?? ""
}

const binding: ReadonlyArray<Case> = [
  {
    title: "RFC 9449 §5: without a proof a token is a bearer's",
    rule: undefined,
    run: (w) => post(w, path, "web", machine),
    expect: { status: 200, json: { token_type: "Bearer" } },
  },
  {
    title: "RFC 9449 §5.2: dpop_bound_access_tokens refuses a request without a proof",
    rule: "token.confirmation",
    options: must,
    run: (w) => post(w, path, "web", machine),
    expect: refused("invalid_request", unbound),
  },
  {
    title: "RFC 9449 §5.2: and takes one with a proof",
    rule: undefined,
    options: must,
    run: (w) => prove(w, path, "web", machine),
    expect: bound,
  },
  {
    title: "RFC 9449 §10: a code whose request named a key by dpop_jkt is redeemed with it",
    rule: undefined,
    run: async (w) => redeemWith(w, await codeFor(w, "web", jkt)),
    expect: bound,
  },
  {
    title: "RFC 9449 §10: but with no other",
    rule: "code.confirmation",
    run: async (w) => redeemWith(w, await codeFor(w, "web", jkt), "web", { key: otherKey }),
    expect: otherCode,
  },
  {
    title: "RFC 9449 §10: nor with none",
    rule: "code.confirmation",
    run: async (w) => redeem(w, await codeFor(w, "web", jkt)),
    expect: otherCode,
  },
  {
    title: "RFC 9449 §10: the key that a request names is kept while its person is asked",
    rule: "code.confirmation",
    run: async (w) => {
      const visitor = await signedIn(w)
      const { page } = await authorize(visitor, "asks", jkt)
      const answer = await visitor.submit(page, [["decision", "allow"]])
      const code = answer.params["code"] ?? (await visitor.get(answer.header("location") ?? "")).params["code"] ?? ""
      return redeemWith(w, code, "asks", { key: otherKey })
    },
    expect: otherCode,
  },
  {
    title: "RFC 9449 §10: a dpop_jkt that is no thumbprint is refused",
    rule: "dpop.jkt-form",
    run: async (w) => (await signedIn(w)).get("/connect/authorize", request("web", { dpop_jkt: "key" })),
    expect: sentBack("invalid_request", "The dpop_jkt is not a SHA-256 thumbprint."),
  },
  {
    title: "RFC 9449 §10.1: and cannot be pushed",
    rule: "dpop.jkt-form",
    run: (w) => pushed(w, { dpop_jkt: "key" }, undefined),
    expect: refused("invalid_request", "The dpop_jkt is not a SHA-256 thumbprint."),
  },
  {
    title: "RFC 9449 §10.1: a proof of a pushed request binds the code",
    rule: "code.confirmation",
    run: async (w) => redeemWith(w, await pushedCode(w, {}, {}), "web", { key: otherKey }),
    expect: otherCode,
  },
  {
    title: "RFC 9449 §10.1: to the key that it is of",
    rule: undefined,
    run: async (w) => redeemWith(w, await pushedCode(w, jkt, {})),
    expect: bound,
  },
  {
    title: "RFC 9449 §10.1: a pushed dpop_jkt does too",
    rule: "code.confirmation",
    run: async (w) => redeem(w, await pushedCode(w, jkt, undefined)),
    expect: otherCode,
  },
  {
    title: "RFC 9449 §10.1: a proof and a dpop_jkt must agree",
    rule: "dpop.jkt-proved",
    run: (w) => pushed(w, jkt, { key: otherKey }),
    expect: invalid("The DPoP proof is not of the key that dpop_jkt names."),
  },
  {
    title: "RFC 9449 §5: a wrong proof pushes nothing",
    rule: "dpop.method",
    run: (w) => pushed(w, {}, { claims: { htm: "GET" } }),
    expect: { status: 400, json: { error: "invalid_dpop_proof" } },
  },
  {
    title:
      "RFC 9449 §5: a refresh token of a public client that was bound is not revoked without its key, whatever the client says by then",
    rule: "revocation.confirmation",
    run: async (w) => post(w, "/connect/revocation", "spa", { token: String((await codeTokens(w, "spa")).json?.["refresh_token"]) }),
    expect: refused("invalid_request", "The token is bound to a key or a certificate."),
  },
  {
    title: "RFC 9449 §5: and is with it",
    rule: "refresh.grant-live",
    run: async (w) => {
      const token = String((await codeTokens(w, "spa")).json?.["refresh_token"])
      await prove(w, "/connect/revocation", "spa", { token })
      return prove(w, path, "spa", { grant_type: "refresh_token", refresh_token: token })
    },
    expect: refused("invalid_grant", "The refresh token has been revoked."),
  },
  {
    title: "RFC 9449 §5: that of a confidential client is revoked by whoever authenticates as the client",
    rule: undefined,
    run: async (w) => post(w, "/connect/revocation", "web", { token: String((await codeTokens(w)).json?.["refresh_token"]) }),
    expect: { status: 200 },
  },
  {
    title: "RFC 9449 §6.2: introspection tells the key and the type of a bound token",
    rule: undefined,
    run: async (w) => {
      const { json } = await prove(w, path, "opaque", machine)
      return post(w, "/connect/introspect", "api", { token: String(json?.["access_token"]) })
    },
    expect: { status: 200, json: { active: true, token_type: "DPoP", cnf: { jkt: ownKey.jkt } } },
  },
]

const wrongToken = (description: string, error = "invalid_token"): Expectation => refused(error, description, 401)

const resource: ReadonlyArray<Case> = [
  ...["web", "opaque", "spa"].map((clientId): Case => ({
    title: `RFC 9449 §7.1: userinfo takes a bound token with a proof of its key (${clientId})`,
    rule: undefined,
    run: async (w) => present(w, (await codeTokens(w, clientId)).json?.["access_token"]),
    expect: { status: 200, json: { sub: "sub-alice" } },
  })),
  {
    title: "RFC 9449 §7.1: userinfo takes no stolen token with a proof of the thief's own key",
    rule: "userinfo.token-bearer",
    run: async (w) => present(w, (await codeTokens(w)).json?.["access_token"], { key: otherKey }),
    expect: wrongToken("The access token is not valid."),
  },
  {
    title: "RFC 9449 §4.3 (12): nor with a proof for another token, and says by which algorithms proofs are signed",
    rule: "dpop.access-token",
    run: async (w) => present(w, (await codeTokens(w)).json?.["access_token"], { claims: { ath: digest("another") } }),
    expect: {
      ...wrongToken("The ath of the DPoP proof is not the hash of the access token.", "invalid_dpop_proof"),
      headers: {
        "www-authenticate":
          'DPoP realm="postern", error="invalid_dpop_proof", error_description="The ath of the DPoP proof is not the hash of the access token.", algs="ES256 ES384 ES512 EdDSA Ed25519 PS256 PS384 PS512 RS256 RS384 RS512"',
      },
    },
  },
  {
    title: "RFC 9449 §7.1: nor with none",
    rule: "userinfo.token-bearer",
    run: async (w) => {
      const token = String((await codeTokens(w)).json?.["access_token"])
      return said(await w.send({ path: "/connect/userinfo", headers: { authorization: `DPoP ${token}` } }))
    },
    expect: wrongToken("The access token is not valid."),
  },
  {
    title: "RFC 9449 §7.2: a request without a token is told of both schemes",
    rule: "userinfo.token-present",
    run: async (w) => said(await w.send({ path: "/connect/userinfo" })),
    expect: {
      ...wrongToken("An access token is needed."),
      headers: {
        "www-authenticate": 'Bearer realm="postern", DPoP algs="ES256 ES384 ES512 EdDSA Ed25519 PS256 PS384 PS512 RS256 RS384 RS512"',
      },
    },
  },
  {
    title: "RFC 9449 §7.2: a bound token is none of a bearer's, though its key is proved",
    rule: "userinfo.token-scheme",
    run: async (w) => present(w, (await codeTokens(w)).json?.["access_token"], {}, "Bearer"),
    expect: wrongToken("The access token is not valid."),
  },
  {
    title: "RFC 9449 §7.1: a bearer's token is not made a bound one by a proof",
    rule: "userinfo.token-scheme",
    run: async (w) => present(w, (await redeem(w, await codeFor(w))).json?.["access_token"]),
    expect: wrongToken("The access token is not valid."),
  },
  {
    title: "RFC 9449 §4.3 (8), RFC 9110 §9.3.2: a HEAD is answered as a GET is, and its proof is one for HEAD",
    rule: undefined,
    run: (w) => headed(w, "HEAD"),
    expect: { status: 200 },
  },
  {
    title: "RFC 9449 §4.3 (8), RFC 9110 §9.3.2: a proof for GET is none for HEAD",
    rule: "dpop.method",
    run: (w) => headed(w, "GET"),
    expect: wrongToken("The htm of the DPoP proof is not the method of the request.", "invalid_dpop_proof"),
  },
  {
    title: "RFC 9449 §7.1: the scheme may be written in any case",
    rule: undefined,
    run: async (w) => present(w, (await codeTokens(w)).json?.["access_token"], {}, "dpop"),
    expect: { status: 200, json: { sub: "sub-alice" } },
  },
]

/** Sends a HEAD to userinfo, with a proof for some method. */
const headed = async (w: World, htm: string): Promise<Said> => {
  const token = String((await codeTokens(w)).json?.["access_token"])
  const dpop = proof(w.now(), htm, userinfoPath, { claims: { ath: digest(token) } })
  return said(await w.send({ method: "HEAD", path: userinfoPath, headers: { authorization: `DPoP ${token}`, dpop } }))
}

const nonces: WorldOptions = { more: { settings: { require_dpop_nonces: true } } }
const needsNonce = refused("use_dpop_nonce", "The DPoP proof needs a nonce of the server.")

/** Asks for a nonce by a request without one. */
const nonceOf = async (w: World): Promise<string> => (await prove(w, path, "web", machine)).header("dpop-nonce") ?? ""

/** A request with a nonce of a while ago. */
const later = async (w: World, seconds: number, claims: Readonly<Record<string, unknown>> = {}): Promise<Said> => {
  const nonce = await nonceOf(w)
  w.pass(seconds)
  return prove(w, path, "web", machine, { claims: { nonce, ...claims } })
}

const demanded: ReadonlyArray<Case> = [
  {
    title: "RFC 9449 §8: a proof without a nonce is asked for one",
    rule: "dpop.nonce",
    options: nonces,
    run: (w) => prove(w, path, "web", machine),
    expect: { ...needsNonce, headers: { "cache-control": "no-store" } },
  },
  {
    title: "RFC 9449 §8: a proof with the nonce of the answer is taken",
    rule: undefined,
    options: nonces,
    run: (w) => later(w, 0),
    expect: bound,
  },
  {
    title: "RFC 9449 §8.2: and for a period after the next has begun",
    rule: undefined,
    options: nonces,
    run: (w) => later(w, 119, { iat: 1_795_219_319 }),
    expect: bound,
  },
  {
    title: "RFC 9449 §8: a nonce of long ago is answered with a new one",
    rule: "dpop.nonce",
    options: nonces,
    run: (w) => later(w, 120),
    expect: needsNonce,
  },
  {
    title: "RFC 9449 §4.3 (11): a nonce tells the time where the client's clock is an hour behind",
    rule: undefined,
    options: nonces,
    run: async (w) => later(w, 0, { iat: w.now() - 3600 }),
    expect: bound,
  },
  {
    title: "FAPI 2.0 Security Profile §5.3.2.1 (13): but a proof that is more than 60 s ahead is refused with any",
    rule: "dpop.fresh",
    options: nonces,
    run: async (w) => later(w, 0, { iat: w.now() + 61 }),
    expect: invalid(notNow),
  },
  ...["x", "0.x", `${(1_795_219_200).toString(36)}.${"A".repeat(43)}`, `zzzzzzzz.${"A".repeat(43)}`, 7].map((nonce): Case => ({
    title: `RFC 9449 §8: a nonce that is none of ours is answered with one (${String(nonce).slice(0, 12)})`,
    rule: "dpop.nonce",
    options: nonces,
    run: (w) => prove(w, path, "web", machine, { claims: { nonce } }),
    expect: needsNonce,
  })),
  {
    title: "RFC 9449 §8: pushed requests are asked for a nonce too",
    rule: "dpop.nonce",
    options: nonces,
    run: (w) => pushed(w, {}, {}),
    expect: needsNonce,
  },
  {
    title: "RFC 9449 §9: userinfo asks for a nonce by its challenge, and takes none of the token endpoint's",
    rule: "dpop.nonce",
    options: nonces,
    run: async (w) => {
      const nonce = await nonceOf(w)
      const { json } = await redeemWith(w, await codeFor(w), "web", { claims: { nonce } })
      return present(w, json?.["access_token"], { claims: { nonce } })
    },
    expect: refused("use_dpop_nonce", "The DPoP proof needs a nonce of the server.", 401),
  },
  {
    title: "RFC 9449 §9: and takes its own",
    rule: undefined,
    options: nonces,
    run: async (w) => {
      const { json } = await redeemWith(w, await codeFor(w), "web", { claims: { nonce: await nonceOf(w) } })
      const nonce = (await present(w, json?.["access_token"])).header("dpop-nonce")
      return present(w, json?.["access_token"], { claims: { nonce } })
    },
    expect: { status: 200, json: { sub: "sub-alice" } },
  },
  {
    title: "RFC 9449 §4.3 (10): a nonce of ours in another way of writing is none of ours",
    rule: "dpop.nonce",
    options: nonces,
    run: async (w) => prove(w, path, "web", machine, { claims: { nonce: `0${await nonceOf(w)}` } }),
    expect: needsNonce,
  },
  {
    title: "RFC 9449 §11.1: a proof with a nonce is good once, for as long as its nonce is",
    rule: "dpop.unused",
    options: nonces,
    run: async (w) => {
      const nonce = await nonceOf(w)
      const same = { claims: { nonce, jti: "again", iat: w.now() } }
      await prove(w, path, "web", machine, same)
      w.pass(119)
      return prove(w, path, "web", machine, same)
    },
    expect: invalid("The DPoP proof was used before."),
  },
]

const askDevice = (w: World, parts: ProofParts): Promise<Said> =>
  prove(w, "/connect/deviceauthorization", "screen", { scope: "openid" }, parts)

const askPerson = (w: World, parts: ProofParts): Promise<Said> =>
  prove(w, "/connect/ciba", "till", { scope: "openid", login_hint: "sub-alice" }, parts)

/** An endpoint judges a proof that it is sent, though it gives no token (RFC 9449 §5). */
const judgedBy = (what: string, ask: typeof askDevice, options: WorldOptions): ReadonlyArray<Case> => [
  {
    title: `RFC 9449 §5: ${what} with a sound proof is taken`,
    rule: undefined,
    options,
    run: (w) => ask(w, {}),
    expect: { status: 200, json: { expires_in: 300 } },
  },
  {
    title: `RFC 9449 §5: ${what} with a proof for another method is refused`,
    rule: "dpop.method",
    options,
    run: (w) => ask(w, { claims: { htm: "GET" } }),
    expect: invalid("The htm of the DPoP proof is not the method of the request."),
  },
  {
    title: `RFC 9449 §8: ${what} without a nonce is asked for it, where the provider demands one`,
    rule: "dpop.nonce",
    options: withNonces(options),
    run: (w) => ask(w, {}),
    expect: needsNonce,
  },
  {
    title: `RFC 9449 §11.1: a proof that was used for ${what} is refused`,
    rule: "dpop.unused",
    options,
    run: async (w) => {
      await ask(w, { claims: { jti: "once" } })
      return ask(w, { claims: { jti: "once" } })
    },
    expect: invalid("The DPoP proof was used before."),
  },
]

const withNonces = (options: WorldOptions): WorldOptions => ({ ...options, more: { ...options.more, ...nonces.more } })

/** A poll that was asked for a nonce is none: it changes nothing, so that the next may come at once (RFC 9449 §8, RFC 8628 §3.5, CIBA Core §7.3). */
const polledAgain = (
  what: string,
  begin: (w: World, nonce: string) => Promise<Readonly<Record<string, string>>>,
  clientId: string,
  options: WorldOptions,
): Case => ({
  title: `RFC 9449 §8: ${what} that is asked for a nonce may be sent again at once, with it`,
  rule: "dpop.nonce",
  options: withNonces(options),
  run: async (w) => {
    const nonce = await nonceOf(w)
    const fields = await begin(w, nonce)
    const first = await prove(w, path, clientId, fields)
    const again = await prove(w, path, clientId, fields, { claims: { nonce: first.header("dpop-nonce") } })
    return { ...again, json: { first: first.json?.["error"], again: again.json?.["error"] } }
  },
  expect: { status: 400, json: { first: "use_dpop_nonce", again: "authorization_pending" } },
})

const devices = [
  ...judgedBy("a device request", askDevice, {}),
  ...judgedBy("a backchannel request", askPerson, asking()),
  polledAgain(
    "the poll of a device",
    async (w, nonce) => ({
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: String((await askDevice(w, { claims: { nonce } })).json?.["device_code"]),
    }),
    "screen",
    {},
  ),
  polledAgain(
    "the poll of a backchannel request",
    async (w, nonce) => ({ grant_type: cibaGrant, auth_req_id: String((await askPerson(w, { claims: { nonce } })).json?.["auth_req_id"]) }),
    "till",
    asking(),
  ),
]

const accessTokenType = "urn:ietf:params:oauth:token-type:access_token"

/** Exchanges a bound token, with another as the actor's where it is given; nothing is proved. */
const exchanges = async (w: World, actor: boolean): Promise<Said> => {
  const code = await codeFor(w, "web", { scope: "openid api.read" })
  const value = String((await redeemWith(w, code)).json?.["access_token"])
  const acting = actor ? { actor_token: value, actor_token_type: accessTokenType } : {}
  const fields = { grant_type: tokenExchangeGrantType, subject_token: value, subject_token_type: accessTokenType, ...acting }
  return post(w, path, "orders", fields)
}

const meant = { introspection_resources: ["https://api.example"] }
const mayExchange = { clients: ["web"], actors: ["web"], impersonation: true }
const notProved = (name: string): Expectation =>
  refused("invalid_request", `The ${name}_token is bound to a key or a certificate that the request does not prove.`)

const exchanged: ReadonlyArray<Case> = [
  {
    title: "RFC 8693 §2.2.2, RFC 9449 §7.1: a bound token is not exchanged without a proof of its key",
    rule: "token-exchange.subject-proved",
    options: exchanging(mayExchange, meant),
    run: (w) => exchanges(w, false),
    expect: notProved("subject"),
  },
  {
    title: "RFC 8693 §2.2.2, RFC 9449 §7.1: a resource server that it is meant for had that proved, where its policy says so",
    rule: undefined,
    options: exchanging({ ...mayExchange, bound_tokens: true }, meant),
    run: (w) => exchanges(w, false),
    expect: { status: 200, json: { token_type: "Bearer" } },
  },
  {
    title: "RFC 8693 §2.2.2, RFC 9449 §7.1: nobody acts with a bound token without a proof of its key, whatever the policy",
    rule: "token-exchange.actor-proved",
    options: exchanging({ ...mayExchange, bound_tokens: true }, meant),
    run: (w) => exchanges(w, true),
    expect: notProved("actor"),
  },
]

/** Proofs of possession: RFC 9449. */
export const cases: ReadonlyArray<Case> = [
  ...proofs,
  ...proofs.flatMap((each) => ("atResource" in each ? each.atResource : [])),
  ...replays,
  ...binding,
  ...resource,
  ...demanded,
  ...devices,
  ...exchanged,
]
