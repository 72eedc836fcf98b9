import type { OutboundAnswer } from "@postern/core"
import { ask, askedClaims, asking, cibaGrant, decide, deliver, modelOf, open, poll, tills } from "../support/asking.ts"
import { basic, post, refresh, signedIn, tokensFor, userinfo } from "../support/flows.ts"
import { answering } from "../support/logouts.ts"
import { type Signing, signed } from "../support/requestObjects.ts"
import { type Said, said } from "../support/visitor.ts"
import { type World, type WorldOptions, beginning, clients } from "../support/world.ts"
import { type Case, type Expectation, refused, shown } from "./case.ts"

const options = asking()

const good = (title: string, run: Case["run"], expect: Expectation, more: WorldOptions = options): Case => ({
  title,
  rule: undefined,
  options: more,
  run,
  expect,
})

const bad = (title: string, rule: string, run: Case["run"], expect: Expectation, more: WorldOptions = options): Case => ({
  title,
  rule,
  options: more,
  run,
  expect,
})

const asked: Expectation = { status: 200, json: { expires_in: 300, interval: 5 }, headers: { "cache-control": "no-store" } }
const invalid = (description: string): Expectation => refused("invalid_request", description)
const badRequest = invalid("The signed request is not valid.")

const askSigned =
  (
    changes: Readonly<Record<string, unknown>> = {},
    signing: Signing = {},
    clientId = "signs",
    more: Readonly<Record<string, string>> = {},
  ) =>
  async (w: World): Promise<Said> =>
    post(w, "/connect/ciba", clientId, { request: await signed(askedClaims(clientId, changes), signing), ...more })

const fapi = {
  ...tills.find(({ client_id }) => client_id === "signs"),
  client_id: "bank",
  client_secret: "secret of bank",
  profile: "fapi2-message-signing",
}

