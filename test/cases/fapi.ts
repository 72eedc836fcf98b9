import { defaultFeatures } from "@postern/core"
import { CompactSign } from "jose"
import { createHash } from "node:crypto"
import { type AssertionParts, ask, assertionOf, carrying, jwks, keys } from "../support/assertions.ts"
import { claimsOf, post, redeem, request, signedIn, tokensFor, userinfo, verifier } from "../support/flows.ts"
import { type ProofParts, proof, proofKey } from "../support/proofs.ts"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, clients, issuer } from "../support/world.ts"
import { type Case, type Expectation, refused, sentBack, shown } from "./case.ts"

const code = {
  grant_types: ["authorization_code", "refresh_token", "client_credentials"],
  redirect_uris: ["https://app.example/cb"],
  scope: "openid offline_access api.read",
  require_consent: false,
  authorization_code_lifetime: 300,
}
const signing = {
  token_endpoint_auth_method: "private_key_jwt",
  jwks,
  authorization_signed_response_alg: "ES256",
  id_token_signed_response_alg: "ES256",
  access_token_signed_response_alg: "ES256",
  ...code,
} as const

/** A client of FAPI 1.0 Advanced. */
const older = {
  client_id: "older",
  profile: "fapi1-advanced",
  ...signing,
  grant_types: [...code.grant_types, "implicit"],
  response_types: ["code", "code id_token"],
} as const

/** Claims of a request for a code and the ID token that signs the response. */
const hybrid = { response_type: "code id_token", response_mode: undefined, nonce: "n".repeat(64) }

/** Clients of each profile. Some have metadata that registration would refuse today: rows from before the profile was set. */
const options: WorldOptions = {
  clients: [
    { client_id: "bank", profile: "fapi2-security", ...signing },
    { client_id: "liberal", ...signing },
    { client_id: "secretive", profile: "fapi2-security", client_secret: "secret of secretive", ...code },
    { client_id: "spa", profile: "fapi2-security", token_endpoint_auth_method: "none", ...code },
    { client_id: "signed", profile: "fapi2-message-signing", ...signing },
    older,
  ],
}

/** A client whose responses no algorithm is registered for. */
const unsigned: WorldOptions = {
  clients: [{ client_id: "bank", profile: "fapi2-security", ...signing, authorization_signed_response_alg: "RS256" }],
}

const rs256 = refused("unauthorized_client", "The client may not have its answer signed by this algorithm.")

/** Clients whose rows are older than their profiles: RS256 signs what they name no algorithm for. */
const aged = (more: object): WorldOptions => ({
  clients: [
    { client_id: "bank", profile: "fapi2-security", ...signing, ...more },
    {
      client_id: "older",
      profile: "fapi1-advanced",
      ...signing,
      grant_types: [...code.grant_types, "implicit"],
      response_types: ["code id_token"],
      ...more,
    },
  ],
})

const machine = { grant_type: "client_credentials", scope: "api.read" }
const path = "/connect/token"
const failed = refused("invalid_client", "Client authentication failed.", 401)
const bound: Expectation = { status: 200, json: { token_type: "DPoP" } }

/** Sends a request of a client that authenticates by an assertion, with a proof where it is given. */
const send = async (
  w: World,
  clientId: string,
  at: string,
  fields: Readonly<Record<string, string>>,
  parts?: ProofParts,
  assertion: AssertionParts = {},
) =>
  post(
    w,
    at,
    undefined,
    { ...fields, ...carrying(await assertionOf(w, clientId, assertion)) },
    parts === undefined ? {} : { dpop: proof(w.now(), "POST", at, parts) },
  )

const asserting = (title: string, rule: string | undefined, assertion: AssertionParts, clientId = "bank"): Case => ({
  title,
  rule,
  options,
  run: (w) => send(w, clientId, path, machine, {}, assertion),
  expect: rule === undefined ? bound : failed,
})

