import type { OutboundPort } from "@postern/core/ports"
import { follow, request, signedIn } from "../support/flows.ts"
import {
  type Signing,
  claimsFor,
  decrypting,
  objectClients,
  publishing,
  sealed,
  setOf,
  signed,
  unsecured,
} from "../support/requestObjects.ts"
import { type World, beginning, issuer } from "../support/world.ts"
import { type Case, type Expectation, page, sentBack, shown } from "./case.ts"

type Claims = Readonly<Record<string, unknown>>

const options = { clients: objectClients, signer: decrypting }
const withDocuments = (outbound: OutboundPort) => ({ ...options, more: { outbound } })

/** Asks, as a person who is signed in, with nothing in the query but what RFC 9101 §5 wants there and what is given. */
const ask = async (w: World, clientId: string, query: Readonly<Record<string, string>>) =>
  (await signedIn(w)).get("/connect/authorize", { client_id: clientId, ...query })

/** Asks with a signed object. */
const askSigned =
  (clientId: string, claims: Claims = {}, signing: Signing = {}, query: Readonly<Record<string, string>> = {}) =>
  async (w: World) =>
    ask(w, clientId, { ...query, request: await signed(claimsFor(clientId, claims), signing) })

/** Asks with an object as it is. */
const askWith = (clientId: string, object: string | (() => Promise<string>)) => async (w: World) =>
  ask(w, clientId, { request: typeof object === "string" ? object : await object() })

const granted: Expectation = { status: 303, to: "https://app.example/cb", params: { state: "st", iss: issuer } }
const badObject = sentBack("invalid_request_object", "The request object is not valid.")
const unreadable = shown("request_invalid", "invalid_request_object")

const good = (title: string, run: Case["run"], expect = granted, more: Case["options"] = options): Case => ({
  title,
  rule: undefined,
  options: more,
  run,
  expect,
})

const refused = (title: string, rule: string, run: Case["run"], expect = badObject, more: Case["options"] = options): Case => ({
  title,
  rule: rule.includes(".") ? rule : `request-object.${rule}`,
  options: more,
  run,
  expect,
})