const requestCases: ReadonlyArray<Case> = [
  good("CIBA Core §7.3: a client that polls gets an auth_req_id, its life and the interval", (w) => ask(w), asked),
  good("CIBA Core §7.3: a client that is pushed its tokens gets no interval", (w) => ask(w, "pushed"), {
    status: 200,
    json: { expires_in: 300 },
  }),
  good("CIBA Core §7.1: requested_expiry shortens a request", (w) => ask(w, "till", { requested_expiry: "60" }), {
    status: 200,
    json: { expires_in: 60 },
  }),
  good("CIBA Core §7.1: an hour is the most that a request waits", (w) => ask(w, "till", { requested_expiry: "99999" }), {
    status: 200,
    json: { expires_in: 3600 },
  }),
  good(
    "CIBA Core §7.1: an id_token_hint of this client names its person",
    async (w) => {
      const { id_token } = await tokensFor(w, "web-asks", "openid")
      return ask(w, "web-asks", { login_hint: undefined, id_token_hint: id_token })
    },
    asked,
    asking({}, [
      {
        ...(clients.find(({ client_id }) => client_id === "web") ?? { client_id: "" }),
        client_id: "web-asks",
        client_secret: "secret of web-asks",
        grant_types: ["authorization_code", cibaGrant],
        backchannel_token_delivery_mode: "poll",
      },
    ]),
  ),
  bad(
    "RFC 6749 §5.2: a client without the grant type asks nobody",
    "ciba.grant-allowed",
    (w) => ask(w, "web"),
    refused("unauthorized_client", "The client may not use CIBA."),
  ),
  bad(
    "CIBA Core §7.1: a public client asks nobody",
    "ciba.confidential",
    (w) => post(w, "/connect/ciba", undefined, { client_id: "open", scope: "openid", login_hint: "sub-alice" }),
    refused("unauthorized_client", "A client must authenticate to use CIBA."),
    asking({}, [
      {
        client_id: "open",
        token_endpoint_auth_method: "none",
        grant_types: [cibaGrant],
        scope: "openid",
        backchannel_token_delivery_mode: "poll",
      },
    ]),
  ),
  bad(
    "CIBA Core §4: a client that says nothing of delivery asks nobody",
    "ciba.delivery",
    (w) => ask(w, "mute"),
    refused("unauthorized_client", "The client may not use CIBA."),
    asking({}, [{ client_id: "mute", client_secret: "secret of mute", grant_types: [cibaGrant], scope: "openid email" }]),
  ),
  bad(
    "RFC 9449 §5.2: tokens that must be bound are pushed to nobody",
    "ciba.push-unbound",
    (w) => ask(w, "bound", { client_notification_token: "notify" }),
    refused("unauthorized_client", "The client may not have its tokens pushed."),
    asking({}, [
      {
        ...tills.find(({ client_id }) => client_id === "pushed"),
        client_id: "bound",
        client_secret: "secret of bound",
        dpop_bound_access_tokens: true,
      },
    ]),
  ),
  bad(
    "CIBA Core §4: a client that registered an algorithm signs its requests",
    "ciba.signed",
    (w) => ask(w, "signs"),
    invalid("The request must be a signed request object."),
  ),
  bad(
    "CIBA Core §7.1: the scope is there",
    "ciba.scope-present",
    (w) => ask(w, "till", { scope: undefined }),
    invalid("The scope is missing."),
  ),
  bad(
    "RFC 6749 §3.3: a scope that names nothing is refused",
    "ciba.scope-form",
    (w) => ask(w, "till", { scope: " " }),
    refused("invalid_scope", "The scope names nothing."),
  ),
  bad(
    "CIBA Core §7.1: the scope contains openid",
    "ciba.scope-openid",
    (w) => ask(w, "till", { scope: "email" }),
    refused("invalid_scope", "The scope must contain openid."),
  ),
  bad(
    "RFC 6749 §3.3: a scope outside the client's own is refused",
    "ciba.scope-allowed",
    (w) => ask(w, "till", { scope: "openid billing" }),
    refused("invalid_scope", "A scope is unknown or not allowed for this client."),
  ),
  bad(
    "RFC 8707 §2: a resource that is no URI is refused",
    "ciba.resource-form",
    (w) => ask(w, "till", { resource: "api" }),
    refused("invalid_target", "A resource must be an absolute URI without a fragment."),
  ),
  bad(
    "RFC 8707 §2.1: a resource that no scope belongs to is refused",
    "ciba.resource-allowed",
    (w) => ask(w, "till", { resource: "https://billing.example" }),
    refused("invalid_target", "A resource is unknown or not allowed."),
  ),
  bad(
    "CIBA Core §7.1: a client that is pinged gives a token for it",
    "ciba.notification-token",
    (w) => ask(w, "pinged", { client_notification_token: undefined }),
    invalid("The client_notification_token is missing."),
  ),
  bad(
    "CIBA Core §7.1: a client_notification_token is a bearer token of at most 1024 characters",
    "ciba.notification-token",
    (w) => ask(w, "pushed", { client_notification_token: "x".repeat(1025) }),
    invalid("The client_notification_token is not a bearer token."),
  ),
  bad(
    "CIBA Core §7.1: no hint at all is refused",
    "ciba.hint-one",
    (w) => ask(w, "till", { login_hint: undefined }),
    invalid("Send one of login_hint, id_token_hint and login_hint_token."),
  ),
  bad(
    "CIBA Core §7.1: two hints are refused",
    "ciba.hint-one",
    (w) => ask(w, "till", { login_hint_token: "x" }),
    invalid("Send one of login_hint, id_token_hint and login_hint_token."),
  ),
  bad(
    "CIBA Core §13: a binding_message of more than a line is refused",
    "ciba.binding-message",
    (w) => ask(w, "till", { binding_message: "two\nlines" }),
    refused("invalid_binding_message", "The binding_message must be a line of at most 100 characters."),
  ),
  bad(
    "CIBA Core §7.1, FAPI-CIBA §5.2.2: spaces are no binding_message, since nobody sees them",
    "ciba.binding-message",
    (w) => ask(w, "till", { binding_message: " \u00a0\u3000" }),
    refused("invalid_binding_message", "The binding_message must be a line of at most 100 characters."),
  ),
  bad(
    "FAPI-CIBA §5.2.2: a client of FAPI sends a binding_message",
    "ciba.binding-message-required",
    async (w) => askSigned({ binding_message: undefined }, {}, "bank")(w),
    refused("invalid_binding_message", "A binding_message is required."),
    { ...asking({}, [fapi]), rulesOff: ["client.method-profile", "ciba-request.algorithm"] },
  ),
  bad(
    "CIBA Core §7.1: a requested_expiry is a positive number",
    "ciba.requested-expiry",
    (w) => ask(w, "till", { requested_expiry: "-1" }),
    invalid("The requested_expiry must be a positive whole number."),
  ),
  bad(
    "CIBA Core §7.1: an id_token_hint of another client is refused",
    "ciba.id-token-hint",
    async (w) => ask(w, "till", { login_hint: undefined, id_token_hint: (await tokensFor(w, "web", "openid")).id_token }),
    invalid("The id_token_hint is not an ID token of this provider for this client."),
  ),
  bad(
    "CIBA Core §13: a hint that names nobody is unknown_user_id",
    "ciba.person-known",
    (w) => ask(w, "till", { login_hint: "sub-nobody" }),
    refused("unknown_user_id", "The hint names nobody."),
  ),
  bad(
    "CIBA Core §13: a person who is disabled is as good as unknown",
    "ciba.person-known",
    (w) => ask(w, "till", { login_hint: "sub-mallory" }),
    refused("unknown_user_id", "The hint names nobody."),
  ),
  bad(
    "RFC 9700 §4.15: a person whose subject is a client_id is asked nothing",
    "ciba.apart-from-clients",
    (w) => ask(w, "till", { login_hint: "dave" }),
    refused("unknown_user_id", "The hint names nobody."),
  ),
  bad(
    "CIBA Core §14: of the requests that wait for a person there are three at most",
    "ciba.person-waiting",
    async (w) => {
      for (let at = 0; at < 3; at++) await ask(w)
      return ask(w, "pinged")
    },
    { ...refused("temporarily_unavailable", "Too many requests wait for this person.", 429), headers: { "retry-after": "300" } },
  ),
  good(
    "CIBA Core §14: a request that ended makes place for another",
    async (w) => {
      for (let at = 0; at < 3; at++) await ask(w)
      w.pass(300)
      return ask(w)
    },
    asked,
  ),
  bad(
    "CIBA Core §14: a person who says no again and again is left alone for a while",
    "ciba.person-rate",
    async (w) => {
      const visitor = await signedIn(w)
      for (let at = 0; at < 10; at++) await decide(w, await ask(w), "deny", visitor)
      return ask(w)
    },
    { ...refused("temporarily_unavailable", "This person was asked too often.", 429), headers: { "retry-after": "600" } },
  ),
]

