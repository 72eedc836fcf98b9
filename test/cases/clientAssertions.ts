import { generateKeyPairSync, sign } from "node:crypto"
import {
  type AssertionParts,
  ask,
  askWith,
  assertionOf,
  carrying,
  jwks,
  keys,
  publishing,
  sharedSecret,
  signingClients,
} from "../support/assertions.ts"
import { basic, post, request } from "../support/flows.ts"
import type { World } from "../support/world.ts"
import { type Case, type Expectation, refused } from "./case.ts"

const site = publishing(keys.ec)
const options = { clients: signingClients, more: { outbound: site.outbound } }
const token: Expectation = { status: 200, json: { token_type: "Bearer", scope: "api.read" } }
const failed = refused("invalid_client", "Client authentication failed.", 401)

const accepts = (title: string, clientId: string, parts: (w: World) => AssertionParts = () => ({})): Case => ({
  title,
  rule: undefined,
  options,
  run: (w) => ask(w, clientId, parts(w)),
  expect: token,
})
const refuses = (title: string, rule: string, clientId: string, parts: (w: World) => AssertionParts): Case => ({
  title,
  rule,
  options,
  run: (w) => ask(w, clientId, parts(w)),
  expect: failed,
})
const claims = (of: Readonly<Record<string, unknown>>) => () => ({ claims: of })
const pem = new TextEncoder().encode(keys.rsa.publicKey.export({ type: "spki", format: "pem" }).toString())

/** A client authenticates at another endpoint, by an assertion made out to it. */
const elsewhere = (endpoint: string, path: string, fields: (token: string) => Record<string, string>, expect: Expectation): Case => ({
  title: `RFC 7521 §4.2: a client authenticates by an assertion at ${endpoint}, whose URL it may be made out to`,
  rule: undefined,
  options,
  run: async (w) => {
    const issued = String((await ask(w, "signs")).json?.["access_token"])
    const assertion = await assertionOf(w, "signs", { claims: { aud: `https://op.example${path}` } })
    return post(w, path, undefined, { ...carrying(assertion), ...fields(issued) })
  },
  expect,
})