/** Ways in which an object is carried. */
const parameterCases: ReadonlyArray<Case> = [
  refused(
    "RFC 6749 §3.1: request twice is refused",
    "authorize.request-once",
    async (w) => {
      const object = await signed(claimsFor("signs"))
      return (await signedIn(w)).get("/connect/authorize", [...Object.entries(request("signs")), ["request", object], ["request", object]])
    },
    sentBack("invalid_request", "A parameter is sent more than once."),
  ),
  refused(
    "RFC 9101 §5: request and request_uri at once are refused where each alone would do",
    "authorize.request-or-request-uri",
    async (w) =>
      ask(w, "refers", { ...request("refers"), request: await signed(claimsFor("refers")), request_uri: "https://client.example/r" }),
    sentBack("invalid_request", "Send request or request_uri, not both."),
  ),
  refused(
    "OpenID Connect Core §6.1: request is not for a client without keys",
    "authorize.request-unsupported",
    async (w) => ask(w, "keyless", { ...request("keyless"), request: unsecured(claimsFor("keyless")) }),
    sentBack("request_not_supported", "The request parameter is not supported."),
  ),
  refused(
    "OpenID Connect Core §6.1: without a redirect_uri in the query the object's own is gone back to",
    "authorize.request-unsupported",
    askWith("keyless", unsecured(claimsFor("keyless"))),
    sentBack("request_not_supported", "The request parameter is not supported."),
  ),
  refused(
    "OpenID Connect Core §6.1: without a redirect_uri in either the same is a page",
    "authorize.request-unsupported",
    askWith("keyless", unsecured(claimsFor("keyless", { redirect_uri: undefined }))),
    shown("request_invalid", "request_not_supported"),
  ),
  ...(
    [
      ["keyless", "authorize.request-unsupported"],
      ["signs", "request-object.unsigned"],
    ] as const
  ).flatMap(([clientId, rule]) => [
    refused(
      `OAuth 2.0 Multiple Response Types §2.1: what is not supported for ${clientId} is answered in the mode that the object asks for`,
      rule,
      async (w) => {
        const object = unsecured(claimsFor(clientId, { response_mode: "form_post", state: "of the object" }))
        return ask(w, clientId, { ...request(clientId), request: object })
      },
      {
        ...page("FormPost", 200, { action: "https://app.example/cb" }),
        params: { error: "request_not_supported", state: "of the object", iss: issuer },
      },
    ),
    refused(
      `OAuth 2.0 Multiple Response Types §3, §5: what is not supported for ${clientId} is answered in the fragment where the object asks for a token`,
      rule,
      async (w) => {
        const { redirect_uri } = request(clientId)
        const answer = await ask(w, clientId, {
          redirect_uri: redirect_uri ?? "",
          request: unsecured(claimsFor(clientId, { response_type: "code id_token" })),
        })
        return { ...answer, json: { fragment: answer.header("location")?.startsWith("https://app.example/cb#") } }
      },
      { status: 303, params: { error: "request_not_supported", state: "st" }, json: { fragment: true } },
    ),
    refused(
      `RFC 9700 §4.11.2: no object of ${clientId} that is refused leads to a redirect_uri of nobody's, whatever the query says`,
      "authorize.redirect-uri-registered",
      async (w) =>
        ask(w, clientId, { ...request(clientId), request: unsecured(claimsFor(clientId, { redirect_uri: "https://evil.example/cb" })) }),
      shown("redirect_uri_invalid", "invalid_request"),
    ),
  ]),
  refused(
    "OpenID Connect Core §6.1: an encrypted object that is not supported is read far enough to answer it",
    "authorize.request-unsupported",
    askWith("keyless", () => sealed(unsecured(claimsFor("keyless", { response_mode: "form_post" })))),
    { ...page("FormPost", 200, { action: "https://app.example/cb" }), params: { error: "request_not_supported", state: "st" } },
  ),
  refused(
    "RFC 9101 §6.3: an object that names another client says nothing of where the answer goes",
    "authorize.request-unsupported",
    async (w) =>
      ask(w, "keyless", {
        ...request("keyless"),
        request: unsecured(claimsFor("keyless", { client_id: "signs", response_mode: "form_post", state: "theirs" })),
      }),
    sentBack("request_not_supported", "The request parameter is not supported."),
  ),
  refused(
    "RFC 9700 §2.1: with a redirect_uri of nobody's in the query it is a page, whatever the object says",
    "authorize.redirect-uri-registered",
    async (w) =>
      ask(w, "keyless", { ...request("keyless"), redirect_uri: "https://evil.example/cb", request: unsecured(claimsFor("keyless")) }),
    shown("redirect_uri_invalid", "invalid_request"),
  ),
  refused(
    "OpenID Connect Core §6.2: request_uri is not for a client that registered none",
    "authorize.request-uri-unsupported",
    (w) => ask(w, "signs", { ...request("signs"), request_uri: "https://client.example/r" }),
    sentBack("request_uri_not_supported", "The request_uri parameter is not supported."),
  ),
  refused(
    "OpenID Connect Core §6.2: request_uri is not for a client without keys",
    "authorize.request-uri-unsupported",
    (w) => ask(w, "keyless", { ...request("keyless"), request_uri: "https://client.example/r" }),
    sentBack("request_uri_not_supported", "The request_uri parameter is not supported."),
  ),
  ...[
    "https://client.example/r?x",
    "https://client.example/R",
    "https://client.example/r#other",
    "https://169.254.169.254/",
    "urn:ietf:params:oauth:request:x",
  ].map((request_uri) =>
    refused(
      `RFC 9101 §10.4.1: ${request_uri} is none of the client's request_uris`,
      "authorize.request-uri-registered",
      (w) => ask(w, "refers", { ...request("refers"), request_uri }),
      sentBack("invalid_request_uri", "The request_uri is not registered for this client."),
    ),
  ),
  refused(
    "RFC 9101 §10.5: a plain request of a client that must sign is refused",
    "authorize.request-object-required",
    (w) => ask(w, "must", request("must")),
    sentBack("invalid_request", "The request must be a signed request object."),
  ),
  good("RFC 9101 §10.5: a signed request of a client that must sign is granted", askSigned("must")),
]