const signedCases: ReadonlyArray<Case> = [
  good("CIBA Core §7.1.1: a signed request is taken", askSigned(), asked),
  good("CIBA Core §7.1.1: requested_expiry may be a number there", askSigned({ requested_expiry: 40 }), {
    status: 200,
    json: { expires_in: 40 },
  }),
  good("CIBA Core §7.1.1: a client that need not sign may", askSigned({}, {}, "may-sign"), asked),
  bad(
    "CIBA Core §7.1.1: nothing stands beside a signed request",
    "ciba-request.alone",
    askSigned({}, {}, "signs", { scope: "openid" }),
    invalid("A signed request must carry all parameters itself."),
  ),
  bad(
    "RFC 7515 §7.1: a request that is no JWS is refused",
    "ciba-request.form",
    (w) => post(w, "/connect/ciba", "signs", { request: "x.y" }),
    badRequest,
  ),
  ...["dpop+jwt", "client-authentication+jwt", "at+jwt", "", 7].map((typ) =>
    bad(
      `RFC 8725 §3.11, §3.12: a JWT that was made for something else is no request (${JSON.stringify(typ)})`,
      "ciba-request.type",
      askSigned({}, { header: { typ } }),
      badRequest,
    ),
  ),
  ...[undefined, "JWT", "application/oauth-authz-req+jwt"].map((typ) =>
    good(`RFC 9101 §10.8: one without a type may be, and one of a request's (${typ})`, askSigned({}, { header: { typ } }), asked),
  ),
  ...["request", "request_uri"].map((name) =>
    bad(
      `RFC 9101 §4: a signed request carries no ${name}`,
      "ciba-request.nested",
      askSigned({ [name]: "urn:example:another" }),
      badRequest,
    ),
  ),
  bad("CIBA Core §4: the algorithm is the registered one", "ciba-request.algorithm", askSigned({}, { alg: "RS256" }), badRequest),
  bad(
    "CIBA Core §7.1.1: the signature is the client's",
    "ciba-request.signature",
    async (w) => {
      const [header, payload, signature = ""] = (await signed(askedClaims("signs"))).split(".")
      const other = signature.startsWith("A") ? "B" : "A"
      return post(w, "/connect/ciba", "signs", { request: `${header}.${payload}.${other}${signature.slice(1)}` })
    },
    badRequest,
  ),
  bad("CIBA Core §7.1.1: iss is the client", "ciba-request.issuer", askSigned({ iss: "till" }), badRequest),
  bad("CIBA Core §7.1.1: a client_id beside it is no other client's", "ciba-request.issuer", askSigned({ client_id: "till" }), badRequest),
  bad(
    "CIBA Core §7.1: a list is no two people, the first of whom would be asked",
    "ciba.person-known",
    askSigned({ login_hint: ["sub-alice", "sub-bob"] }),
    refused("unknown_user_id", "The hint names nobody."),
  ),
  bad(
    "RFC 6749 §3.3: a list is no scope",
    "ciba.scope-openid",
    askSigned({ scope: ["openid", "email"] }),
    refused("invalid_scope", "The scope must contain openid."),
  ),
  bad("CIBA Core §7.1.1: aud is the provider", "ciba-request.audience", askSigned({ aud: "https://other.example" }), badRequest),
  bad("CIBA Core §7.1.1: a request that has expired is refused", "ciba-request.times", askSigned({ exp: beginning }), badRequest),
  bad("CIBA Core §7.1.1: a request without nbf is refused", "ciba-request.times", askSigned({ nbf: undefined }), badRequest),
  bad(
    "FAPI-CIBA §5.2.2: a request lives for an hour at most",
    "ciba-request.times",
    askSigned({ nbf: beginning - 3601, exp: beginning + 10 }),
    badRequest,
  ),
  bad("CIBA Core §7.1.1: a request has a jti", "ciba-request.jti", askSigned({ jti: undefined }), badRequest),
  bad(
    "CIBA Core §7.1.1: a request is good once",
    "ciba-request.jti",
    async (w) => {
      await askSigned()(w)
      return askSigned()(w)
    },
    badRequest,
  ),
  good(
    "CIBA Core §7.1.1: a request that was refused is not used up",
    async (w) => {
      await askSigned({ login_hint: "sub-nobody" })(w)
      return askSigned()(w)
    },
    asked,
  ),
]