const authentication: ReadonlyArray<Case> = [
  {
    title: "FAPI 2.0 Security Profile §5.3.2.1 (6): a client held to it does not authenticate by a secret",
    rule: "client.method-profile",
    options,
    run: (w) => post(w, path, "secretive", machine),
    expect: failed,
  },
  {
    title: "RFC 7662 §2.1: a resource server, which gets no tokens, may, as it may be registered for that",
    rule: "introspection.known",
    options: {
      clients: [
        {
          client_id: "api",
          profile: "fapi2-security",
          client_secret: "secret of api",
          grant_types: [],
          response_types: [],
          introspection_resources: ["https://api.example"],
        },
      ],
    },
    run: (w) => post(w, "/connect/introspect", "api", { token: "none" }),
    expect: { status: 200, json: { active: false } },
  },
  {
    title: "FAPI 2.0 Security Profile §5.3.2.1 (3): nor is it a public one",
    rule: "client.method-profile",
    options,
    run: (w) => redeem(w, "c_none", "spa"),
    expect: failed,
  },
  asserting("FAPI 2.0 Security Profile §5.3.2.1 (8): its assertions are made out to the issuer", undefined, {}),
  asserting("FAPI 2.0 Security Profile §5.3.2.1 (8): and not to the token endpoint", "assertion.audience", {
    claims: { aud: `${issuer}${path}` },
  }),
  asserting("FAPI 2.0 Security Profile §5.3.2.1 (8): nor to a list, be the issuer all that is in it", "assertion.audience", {
    claims: { aud: [issuer] },
  }),
  asserting(
    "FAPI 2.0 Security Profile §5.3.2.1 (8): another client's may be",
    undefined,
    { claims: { aud: [issuer, `${issuer}${path}`] } },
    "liberal",
  ),
  asserting("FAPI 2.0 Security Profile §5.4.1 (1): it does not sign with RS256", "assertion.algorithm", {
    header: { alg: "RS256", kid: "rsa" },
    key: keys.rsa.privateKey,
  }),
  asserting("FAPI 2.0 Security Profile §5.4.1 (1): but with PS256", undefined, {
    header: { alg: "PS256", kid: "rsa" },
    key: keys.rsa.privateKey,
  }),
]

const unproved = refused("invalid_request", "The client's tokens must be bound to a key or a certificate.")

const constraint: ReadonlyArray<Case> = [
  {
    title: "FAPI 2.0 Security Profile §5.3.2.1 (4): a client held to it gets no bearer token",
    rule: "token.confirmation-profile",
    options,
    run: (w) => ask(w, "bank"),
    expect: unproved,
  },
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): nor one by a proof that RS256 has signed",
    rule: "dpop.algorithm-profile",
    options,
    run: (w) => send(w, "bank", path, machine, { key: proofKey("RS256") }),
    expect: refused("invalid_dpop_proof", "The alg of the DPoP proof is not allowed for this client."),
  },
  {
    title: "FAPI 1.0 Part 2 §5.2.2 (5): a client held to it gets none by the proof of a key",
    rule: "token.confirmation-profile",
    options,
    run: (w) => send(w, "older", path, machine, {}),
    expect: refused("invalid_request", "The client's tokens must be bound to a certificate."),
  },
]

const push = (w: World, clientId: string, fields: Readonly<Record<string, string | undefined>> = {}): Promise<Said> =>
  send(w, clientId, "/connect/par", request(clientId, { scope: "openid offline_access", ...fields }))

/** Has a pushed request granted, and returns the answer. */
const granted = async (w: World, clientId: string, fields: Readonly<Record<string, string | undefined>> = {}): Promise<Said> => {
  const { json } = await push(w, clientId, fields)
  return (await signedIn(w)).get("/connect/authorize", { client_id: clientId, request_uri: String(json?.["request_uri"]) })
}

/** Pushed requests, of a provider whose own live for as long as may be. */
const lives: ReadonlyArray<Case> = [
  {
    title: "FAPI 2.0 Security Profile §5.3.2.2 (12): a request_uri is good for less than 600 s, however long those of other clients are",
    rule: "pushed-request.fresh",
    options: { ...options, more: { settings: { pushed_authorization_request_lifetime: 600 } } },
    run: async (w) => {
      const { json } = await push(w, "bank")
      const query = { client_id: "bank", request_uri: String(json?.["request_uri"]) }
      w.pass(598)
      const before = await w.visitor().get("/connect/authorize", query)
      if (json?.["expires_in"] !== 599 || before.to !== "/login") throw new Error(`${JSON.stringify(json)}, ${before.status}`)
      w.pass(1)
      return w.visitor().get("/connect/authorize", query)
    },
    expect: shown("interaction_expired", "invalid_request_uri"),
  },
]