/** Cases that are granted. */
const goodCases: ReadonlyArray<Case> = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"].map((alg) =>
    good(`RFC 9101 §6.2: an object signed with ${alg} by a key of the client's jwks is granted`, askSigned("signs", {}, { alg })),
  ),
  good(
    "RFC 9101 §6.3: what the object says wins, and what only the query says is ignored",
    askSigned(
      "signs",
      {},
      {},
      {
        state: "outer",
        redirect_uri: "https://evil.example/cb",
        response_type: "token",
        scope: "nonsense",
        nonce: "n",
        prompt: "magic",
        response_mode: "form_post",
      },
    ),
  ),
  good("RFC 9101 §5: an object may come by POST", async (w) =>
    (await signedIn(w)).post("/connect/authorize", { client_id: "signs", request: await signed(claimsFor("signs")) }),
  ),
  good(
    "RFC 9101 §4: iss, aud, exp, nbf, iat and typ may be left out",
    askSigned(
      "signs",
      { iss: undefined, aud: undefined, exp: undefined, nbf: undefined, iat: undefined, jti: undefined },
      { header: { typ: undefined } },
    ),
  ),
  ...["JWT", "jwt", "application/oauth-authz-req+jwt"].map((typ) =>
    good(`RFC 9101 §10.8: the typ ${typ} is one of a request object`, askSigned("signs", {}, { header: { typ } })),
  ),
  good("RFC 7519 §4.1.3: an aud of several holds our issuer", askSigned("signs", { aud: ["https://other.example", issuer] })),
  good(
    "RFC 7519 §4.1.5, §4.1.6: a client's clock may be 30 seconds ahead",
    askSigned("signs", { nbf: beginning + 30, iat: beginning + 30 }),
  ),
  good(
    "RFC 9101 §4: a number, a boolean, null and an object are read as the parameter's text",
    askSigned("signs", { max_age: 600, extra: true, login_hint: null, claims: { userinfo: { email: null } } }),
  ),
  refused(
    "OpenID Connect Core §3.1.2.1: max_age as a number counts",
    "person.max-age",
    askSigned("signs", { max_age: 0, prompt: "none" }),
    sentBack("login_required", "The person must sign in."),
  ),
  good(
    "RFC 8707 §2: resource as a list is several resources",
    askSigned("signs", { scope: "openid api.read billing", resource: ["https://api.example", "https://billing.example"] }),
  ),
  {
    title: "RFC 8707 §2: each resource of a list is judged",
    rule: "authorize.resource-allowed",
    options,
    run: askSigned("signs", { scope: "openid api.read", resource: ["https://api.example", "https://billing.example"] }),
    expect: { status: 303, to: "https://app.example/cb", params: { error: "invalid_target", state: "st" } },
  },
  {
    title: "RFC 9101 §6.3: the redirect_uri of the object is judged, though the query's be good",
    rule: "authorize.redirect-uri-registered",
    options,
    run: askSigned("signs", { redirect_uri: "https://evil.example/cb" }, {}, { redirect_uri: "https://app.example/cb" }),
    expect: shown("redirect_uri_invalid", "invalid_request"),
  },
  {
    title: "RFC 9101 §6.3: what the object leaves out is not taken from the query",
    rule: "authorize.scope-present",
    options,
    run: askSigned("signs", { scope: undefined }, {}, { scope: "openid" }),
    expect: sentBack("invalid_request", "The scope is missing."),
  },
  good("OpenID Connect Core §3.1.2.3: after signing in the object's request goes on, and is needed no more", async (w) => {
    const visitor = w.visitor()
    const object = await signed(claimsFor("signs"))
    const asked = await follow(visitor, await visitor.get("/connect/authorize", { client_id: "signs", request: object, state: "outer" }))
    w.pass(301)
    return follow(
      visitor,
      await visitor.submit(asked.page, [
        ["username", "alice"],
        ["password", "correct horse"],
      ]),
    )
  }),
  good(
    "OpenID Connect Core §6.1: an unsigned object of a client that registered none is granted",
    askWith("unsigned", unsecured(claimsFor("unsigned"))),
  ),
  good(
    "RFC 9101 §6.1: an object that is signed, then encrypted, is granted",
    askWith("signs", async () => sealed(await signed(claimsFor("signs")))),
  ),
  good(
    "RFC 9101 §6.1: RSA-OAEP-256 encrypts too",
    askWith("signs", async () => sealed(await signed(claimsFor("signs")), "RSA-OAEP-256", "A256CBC-HS512")),
  ),
  good(
    "OpenID Connect Dynamic Client Registration §2: an object encrypted as the client registered is granted",
    askWith("seals", async () => sealed(await signed(claimsFor("seals")))),
  ),
  good(
    "RFC 7591 §2: a key of the client's jwks_uri verifies",
    askSigned("publishes"),
    granted,
    withDocuments(publishing({ "https://client.example/jwks": JSON.stringify(setOf("p256")) })),
  ),
  ...["https://client.example/r", "https://client.example/r#hash"].map((request_uri) =>
    good(
      `RFC 9101 §5.2: an object behind the registered request_uri ${request_uri} is granted, whatever its content type`,
      (w) => ask(w, "refers", { request_uri }),
      granted,
      withDocuments(publishing({ [request_uri]: () => signed(claimsFor("refers")) })),
    ),
  ),
]