const pollAfter =
  (answer: "allow" | "deny" | undefined, then: (w: World, request: Said) => Promise<Said> = (w, request) => poll(w, request)) =>
  async (w: World): Promise<Said> => {
    const request = await ask(w)
    if (answer !== undefined) await decide(w, request, answer)
    return then(w, request)
  }

const disable = (w: World): void => {
  const person = w.people.get("sub-alice")
  if (person !== undefined) w.people.set("sub-alice", { ...person, active: false })
}

const tokenCases: ReadonlyArray<Case> = [
  good("CIBA Core §10.1.1: an approved request gives its tokens", pollAfter("allow"), {
    status: 200,
    json: { token_type: "Bearer", expires_in: 3600, scope: "openid email" },
    headers: { "cache-control": "no-store" },
  }),
  good(
    "CIBA Core §10.1.1: the access token works at userinfo",
    pollAfter("allow", async (w, request) => userinfo(w, String((await poll(w, request)).json?.["access_token"]))),
    { status: 200, json: { sub: "sub-alice", email: "alice@example.com" } },
  ),
  good(
    "OpenID Connect Core §11: offline_access gives a refresh token that works",
    async (w) => {
      const request = await ask(w, "till", { scope: "openid offline_access" })
      await decide(w, request)
      return refresh(w, String((await poll(w, request)).json?.["refresh_token"]), "till")
    },
    { status: 200, json: { scope: "openid offline_access" } },
  ),
  bad(
    "CIBA Core §10.1: the auth_req_id is there",
    "ciba-grant.present",
    (w) => post(w, "/connect/token", "till", { grant_type: cibaGrant }),
    invalid("The auth_req_id is missing."),
  ),
  bad(
    "CIBA Core §11: an auth_req_id that nobody was given is refused",
    "ciba-grant.known",
    (w) => post(w, "/connect/token", "till", { grant_type: cibaGrant, auth_req_id: `q_${"0".repeat(16)}${"A".repeat(43)}` }),
    refused("invalid_grant", "The auth_req_id is not valid."),
  ),
  bad(
    "CIBA Core §11: an auth_req_id of another client is refused",
    "ciba-grant.client",
    pollAfter("allow", (w, request) => poll(w, request, "may-sign")),
    refused("invalid_grant", "The auth_req_id is not valid."),
  ),
  bad(
    "CIBA Core §5, §11: a client that is pushed its tokens fetches none",
    "ciba-grant.not-pushed",
    async (w) => poll(w, await ask(w, "pushed"), "pushed"),
    refused("unauthorized_client", "The client may not fetch this result."),
  ),
  bad(
    "CIBA Core §11: an auth_req_id is good once",
    "ciba-grant.unused",
    pollAfter("allow", async (w, request) => {
      await poll(w, request)
      return poll(w, request)
    }),
    refused("invalid_grant", "The auth_req_id has been used."),
  ),
  bad(
    "CIBA Core §11: an auth_req_id that has expired is expired_token",
    "ciba-grant.fresh",
    pollAfter("allow", (w, request) => {
      w.pass(300)
      return poll(w, request)
    }),
    refused("expired_token", "The auth_req_id has expired."),
  ),
  bad(
    "CIBA Core §11: before the person has answered it is authorization_pending",
    "ciba-grant.approved",
    pollAfter(undefined),
    refused("authorization_pending", "The person has not answered yet."),
  ),
  bad(
    "CIBA Core §11: a client that polls too fast is slow_down",
    "ciba-grant.unhurried",
    pollAfter(undefined, async (w, request) => {
      await poll(w, request)
      w.pass(4)
      return poll(w, request)
    }),
    refused("slow_down", "The client polls too fast."),
  ),
  bad(
    "CIBA Core §11: slow_down adds five seconds, and they are kept",
    "ciba-grant.unhurried",
    pollAfter(undefined, async (w, request) => {
      await poll(w, request)
      await poll(w, request)
      w.pass(9)
      return poll(w, request)
    }),
    refused("slow_down", "The client polls too fast."),
  ),
  bad(
    "CIBA Core §11: a request that its person denied is access_denied",
    "ciba-grant.not-denied",
    pollAfter("deny"),
    refused("access_denied", "The person did not allow it."),
  ),
  ...(["till", "pinged"] as const).flatMap((clientId) => [
    good(
      `CIBA Core §10.2, §11: slow_down is for a request that waits: one that was answered gives its tokens, however lately it was polled (${clientId})`,
      async (w) => {
        const request = await ask(w, clientId)
        for (let at = 0; at < 2; at++) await poll(w, request, clientId)
        await decide(w, request)
        return poll(w, request, clientId)
      },
      { status: 200, json: { token_type: "Bearer" } },
    ),
    bad(
      `CIBA Core §10.2, §11: and its denial (${clientId})`,
      "ciba-grant.not-denied",
      async (w) => {
        const request = await ask(w, clientId)
        for (let at = 0; at < 2; at++) await poll(w, request, clientId)
        await decide(w, request, "deny")
        return poll(w, request, clientId)
      },
      refused("access_denied", "The person did not allow it."),
    ),
  ]),
  bad(
    "RFC 6749 §5.2: a consent that was withdrawn meanwhile gives no tokens",
    "ciba-grant.grant-live",
    async (w) => {
      const request = await ask(w, "till", { scope: "openid offline_access" })
      const visitor = await signedIn(w)
      await decide(w, request, "allow", visitor)
      const home = (await visitor.get("/")).page
      await visitor.submit(home, [["client_id", "till"]], "withdrawConsent")
      return poll(w, request)
    },
    refused("invalid_grant", "The authorization has been revoked."),
  ),
  bad(
    "RFC 6749 §3.3: a client that has lost every granted scope gets no tokens",
    "ciba-grant.scope-left",
    pollAfter("allow", (w, request) => {
      const known = w.clients.get("till")
      if (known !== undefined) w.clients.set("till", { ...known, scope: [] })
      return poll(w, request)
    }),
    refused("invalid_grant", "No granted scope is left."),
  ),
  bad(
    "RFC 8707 §2: a resource that is no URI is refused at the token endpoint",
    "ciba-grant.resource-form",
    pollAfter("allow", (w, request) => poll(w, request, "till", { resource: "api" })),
    refused("invalid_target", "A resource must be an absolute URI without a fragment."),
  ),
  bad(
    "RFC 8707 §2.2: a resource outside of the grant is refused",
    "ciba-grant.resource-allowed",
    pollAfter("allow", (w, request) => poll(w, request, "till", { resource: "https://api.example" })),
    refused("invalid_target", "A resource is unknown or not allowed."),
  ),
  bad(
    "RFC 6749 §5.2: a person who was disabled meanwhile gets no tokens",
    "ciba-grant.person-active",
    pollAfter("allow", (w, request) => {
      disable(w)
      return poll(w, request)
    }),
    refused("invalid_grant", "The person can no longer sign in."),
  ),
]