const tokens = async (w: World, wait = 0): Promise<Said> => {
  const { params } = await granted(w, "bank")
  w.pass(wait)
  const fields = {
    grant_type: "authorization_code",
    code: params["code"] ?? "",
    redirect_uri: "https://app.example/cb",
    code_verifier: verifier,
  }
  return send(w, "bank", path, fields, {})
}

const refresh = (w: World, refresh_token: unknown): Promise<Said> =>
  send(w, "bank", path, { grant_type: "refresh_token", refresh_token: String(refresh_token) }, {})

/** A client whose refresh tokens end when they were not used for 1000 s, and after 2500 s anyway. */
const brief: WorldOptions = {
  clients: [
    {
      client_id: "bank",
      profile: "fapi2-security",
      ...signing,
      refresh_token_sliding_lifetime: 1000,
      refresh_token_absolute_lifetime: 2500,
    },
  ],
}

/** Uses one refresh token after each of some pauses, which all but the last have to allow. */
const usedAfter = async (w: World, ...pauses: ReadonlyArray<number>): Promise<Said> => {
  const first = (await tokens(w)).json?.["refresh_token"]
  const last = pauses.at(-1) ?? 0
  for (const pause of pauses.slice(0, -1)) {
    w.pass(pause)
    const { status } = await refresh(w, first)
    if (status !== 200) throw new Error(`the refresh token ended early, after ${pause} s`)
  }
  w.pass(last)
  return refresh(w, first)
}

const flow: ReadonlyArray<Case> = [
  {
    title: "FAPI 2.0 Security Profile §5.3.2.2 (3): a request that was not pushed is refused",
    rule: "authorize.pushed-request-required",
    options,
    run: async (w) => (await signedIn(w)).get("/connect/authorize", request("bank")),
    expect: sentBack("invalid_request", "The request must be pushed."),
  },
  {
    title: "FAPI 2.0 Security Profile §5.3.2: one that was is granted, and its code redeemed",
    rule: undefined,
    options,
    run: (w) => tokens(w, 59),
    expect: bound,
  },
  {
    title: "FAPI 2.0 Security Profile §5.3.2.1 (11): within 60 s, however long the client's codes live",
    rule: "code.fresh",
    options,
    run: (w) => tokens(w, 60),
    expect: refused("invalid_grant", "The authorization code has expired."),
  },
  {
    title: "FAPI 2.0 Security Profile §5.3.2.1 (9): a refresh token stays the same, so that no answer can be lost",
    rule: undefined,
    options,
    run: async (w) => {
      const first = (await tokens(w)).json?.["refresh_token"]
      for (let at = 0; at < 3; at++) {
        w.pass(600)
        const next = (await refresh(w, first)).json?.["refresh_token"]
        if (next !== first || next === undefined) throw new Error("a refresh token was rotated")
      }
      return refresh(w, first)
    },
    expect: bound,
  },
  {
    title: "FAPI 2.0 Security Profile §5.3.2.1 (9), RFC 6749 §6: each use of one that stays moves its end",
    rule: undefined,
    options: brief,
    run: (w) => usedAfter(w, 900, 150, 999, 400),
    expect: bound,
  },
  {
    title: "RFC 9700 §4.14.2: which comes, at most a 64th late, where it is not used",
    rule: "refresh.fresh",
    options: brief,
    run: (w) => usedAfter(w, 900, 1015),
    expect: refused("invalid_grant", "The refresh token has expired."),
  },
  {
    title: "RFC 9700 §4.14.2: and however often it is used, with its family",
    rule: "refresh.fresh",
    options: brief,
    run: (w) => usedAfter(w, 900, 900, 690, 9, 1),
    expect: refused("invalid_grant", "The refresh token has expired."),
  },
  {
    title: "RFC 6749 §6: but ends when it expires",
    rule: "refresh.fresh",
    options,
    run: async (w) => {
      const first = (await tokens(w)).json?.["refresh_token"]
      w.pass(1_296_001)
      return refresh(w, first)
    },
    expect: refused("invalid_grant", "The refresh token has expired."),
  },
  {
    title: "FAPI 2.0 Security Profile §5.3.2.2 (1): a response by form is refused",
    rule: "authorize.response-mode-profile",
    options,
    run: (w) => push(w, "bank", { response_mode: "form_post" }),
    expect: refused("unauthorized_client", "The client's profile refuses this response_mode."),
  },
  {
    title: "FAPI 2.0 Security Profile §5.3.2.2 (1): one as a JWT is not",
    rule: undefined,
    options,
    run: (w) => push(w, "bank", { response_mode: "jwt" }),
    expect: { status: 201 },
  },
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): but where RS256 would sign it, the default of JARM",
    rule: "authorize.response-algorithm-profile",
    options: unsigned,
    run: (w) => push(w, "bank", { response_mode: "jwt" }),
    expect: refused("unauthorized_client", "The client may not have its response signed by this algorithm."),
  },
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): nor does RS256 sign an error of such a request",
    rule: "authorize.pushed-request-required",
    options: unsigned,
    run: async (w) => (await signedIn(w)).get("/connect/authorize", request("bank", { response_mode: "jwt" })),
    expect: sentBack("invalid_request", "The request must be pushed."),
  },
  {
    title: "FAPI 2.0 Security Profile §5.3.2.2 (3): a provider that has no endpoint to push to does not serve its clients by laxer rules",
    rule: "authorize.pushed-request-required",
    options: { ...options, more: { features: defaultFeatures.filter(({ name }) => name !== "pushed-authorization") } },
    run: async (w) => (await signedIn(w)).get("/connect/authorize", request("bank")),
    expect: sentBack("invalid_request", "The request must be pushed."),
  },
]