const tampered = async (): Promise<string> => {
  const [header, , signature] = (await signed(claimsFor("signs"))).split(".")
  const [, payload] = (await signed(claimsFor("signs", { scope: "openid email" }))).split(".")
  return `${header}.${payload}.${signature}`
}

/** Cases that are refused: to the client if the object says how, be it verified or not, and to the person if it does not. */
const badCases: ReadonlyArray<Case> = [
  refused(
    "RFC 9101 §5.2.3: a request_uri that cannot be fetched is refused",
    "fetched",
    (w) => ask(w, "refers", { ...request("refers"), request_uri: "https://client.example/gone" }),
    sentBack("invalid_request_uri", "The request_uri holds no request object."),
    withDocuments(publishing({})),
  ),
  refused(
    "RFC 9101 §6: what is found at a request_uri and is no object is refused",
    "form",
    (w) => ask(w, "refers", { ...request("refers"), request_uri: "https://client.example/r" }),
    badObject,
    withDocuments(publishing({ "https://client.example/r": "<!doctype html>" })),
  ),
  refused(
    "Dynamic Client Registration §2: a plain object of a client that registered an encryption is refused",
    "encryption",
    askSigned("seals"),
  ),
  ...(
    [
      ["RSA-OAEP-256", "A128GCM"],
      ["ECDH-ES", "A256GCM"],
    ] as const
  ).map(([alg, enc]) =>
    refused(
      `Dynamic Client Registration §2: ${alg} and ${enc} are not what the client registered`,
      "encryption",
      askWith("seals", async () => sealed(await signed(claimsFor("seals")), alg, enc)),
    ),
  ),
  refused(
    "RFC 9101 §6.1: an object encrypted to a key that is not ours is refused",
    "decrypted",
    askWith("signs", async () => sealed(await signed(claimsFor("signs")), "ECDH-ES", "A128GCM", { kid: "another" })),
    unreadable,
  ),
  refused("RFC 9101 §4: an object that is no JWS is refused", "form", askWith("signs", "nonsense"), unreadable),
  refused("RFC 7515 §3.1: an object whose header cannot be read is refused", "form", askWith("signs", "bm9uc2Vuc2U.e30.c2ln"), unreadable),
  refused(
    "RFC 9101 §6.1: what is encrypted only, with no JWS inside, is refused",
    "form",
    askWith("signs", () => sealed(JSON.stringify(claimsFor("signs")))),
    unreadable,
  ),
  refused(
    "RFC 9101 §6.1: what is encrypted twice is refused",
    "form",
    askWith("signs", async () => sealed(await sealed(await signed(claimsFor("signs"))))),
    unreadable,
  ),
  ...["at+jwt", "logout+jwt", "application/dpop+jwt", "", 7].map((typ) =>
    refused(
      `RFC 8725 §3.11, §3.12: an object of the typ ${JSON.stringify(typ)} was made for something else`,
      "type",
      askWith("unsigned", unsecured(claimsFor("unsigned"), { typ })),
    ),
  ),
  refused("RFC 8725 §3.11: a signed JWT of another typ is refused", "type", askSigned("signs", {}, { header: { typ: "at+jwt" } })),
  refused(
    "RFC 7515 §4.1.11: a header with extensions that must be understood is refused",
    "critical",
    askWith("unsigned", unsecured(claimsFor("unsigned"), { crit: ["exp"], exp: 1 })),
  ),
  refused(
    "OpenID Connect Core §6.1: an unsigned object of a client with keys that registered no algorithm is not supported either",
    "unsigned",
    askWith("signs", unsecured(claimsFor("signs"))),
    sentBack("request_not_supported", "The request parameter is not supported."),
  ),
  refused(
    "OpenID Connect Core §6.1: an unsigned object is refused where another algorithm is registered",
    "algorithm",
    askWith("signs-es256", unsecured(claimsFor("signs-es256"))),
  ),
  refused(
    "RFC 9101 §10.5: an unsigned object of a client with keys that must sign is refused",
    "algorithm",
    askWith("must", unsecured(claimsFor("must"))),
  ),
  refused(
    "Dynamic Client Registration §2: another algorithm than the registered one is refused",
    "algorithm",
    askSigned("signs-es256", {}, { alg: "RS256" }),
  ),
  refused("Dynamic Client Registration §2: a signed object is refused where none is registered", "algorithm", askSigned("unsigned")),
  refused(
    "RFC 9101 §10.5: an unsigned object of a client that must sign is refused",
    "algorithm",
    askWith("must-none", unsecured(claimsFor("must-none"))),
  ),
  refused(
    "RFC 9101 §6.2: an object signed by another key is refused",
    "signature",
    askSigned("signs", {}, { key: "stray", header: { kid: "p256" } }),
  ),
  refused(
    "RFC 9101 §6.2: an object signed by a key the client does not have is refused",
    "signature",
    askSigned("signs", {}, { key: "stray" }),
  ),
  refused("RFC 9101 §6.2: an object that was changed is refused", "signature", askWith("signs", tampered)),
  refused(
    "RFC 7518 §3.6: an unsecured object with a signature is refused",
    "signature",
    askWith("unsigned", `${unsecured(claimsFor("unsigned"))}c2ln`),
  ),
  refused("RFC 7519 §7.2: claims that are no JSON object are refused", "signature", askWith("unsigned", unsecured(["claims"])), unreadable),
  refused(
    "RFC 7591 §2: a client whose keys cannot be fetched is refused",
    "signature",
    askSigned("publishes"),
    badObject,
    withDocuments(publishing({})),
  ),
  refused(
    "RFC 9101 §6.3: an object of another client is refused",
    "client",
    askSigned("signs", { client_id: "must", iss: undefined }),
    unreadable,
  ),
  refused("RFC 9101 §6.3: an object without client_id is refused", "client", askSigned("signs", { client_id: undefined })),
  refused("RFC 9101 §4: request inside an object is refused", "nested", askSigned("signs", { request: "x" })),
  refused(
    "RFC 9101 §4: request_uri inside an object is refused",
    "nested",
    askSigned("signs", { request_uri: "https://client.example/r" }),
  ),
  refused("RFC 9101 §4: an iss other than the client_id is refused", "issuer", askSigned("signs", { iss: "must" })),
  refused("RFC 9101 §4: an aud other than our issuer is refused", "audience", askSigned("signs", { aud: "https://other.example" })),
  refused(
    "RFC 7519 §4.1.3: an aud of several without our issuer is refused",
    "audience",
    askSigned("signs", { aud: ["https://other.example"] }),
  ),
  refused("RFC 9101 §10.8: a sub that is the client_id is refused", "subject", askSigned("signs", { sub: "signs" })),
  refused("RFC 7519 §4.1.4: an object is expired at its exp", "expired", askSigned("signs", { exp: beginning })),
  refused("RFC 7519 §4.1.4: an exp that is no number is refused", "expired", askSigned("signs", { exp: String(beginning + 300) })),
  refused(
    "RFC 7519 §4.1.5: an object is not good more than 30 seconds before its nbf",
    "not-before",
    askSigned("signs", { nbf: beginning + 31 }),
  ),
  refused(
    "RFC 7519 §4.1.6: an object made more than 30 seconds ahead is refused",
    "not-before",
    askSigned("signs", { iat: beginning + 31 }),
  ),
  refused("RFC 7519 §2: an iat that is no number is refused", "not-before", askSigned("signs", { iat: "now" })),
  refused(
    "RFC 9110 §17.5: an object of more than 200 parameters is refused",
    "parameters",
    askSigned("signs", Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x${at}`, "1"]))),
  ),
  refused(
    "RFC 9110 §17.5: an object with more than 50 resources is refused",
    "parameters",
    askSigned("signs", { resource: Array.from({ length: 51 }, () => "https://api.example") }),
  ),
  refused(
    "RFC 9110 §4.1: an object that is longer than what is kept is refused",
    "length",
    (w) => ask(w, "refers", { request_uri: "https://client.example/r" }),
    unreadable,
    withDocuments(publishing({ "https://client.example/r": () => signed(claimsFor("refers", { nonce: "x".repeat(12_288) })) })),
  ),
]

/** Requests made by an object: RFC 9101, OpenID Connect Core §6. */
export const cases: ReadonlyArray<Case> = [...parameterCases, ...goodCases, ...badCases]