const toLogin: Expectation = { status: 303, to: "/login" }
const nothingWaits: Expectation = { status: 200, page: { _tag: "Feature", name: "ciba-done", model: { outcome: "none" } } }

const aged = {
  ...tills.find(({ client_id }) => client_id === "till"),
  client_id: "aged",
  client_secret: "secret of aged",
  default_max_age: 60,
}

const pageCases: ReadonlyArray<Case> = [
  bad(
    "OpenID Connect Dynamic Client Registration §2: default_max_age holds for what a person approves too",
    "approval.max-age",
    async (w) => {
      const visitor = await signedIn(w)
      w.pass(61)
      return open(visitor, await ask(w, "aged"))
    },
    { status: 303, to: "/login" },
    asking({}, [aged]),
  ),
  good(
    "OpenID Connect Dynamic Client Registration §2: who has signed in since the client asked has signed in lately enough, however long they read",
    async (w) => {
      const request = await ask(w, "aged", { requested_expiry: "600" })
      w.pass(100)
      const visitor = await signedIn(w)
      w.pass(61)
      return open(visitor, request)
    },
    { status: 200, page: { name: "ciba" } },
    asking({}, [aged]),
  ),
  good("CIBA Core §8: the person sees who asks, for what, and the message", async (w) => open(await signedIn(w), await ask(w)), {
    status: 200,
    page: {
      _tag: "Feature",
      name: "ciba",
      model: {
        client: { name: "Till" },
        bindingMessage: "W4SCT",
        person: { username: "alice" },
        scopes: [{ name: "openid" }, { name: "email" }],
      },
    },
  }),
  good(
    "CIBA Core §8: without an address the oldest request is shown",
    async (w) => {
      await ask(w, "till", { binding_message: "first" })
      w.pass(1)
      await ask(w, "till", { binding_message: "second" })
      return (await signedIn(w)).get("/approve")
    },
    { status: 200, page: { model: { bindingMessage: "first" } } },
  ),
  good(
    "CIBA Core §8: whoever opens the page without naming a request signs in, and comes back to the one that waits",
    async (w) => {
      await ask(w, "till", { binding_message: "first" })
      const visitor = w.visitor()
      const sent = await visitor.get("/approve")
      const login = await visitor.get(sent.header("location") ?? "")
      const back = await visitor.submit(login.page, [
        ["username", "alice"],
        ["password", "correct horse"],
      ])
      return visitor.get(back.header("location") ?? "")
    },
    { status: 200, page: { model: { bindingMessage: "first" } } },
  ),
  good(
    "CIBA Core §8: after an answer the next request is offered",
    async (w) => {
      const first = await ask(w, "till", { binding_message: "first" })
      await ask(w, "till", { binding_message: "second" })
      const visitor = await signedIn(w)
      return visitor.get(String(modelOf(await decide(w, first, "deny", visitor))["next"]))
    },
    { status: 200, page: { model: { bindingMessage: "second" } } },
  ),
  bad(
    "OpenID Connect Core §3.1.2.3: who is not signed in signs in first",
    "session.live",
    async (w) => open(w.visitor(), await ask(w)),
    toLogin,
  ),
  good(
    "CIBA Core §8: and comes back to the request",
    async (w) => {
      const visitor = w.visitor()
      const login = await visitor.get((await open(visitor, await ask(w))).header("location") ?? "")
      const back = await visitor.submit(login.page, [
        ["username", "alice"],
        ["password", "correct horse"],
      ])
      return visitor.get(back.header("location") ?? "")
    },
    { status: 200, page: { name: "ciba", model: { bindingMessage: "W4SCT" } } },
  ),
  bad(
    "CIBA Core §8: another account can be used",
    "approval.same-account",
    async (w) => {
      const visitor = await signedIn(w)
      return visitor.get(String(modelOf(await open(visitor, await ask(w)))["another"]))
    },
    toLogin,
  ),
  bad(
    "CIBA Core §8: a request for somebody else is as good as none",
    "approval.request-own",
    async (w) => open(await signedIn(w, "bob"), await ask(w)),
    nothingWaits,
  ),
  bad(
    "CIBA Core §8: a request is answered once",
    "approval.request-undecided",
    async (w) => {
      const request = await ask(w)
      await decide(w, request, "deny")
      return open(await signedIn(w), request)
    },
    nothingWaits,
  ),
  bad(
    "CIBA Core §7.3: a request that has expired is answered no more",
    "approval.request-fresh",
    async (w) => {
      const request = await ask(w)
      w.pass(300)
      return open(await signedIn(w), request)
    },
    nothingWaits,
  ),
  bad(
    "CIBA Core §8: a client that was disabled gets no answer",
    "approval.client",
    async (w) => {
      const request = await ask(w)
      const known = w.clients.get("till")
      if (known !== undefined) w.clients.set("till", { ...known, disabled: true })
      return open(await signedIn(w), request)
    },
    nothingWaits,
  ),
  ...(["open", "decide"] as const).map((step) =>
    bad(
      `RFC 9449 §5.2: nothing is pushed to a client whose tokens must be bound since it asked (${step})`,
      "approval.push-unbound",
      async (w) => {
        const request = await ask(w, "pushed")
        const visitor = await signedIn(w)
        const shownBefore = modelOf(await open(visitor, request))
        const known = w.clients.get("pushed")
        if (known !== undefined) w.clients.set("pushed", { ...known, members: { ...known.members, dpop_bound_access_tokens: true } })
        const last = step === "open" ? await open(visitor, request) : await visitor.submit(shownBefore, [["decision", "allow"]])
        const { received } = await deliver(w)
        return { ...last, json: { pushed: received.map(({ body }) => body["access_token"]).filter((each) => each !== undefined).length } }
      },
      { ...nothingWaits, json: { pushed: 0 } },
    ),
  ),
  bad(
    "CIBA Core §14: a POST that is no form approves nothing",
    "approval.form",
    async (w) => {
      const visitor = await signedIn(w)
      const { hidden } = modelOf(await open(visitor, await ask(w)))["form"] as { hidden: Array<[string, string]> }
      return visitor.post("/approve", [...hidden, ["decision", "allow"]], { "content-type": "text/plain" })
    },
    shown("form_stale"),
  ),
  bad(
    "RFC 6749 §10.12: approving takes a CSRF token",
    "approval.csrf",
    async (w) => {
      const visitor = await signedIn(w)
      const { hidden } = modelOf(await open(visitor, await ask(w)))["form"] as { hidden: Array<[string, string]> }
      return visitor.post("/approve", [...hidden.filter(([name]) => name !== "csrf"), ["decision", "allow"]])
    },
    shown("form_stale"),
  ),
  bad(
    "CIBA Core §8: neither allow nor deny approves nothing",
    "approval.decision",
    async (w) => decide(w, await ask(w), "perhaps"),
    shown("form_stale"),
  ),
  bad(
    "RFC 9700 §4.15: a subject that became a client_id meanwhile approves nothing",
    "approval.apart-from-clients",
    async (w) => {
      const request = await ask(w)
      const visitor = await signedIn(w)
      const shownPage = await open(visitor, request)
      const till = w.clients.get("till")
      if (till !== undefined) w.clients.set("sub-alice", { ...till, clientId: "sub-alice" })
      return visitor.submit(modelOf(shownPage), [["decision", "allow"]])
    },
    shown("failed", "server_error", 500),
  ),
]