const introspectionJwt = "application/token-introspection+jwt"

const algorithms: ReadonlyArray<Case> = [
  ...[{ access_token_signed_response_alg: "RS256" }, { access_token_format: "reference", id_token_signed_response_alg: "RS256" }].map(
    (more): Case => ({
      title: `FAPI 2.0 Security Profile §5.4.1 (1): a client whose row is older than its profile has no tokens signed with RS256 (${Object.keys(more).at(-1) ?? ""})`,
      rule: "token.algorithm-profile",
      options: aged(more),
      run: (w) => send(w, "bank", path, machine, {}),
      expect: rs256,
    }),
  ),
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): nor userinfo",
    rule: "userinfo.algorithm-profile",
    options: {
      clients: clients.map((each) => (each.client_id === "web" ? { ...each, userinfo_signed_response_alg: "RS256" as const } : each)),
    },
    run: async (w) => {
      const { access_token } = await tokensFor(w, "web", "openid email")
      const web = w.clients.get("web")
      if (web !== undefined) w.clients.set("web", { ...web, profile: "fapi2-security" })
      return userinfo(w, access_token)
    },
    expect: refused("invalid_request", "The client may not have its answer signed by this algorithm."),
  },
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): nor an introspection",
    rule: "introspection.algorithm-profile",
    options: aged({}),
    run: async (w) => {
      const fields = { token: "any", ...carrying(await assertionOf(w, "bank", {})) }
      return post(w, "/connect/introspect", undefined, fields, { accept: introspectionJwt })
    },
    expect: rs256,
  },
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): one as JSON, which nothing signs, it has",
    rule: "introspection.known",
    options: aged({}),
    run: (w) => send(w, "bank", "/connect/introspect", { token: "any" }),
    expect: { status: 200, json: { active: false } },
  },
]

const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url")

/** A signed request, with changes of its claims; undefined leaves one out. With the algorithm `none` nothing signs it. */
const object = async (w: World, clientId: string, claims: Readonly<Record<string, unknown>> = {}, alg = "ES256"): Promise<string> => {
  const usual = {
    ...request(clientId, { scope: "openid", response_mode: "jwt" }),
    iss: clientId,
    aud: issuer,
    nbf: w.now(),
    exp: w.now() + 3600,
  }
  if (alg === "none") return `${encoded({ alg })}.${encoded({ ...usual, ...claims })}.`
  return new CompactSign(new TextEncoder().encode(JSON.stringify({ ...usual, ...claims })))
    .setProtectedHeader({ alg, kid: alg === "ES256" ? "ec" : "rsa" })
    .sign((alg === "ES256" ? keys.ec : keys.rsa).privateKey)
}