/** An assertion that is not signed (RFC 7519 §6). */
const unsigned = (w: World): string =>
  [{ alg: "none" }, { iss: "signs", sub: "signs", aud: "https://op.example", jti: "unsigned", exp: w.now() + 60 }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .concat("")
    .join(".")

const successes: ReadonlyArray<Case> = [
  accepts("RFC 7523 §2.2: a client authenticates by private_key_jwt with a key of its jwks", "signs"),
  accepts("OpenID Connect Core §9: a client authenticates by client_secret_jwt", "hmac"),
  ...(
    [
      ["RS256", keys.rsa],
      ["RS512", keys.rsa],
      ["PS256", keys.rsa],
      ["ES256", keys.ec],
      ["EdDSA", keys.ed],
      ["Ed25519", keys.ed],
    ] as const
  ).map(([alg, { kid, privateKey }]) =>
    accepts(`RFC 7518 §3.1, RFC 8037 §3.1: an assertion of private_key_jwt may be signed by ${alg}`, "signs", () => ({
      header: { alg, kid },
      key: privateKey,
    })),
  ),
  ...["HS256", "HS384", "HS512"].map((alg) =>
    accepts(`RFC 7518 §3.2: an assertion of client_secret_jwt may be signed by ${alg}`, "hmac", () => ({ header: { alg } })),
  ),
  accepts("RFC 7517 §4.5: an assertion that names no key is tried by those that fit", "signs", () => ({ header: { kid: undefined } })),
  accepts("RFC 8725 §3.11: the typ JWT is accepted", "signs", () => ({ header: { typ: "JWT" } })),
  accepts("RFC 7523bis: the typ client-authentication+jwt is accepted", "signs", () => ({
    header: { typ: "client-authentication+jwt" },
  })),
  ...[
    "https://op.example",
    "https://op.example/connect/token",
    ["https://op.example"],
    ["https://elsewhere.example", "https://op.example/connect/token"],
  ].map((aud) => accepts(`RFC 7523 §3 (3): an assertion may be made out to ${JSON.stringify(aud)}`, "signs", claims({ aud }))),
  accepts("RFC 7523bis: a client that must name the issuer alone does so", "careful"),
  accepts("RFC 7523 §3 (4): an assertion may live for an hour", "signs", (w) => ({ claims: { exp: w.now() + 3600 } })),
  accepts("RFC 7519 §2: a moment may have a fraction", "signs", (w) => ({ claims: { exp: w.now() + 59.5, iat: w.now() - 0.5 } })),
  accepts("RFC 7523 §3 (5), (6): a client's clock may be 30 seconds ahead", "signs", (w) => ({
    claims: { nbf: w.now() + 30, iat: w.now() + 30 },
  })),
  accepts("RFC 7523 §3 (6): iat may be left out", "signs", claims({ iat: undefined })),
  {
    title: "RFC 7521 §4.2: the client_id may come along when it is the assertion's",
    rule: undefined,
    options,
    run: async (w) => askWith(w, await assertionOf(w, "signs"), { client_id: "signs" }),
    expect: token,
  },
  {
    title: "OpenID Connect Core §10.1: the keys of a client are fetched from its jwks_uri",
    rule: undefined,
    options,
    run: (w) => {
      site.publish(keys.ec)
      return ask(w, "published")
    },
    expect: token,
  },
  {
    title: "OpenID Connect Core §10.1.1: a key that the fetched set does not have is looked for in a fresh one",
    rule: undefined,
    options,
    run: async (w) => {
      site.publish(keys.ec)
      await ask(w, "published")
      site.publish(keys.next)
      w.pass(10)
      return ask(w, "published", { header: { kid: "next" }, key: keys.next.privateKey })
    },
    expect: token,
  },
  {
    title: "OpenID Connect Core §9: a jti is one client's own",
    rule: undefined,
    options,
    run: async (w) => {
      await ask(w, "signs", { claims: { jti: "same" } })
      return ask(w, "signs too", { claims: { jti: "same" } })
    },
    expect: token,
  },
  elsewhere("the revocation endpoint", "/connect/revocation", (token) => ({ token }), { status: 200 }),
  elsewhere("the introspection endpoint", "/connect/introspect", (token) => ({ token }), {
    status: 200,
    json: { active: true, client_id: "signs" },
  }),
  elsewhere("the device authorization endpoint", "/connect/deviceauthorization", () => ({}), { status: 200, json: { expires_in: 300 } }),
]

// The public members of an RSA key are texts.
const short = generateKeyPairSync("rsa", { modulusLength: 1024 })

/** Clients whose keys are told apart by more than their kid, one whose key is too short, and one that pushes requests. */
const others = [
  { client_id: "kinds", jwks: { keys: [{ ...keys.rsa.jwk, kid: "ec" }, keys.ec.jwk] } },
  { client_id: "twins", jwks: { keys: [{ ...keys.next.jwk, kid: "ec" }, keys.ec.jwk] } },
  { client_id: "weak", jwks: { keys: [{ ...(short.publicKey.export({ format: "jwk" }) as Record<string, string>), kid: "short" }] } },
].map((each) => ({
  ...each,
  token_endpoint_auth_method: "private_key_jwt",
  grant_types: ["client_credentials"],
  response_types: [],
  scope: "api.read",
}))
const pushes = {
  client_id: "pushes",
  token_endpoint_auth_method: "private_key_jwt",
  jwks,
  redirect_uris: ["https://app.example/cb"],
  scope: "openid",
}

const keysOfClients: ReadonlyArray<Case> = [
  ...(["kinds", "twins"] as const).map((clientId): Case => ({
    title: `FAPI 2.0 Security Profile §5.4.3: of two keys with one kid, ${clientId === "kinds" ? "that of its kind" : "the one that signed"} verifies`,
    rule: undefined,
    options: { clients: others },
    run: (w) => ask(w, clientId),
    expect: token,
  })),
  {
    title: "RFC 7518 §3.3: an RSA key that is shorter than 2048 bits verifies nothing",
    rule: "assertion.signature",
    options: { clients: others },
    run: (w) => {
      const now = w.now()
      const text = [
        { alg: "RS256", kid: "short" },
        { iss: "weak", sub: "weak", aud: "https://op.example", jti: "weak", iat: now, exp: now + 60 },
      ]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join(".")
      const signature = sign("sha256", Buffer.from(text), short.privateKey).toString("base64url")
      return post(w, "/connect/token", undefined, { grant_type: "client_credentials", ...carrying(`${text}.${signature}`) })
    },
    expect: failed,
  },
  {
    title: "RFC 7521 §4.2: a client authenticates by an assertion at the endpoint for pushed requests, whose URL it may be made out to",
    rule: undefined,
    options: { clients: [pushes] },
    run: async (w) => {
      const assertion = await assertionOf(w, "pushes", { claims: { aud: "https://op.example/connect/par" } })
      return post(w, "/connect/par", undefined, { ...request("pushes", { scope: "openid", client_id: undefined }), ...carrying(assertion) })
    },
    expect: { status: 201, json: { expires_in: 60 } },
  },
]

const presentations: ReadonlyArray<Case> = [
  {
    title: "RFC 6749 §2.3: an assertion beside a Basic header is refused",
    rule: "client.one-method",
    options,
    run: async (w) => askWith(w, await assertionOf(w, "signs"), {}, { authorization: basic("signs", "x") }),
    expect: refused("invalid_request", "The client authenticates by more than one method."),
  },
  {
    title: "RFC 6749 §2.3: an assertion beside a client_secret is refused",
    rule: "client.one-method",
    options,
    run: async (w) => askWith(w, await assertionOf(w, "hmac"), { client_secret: sharedSecret }),
    expect: refused("invalid_request", "The client authenticates by more than one method."),
  },
  ...["client_assertion", "client_assertion_type"].map((missing): Case => ({
    title: `RFC 7521 §4.2: an assertion without its ${missing} is refused`,
    rule: "client.assertion-whole",
    options,
    run: async (w) => askWith(w, await assertionOf(w, "signs"), { [missing]: "" }),
    expect: refused("invalid_request", "The client_assertion and the client_assertion_type go together."),
  })),
  {
    title: "RFC 7523 §2.2: another client_assertion_type is refused",
    rule: "client.assertion-type",
    options,
    run: async (w) =>
      askWith(w, await assertionOf(w, "signs"), { client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:saml2-bearer" }),
    expect: refused("invalid_client", "The client_assertion_type is not supported.", 401),
  },
  ...["nonsense", "a.b.c", "e30.W10.AA", "e30.e30", "e30.e30.AA.AA.AA"].map((assertion): Case => ({
    title: `RFC 7519 §7.2: the client_assertion "${assertion}" is no signed JWT`,
    rule: "client.assertion-form",
    options,
    run: (w) => askWith(w, assertion, { client_id: "signs" }),
    expect: refused("invalid_client", "The client_assertion cannot be read.", 401),
  })),
  {
    title: "RFC 7521 §4.2: a client_id in the body that is not the assertion's is refused",
    rule: "client.same-id",
    options,
    run: async (w) => askWith(w, await assertionOf(w, "signs"), { client_id: "es256" }),
    expect: refused("invalid_client", "The client_id in the body is not the authenticated client's.", 401),
  },
  {
    title: "RFC 7523 §3 (2): an assertion that names no client is refused",
    rule: "client.present",
    options,
    run: (w) => ask(w, "signs", { claims: { sub: undefined } }),
    expect: refused("invalid_client", "The client_id is missing.", 401),
  },
  refuses("RFC 6749 §5.2: an unknown client is refused as a wrong signature is", "client.known", "nobody", () => ({})),
  refuses("RFC 6749 §5.2: a disabled client is refused with its own key too", "client.enabled", "off", () => ({})),
  refuses("RFC 6749 §2.1: a public client that sends an assertion is refused", "client.secret-unexpected", "open", () => ({})),
  {
    title: "OpenID Connect Core §9: a client of client_secret_jwt may not send its secret in the clear",
    rule: "client.method",
    options,
    run: (w) => post(w, "/connect/token", undefined, { grant_type: "client_credentials" }, { authorization: basic("hmac", sharedSecret) }),
    expect: failed,
  },
  refuses("OpenID Connect Core §9: a client of client_secret_basic may not sign with its secret", "client.method", "basic", () => ({
    header: { alg: "HS256", kid: undefined },
    key: new TextEncoder().encode(sharedSecret),
  })),
  {
    title: "RFC 6749 §3.2.1: a client of private_key_jwt that sends no assertion is refused",
    rule: "client.secret-present",
    options,
    run: (w) => post(w, "/connect/token", undefined, { grant_type: "client_credentials", client_id: "signs" }),
    expect: refused("invalid_client", "The client must authenticate.", 401),
  },
]

const contents: ReadonlyArray<Case> = [
  refuses("RFC 8725 §3.11: an assertion of another typ is another kind of JWT", "assertion.type", "signs", () => ({
    header: { typ: "at+jwt" },
  })),
  refuses("Dynamic Client Registration §2: another algorithm than the registered one is refused", "assertion.algorithm", "es256", () => ({
    header: { alg: "RS256", kid: "rsa" },
    key: keys.rsa.privateKey,
  })),
  refuses("RFC 8725 §2.1: an HMAC made with the client's public key is no signature of it", "assertion.algorithm", "signs", () => ({
    header: { alg: "HS256", kid: "rsa" },
    key: pem,
  })),
  refuses("RFC 8725 §3.1: a client of client_secret_jwt cannot sign by a private key", "assertion.algorithm", "hmac", () => ({
    header: { alg: "ES256" },
    key: keys.ec.privateKey,
  })),
  ...["", "AA"].map((signature): Case => ({
    title: `RFC 8725 §3.1: an assertion of alg none is refused, ${signature === "" ? "unsigned" : "with something for a signature"}`,
    rule: "assertion.algorithm",
    options,
    run: (w) => askWith(w, `${unsigned(w)}${signature}`),
    expect: failed,
  })),
  refuses("RFC 7523 §3 (1): an assertion of another issuer is refused", "assertion.issuer", "signs", claims({ iss: "es256" })),
  {
    title: "RFC 7523 §3 (2): an assertion without a subject is refused, whatever client_id comes along",
    rule: "assertion.subject",
    options,
    run: async (w) => askWith(w, await assertionOf(w, "signs", { claims: { sub: undefined } }), { client_id: "signs" }),
    expect: failed,
  },
  ...[
    "https://elsewhere.example",
    "https://op.example/",
    "https://op.example/connect/userinfo",
    ["https://elsewhere.example"],
    undefined,
    1,
  ].map((aud) =>
    refuses(
      `RFC 7523 §3 (3): an assertion made out to ${aud === undefined ? "nobody" : JSON.stringify(aud)} is refused`,
      "assertion.audience",
      "signs",
      claims({ aud }),
    ),
  ),
  ...["https://op.example/connect/token", ["https://op.example"], ["https://op.example", "https://elsewhere.example"]].map((aud) =>
    refuses(
      `RFC 7523bis: a client that must name the issuer alone may not name ${JSON.stringify(aud)}`,
      "assertion.audience",
      "careful",
      claims({ aud }),
    ),
  ),
  ...[undefined, "tomorrow"].map((exp) =>
    refuses(
      `RFC 7523 §3 (4): an assertion with ${exp === undefined ? "no exp" : `the exp ${exp}`} is refused`,
      "assertion.expires",
      "signs",
      claims({ exp }),
    ),
  ),
  refuses("RFC 7523 §3 (4): an expired assertion is refused", "assertion.fresh", "signs", (w) => ({ claims: { exp: w.now() } })),
  refuses("RFC 7523 §3 (4): an assertion may not live for more than an hour", "assertion.lifetime", "signs", (w) => ({
    claims: { exp: w.now() + 3631 },
  })),
  refuses("RFC 7523 §3 (5): an assertion is refused before its nbf", "assertion.not-before", "signs", (w) => ({
    claims: { nbf: w.now() + 31 },
  })),
  refuses("RFC 7523 §3 (5): an nbf that is no moment is refused", "assertion.not-before", "signs", claims({ nbf: "now" })),
  refuses("RFC 7523 §3 (6): an assertion from the future is refused", "assertion.issued-at", "signs", (w) => ({
    claims: { iat: w.now() + 31 },
  })),
  ...[undefined, "", 7].map((jti) =>
    refuses(
      `OpenID Connect Core §9: an assertion with ${jti === undefined ? "no jti" : `the jti ${JSON.stringify(jti)}`} is refused`,
      "assertion.jti",
      "signs",
      claims({ jti }),
    ),
  ),
]

const proofs: ReadonlyArray<Case> = [
  refuses("RFC 7523 §3 (9): a signature by a stranger's key of the same kid is refused", "assertion.signature", "signs", () => ({
    key: keys.strange.privateKey,
  })),
  refuses("RFC 7523 §3 (9): a signature by another secret is refused", "assertion.signature", "hmac", () => ({
    key: new TextEncoder().encode("f".repeat(64)),
  })),
  refuses("RFC 7518 §3.2: a secret shorter than the algorithm's digest signs nothing", "assertion.signature", "short", () => ({
    header: { alg: "HS512" },
  })),
  {
    title: "OpenID Connect Core §10.1: keys that cannot be fetched verify nothing",
    rule: "assertion.signature",
    options: { clients: signingClients },
    run: (w) => ask(w, "published"),
    expect: failed,
  },
  {
    title: "OpenID Connect Core §9: an assertion is good for one request",
    rule: "assertion.unused",
    options,
    run: async (w) => {
      const assertion = await assertionOf(w, "signs")
      await askWith(w, assertion)
      return askWith(w, assertion)
    },
    expect: failed,
  },
  {
    title: "RFC 7523 §3 (7): a jti is used until its assertion ends, by whichever assertion of the client",
    rule: "assertion.unused",
    options,
    run: async (w) => {
      await ask(w, "signs", { claims: { jti: "same", exp: w.now() + 60 } })
      w.pass(59)
      return ask(w, "signs", { claims: { jti: "same" } })
    },
    expect: failed,
  },
  {
    title: "OpenID Connect Core §9: an assertion is used up by a request that was refused for something else",
    rule: "assertion.unused",
    options,
    run: async (w) => {
      const assertion = await assertionOf(w, "signs")
      const first = await askWith(w, assertion, { grant_type: "password" })
      return first.json?.["error"] === "unauthorized_client" ? askWith(w, assertion) : first
    },
    expect: failed,
  },
]

/** Client authentication by JWTs: RFC 7523, OpenID Connect Core §9. */
export const cases: ReadonlyArray<Case> = [...successes, ...keysOfClients, ...presentations, ...contents, ...proofs]