const told = async (w: World, clientId: string, decision: string, answer: () => OutboundAnswer = () => answering(204)): Promise<Said> => {
  const request = await ask(w, clientId)
  const last = await decide(w, request, decision)
  const { received, outcomes } = await deliver(w, {}, answer)
  const [first] = received
  return {
    ...last,
    json: {
      url: first?.url,
      authorization: first?.authorization,
      same: first?.body["auth_req_id"] === request.json?.["auth_req_id"],
      members: Object.keys(first?.body ?? {})
        .toSorted()
        .join(" "),
      outcome: outcomes[0]?._tag ?? "Delivered",
    },
  }
}

const told204 = { url: "https://till.example/notify", authorization: "Bearer notify~me+1/2=", same: true, outcome: "Delivered" }

const deliveryCases: ReadonlyArray<Case> = [
  good("CIBA Core §10.2: a ping carries the auth_req_id, and the client's own token", (w) => told(w, "pinged", "allow"), {
    status: 200,
    json: { ...told204, members: "auth_req_id" },
  }),
  good("CIBA Core §10.2: a denial is pinged too", (w) => told(w, "pinged", "deny"), {
    status: 200,
    json: { ...told204, members: "auth_req_id" },
  }),
  good("CIBA Core §10.3.1: a push carries the tokens", (w) => told(w, "pushed", "allow"), {
    status: 200,
    json: { ...told204, members: "access_token auth_req_id expires_in id_token scope token_type" },
  }),
  good("CIBA Core §12: a push of a denial carries the error", (w) => told(w, "pushed", "deny"), {
    status: 200,
    json: { ...told204, members: "auth_req_id error error_description" },
  }),
  good(
    "CIBA Core §12: a push of a request that nobody answered carries expired_token, once",
    async (w) => {
      const request = await ask(w, "pushed")
      w.pass(299)
      const early = (await deliver(w)).received.length
      w.pass(1)
      const { received, outcomes } = await deliver(w)
      w.pass(3600)
      const [first] = received
      return {
        ...request,
        json: {
          url: first?.url,
          authorization: first?.authorization,
          same: first?.body["auth_req_id"] === request.json?.["auth_req_id"],
          error: first?.body["error"],
          outcome: outcomes[0]?._tag ?? "Delivered",
          sent: [early, received.length, (await deliver(w)).received.length],
        },
      }
    },
    { status: 200, json: { ...told204, error: "expired_token", sent: [0, 1, 0] } },
  ),
  ...["allow", "deny"].map((decision) =>
    good(
      `CIBA Core §12: of a request that was answered no expiry is pushed (${decision})`,
      async (w) => {
        const last = await decide(w, await ask(w, "pushed"), decision)
        const first = (await deliver(w)).received.length
        w.pass(300)
        return { ...last, json: { sent: [first, (await deliver(w)).received.length] } }
      },
      { status: 200, json: { sent: [1, 0] } },
    ),
  ),
  good(
    "CIBA Core §12: a client that polls or is pinged is told of no expiry: it asks, or sees its time run out",
    async (w) => {
      const last = await ask(w, "pinged")
      await ask(w)
      w.pass(300)
      return { ...last, json: { sent: (await deliver(w)).received.length } }
    },
    { status: 200, json: { sent: 0 } },
  ),
  good(
    "CIBA Core §10.2: who is not reached is tried again",
    (w) => told(w, "pinged", "allow", () => ({ _tag: "Unfetched", reason: "gone" })),
    { status: 200, json: { outcome: "Failed" } },
  ),
  good("RFC 9110 §15.6: who fails is tried again", (w) => told(w, "pushed", "allow", () => answering(503)), {
    status: 200,
    json: { outcome: "Failed" },
  }),
  good(
    "CIBA Core §10.3: a client that was disabled meanwhile is sent nothing",
    async (w) => {
      const last = await decide(w, await ask(w, "pushed"))
      const known = w.clients.get("pushed")
      if (known !== undefined) w.clients.set("pushed", { ...known, disabled: true })
      return { ...last, json: { sent: (await deliver(w)).received.length } }
    },
    { status: 200, json: { sent: 0 } },
  ),
  good("CIBA Core §10.2: a redirect is not followed, and not tried again", (w) => told(w, "pinged", "allow", () => answering(302)), {
    status: 200,
    json: { outcome: "Refused" },
  }),
]

/** Requests that are no proper forms. */
const formCases: ReadonlyArray<Case> = [
  bad(
    "RFC 6749 appendix B: the body is a form",
    "backchannel-authentication.form",
    async (w) =>
      said(
        await w.send({
          method: "POST",
          path: "/connect/ciba",
          body: "{}",
          headers: { "content-type": "application/json", authorization: basic("till") },
        }),
      ),
    invalid("The body must be application/x-www-form-urlencoded."),
  ),
  bad(
    "RFC 6749 §3.2: no parameter comes twice",
    "backchannel-authentication.parameters-once",
    (w) =>
      post(w, "/connect/ciba", "till", [
        ["scope", "openid"],
        ["scope", "openid"],
      ]),
    invalid("A parameter is sent more than once."),
  ),
]

/** CIBA: OpenID Connect Client-Initiated Backchannel Authentication Core 1.0, FAPI-CIBA. */
export const cases: ReadonlyArray<Case> = [...formCases, ...requestCases, ...signedCases, ...tokenCases, ...pageCases, ...deliveryCases]