const pushObject = async (w: World, clientId: string, claims: Readonly<Record<string, unknown>> = {}, alg?: string): Promise<Said> =>
  send(w, clientId, "/connect/par", { client_id: clientId, request: await object(w, clientId, claims, alg) })

const badObject = refused("invalid_request_object", "The request object is not valid.")
const bounded = (title: string, claims: (w: World) => Readonly<Record<string, unknown>>): Case => ({
  title,
  rule: "request-object.lifetime",
  options,
  run: (w) => pushObject(w, "signed", claims(w)),
  expect: badObject,
})

/** A client that signs its requests, and takes responses that nobody signs. */
const requiring: WorldOptions = {
  clients: [{ client_id: "bank", profile: "fapi2-security", require_signed_request_object: true, ...signing }],
}

const signatures: ReadonlyArray<Case> = [
  {
    title: "FAPI 2.0 Message Signing §5.3: an unsigned request is refused",
    rule: "authorize.request-object-required",
    options,
    run: (w) => push(w, "signed", { response_mode: "jwt" }),
    expect: refused("invalid_request", "The request must be a signed request object."),
  },
  {
    title: "FAPI 2.0 Message Signing §5.3: a signed one is pushed",
    rule: undefined,
    options,
    run: (w) => pushObject(w, "signed"),
    expect: { status: 201 },
  },
  {
    title: "RFC 9126 §3, FAPI 2.0 Message Signing §5.3.1: parameters beside it are refused, of which nobody signed a word",
    rule: "pushed-authorization.request-alone",
    options,
    run: async (w) => send(w, "signed", "/connect/par", { request: await object(w, "signed"), client_id: "signed", scope: "openid" }),
    expect: refused("invalid_request_object", "A signed request must carry all parameters itself."),
  },
  {
    title: "RFC 9126 §3: where a client may push unsigned requests, they are ignored",
    rule: undefined,
    options,
    run: async (w) => send(w, "bank", "/connect/par", { request: await object(w, "bank"), client_id: "bank", scope: "nothing" }),
    expect: { status: 201 },
  },
  {
    title: "FAPI 1.0 Part 2 §8.6: a client whose row is older than its profile has no ID token beside its code that RS256 has signed",
    rule: "authorize.id-token-algorithm-profile",
    options: aged({ id_token_signed_response_alg: "RS256" }),
    run: (w) => pushObject(w, "older", { response_type: "code id_token", nonce: "n", response_mode: "fragment" }),
    expect: rs256,
  },
  bounded("FAPI 2.0 Message Signing §5.3.1: a request object without nbf is refused", () => ({ nbf: undefined })),
  bounded("FAPI 2.0 Message Signing §5.3.1: so is one without exp", () => ({ exp: undefined })),
  bounded("FAPI 2.0 Message Signing §5.3.1: so is one without aud", () => ({ aud: undefined })),
  bounded("FAPI 2.0 Message Signing §5.3.1: so is one for more than an hour", (w) => ({ exp: w.now() + 3601 })),
  bounded("FAPI 2.0 Message Signing §5.3.1: so is one whose nbf is more than an hour ago", (w) => ({
    nbf: w.now() - 3601,
    exp: w.now() - 3601 + 3600 + 10,
  })),
  {
    title: "FAPI 2.0 Message Signing §5.3.1: a client that chose signed requests without signed responses has them bounded too",
    rule: "request-object.lifetime",
    options: requiring,
    run: (w) => pushObject(w, "bank", { exp: undefined }),
    expect: badObject,
  },
  {
    title: "FAPI 2.0 Message Signing §5.3.1: and no parameters beside them",
    rule: "pushed-authorization.request-alone",
    options: requiring,
    run: async (w) => send(w, "bank", "/connect/par", { request: await object(w, "bank"), client_id: "bank", scope: "openid" }),
    expect: refused("invalid_request_object", "A signed request must carry all parameters itself."),
  },
  {
    title: "FAPI 2.0 Security Profile §5.4.1 (1): a request object that is signed with RS256 is refused",
    rule: "request-object.algorithm",
    options,
    run: (w) => pushObject(w, "signed", {}, "RS256"),
    expect: badObject,
  },
  ...["signed", "older"].map((clientId): Case => ({
    title: `FAPI 2.0 Message Signing §5.3.1, FAPI 1.0 Part 2 §5.2.2 (1): an object that nothing signs is no valid one of ${clientId}, rather than an unsupported one`,
    rule: "request-object.algorithm",
    options,
    run: (w) => pushObject(w, clientId, {}, "none"),
    expect: badObject,
  })),
  {
    title: "FAPI 1.0 Part 2 §5.2.2 (18): a request that is pushed needs PKCE, whatever the client's metadata say",
    rule: "pushed-authorization.challenge-required",
    options: { clients: [{ ...older, require_pkce: false }] },
    run: (w) => pushObject(w, "older", { ...hybrid, code_challenge: undefined, code_challenge_method: undefined }),
    expect: refused("invalid_request", "The code_challenge is missing."),
  },
  {
    title: "FAPI 1.0 Part 2 §5.2.2 (18): one that the browser carries does not, where the client does without",
    rule: undefined,
    options: { clients: [{ ...older, require_pkce: false }] },
    run: async (w) => {
      const signed = await object(w, "older", { ...hybrid, code_challenge: undefined, code_challenge_method: undefined })
      const answer = await (await signedIn(w)).get("/connect/authorize", { ...request("older"), request: signed })
      const { code, id_token } = answer.params
      return { ...answer, json: { code: code !== undefined, idToken: id_token !== undefined } }
    },
    expect: { status: 303, json: { code: true, idToken: true } },
  },
  {
    title: "FAPI 2.0 Message Signing §5.4: a response that is not signed is refused",
    rule: "authorize.response-mode-profile",
    options,
    run: (w) => pushObject(w, "signed", { response_mode: "query" }),
    expect: refused("unauthorized_client", "The client's profile refuses this response_mode."),
  },
  ...[undefined, "query"].map((response_mode): Case => ({
    title: `FAPI 2.0 Message Signing §5.4: a request that is not signed gets its error as a JWT (response_mode ${response_mode ?? "left out"})`,
    rule: "authorize.request-object-required",
    options,
    run: async (w) => {
      const answer = await (await signedIn(w)).get("/connect/authorize", request("signed", { response_mode }))
      const { response = "", ...beside } = answer.params
      const { error, aud } = claimsOf(response)
      return { ...answer, json: { error, aud, beside: Object.keys(beside) } }
    },
    expect: { status: 303, json: { error: "invalid_request", aud: "signed", beside: [] } },
  })),
  {
    title: "FAPI 1.0 Part 2 §5.2.2 (2): a code alone is refused where no JWT signs the response",
    rule: "authorize.response-mode-profile",
    options,
    run: (w) => pushObject(w, "older", { response_mode: undefined }),
    expect: refused("unauthorized_client", "The client's profile refuses this response_mode."),
  },
  {
    title: "FAPI 1.0 Part 2 §5.2.2 (2): one beside an ID token is not",
    rule: undefined,
    options,
    run: (w) => pushObject(w, "older", { response_mode: undefined, response_type: "code id_token", nonce: "n".repeat(64) }),
    expect: { status: 201 },
  },
  {
    title: "FAPI 1.0 Part 2 §5.2.2.1: its ID token has the hash of the state",
    rule: undefined,
    options,
    run: async (w) => {
      const claims = { response_mode: undefined, response_type: "code id_token", nonce: "n".repeat(64), state: "a state" }
      const { json } = await pushObject(w, "older", claims)
      const asked = { client_id: "older", request_uri: String(json?.["request_uri"]) }
      const answer = await (await signedIn(w)).get("/connect/authorize", asked)
      return { ...answer, json: { s_hash: claimsOf(answer.params["id_token"] ?? "")["s_hash"] } }
    },
    expect: { status: 303, json: { s_hash: createHash("sha256").update("a state").digest().subarray(0, 16).toString("base64url") } },
  },
]

/** The profiles of FAPI: 2.0 Security Profile and Message Signing, 1.0 Advanced. */
export const cases: ReadonlyArray<Case> = [...authentication, ...constraint, ...lives, ...flow, ...algorithms, ...signatures]
