import { authorize, codeFor, follow, request, signIn, signedIn, tokensFor } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import { type World, password } from "../support/world.ts"
import { type Case, type Expectation, page, sentBack, shown } from "./case.ts"

type Changes = Readonly<Record<string, string | undefined>>

/** Asks as a person who is signed in. */
const ask =
  (changes: Changes, clientId = "web") =>
  async (w: World) =>
    authorize(await signedIn(w), clientId, changes)

/** Asks with parameters in order, some of them more than once. */
const askPairs =
  (more: ReadonlyArray<readonly [string, string]>, clientId = "web", changes: Changes = {}) =>
  async (w: World) =>
    (await signedIn(w)).get("/connect/authorize", [...Object.entries(request(clientId, changes)), ...more])

const granted: Expectation = { status: 303, to: "https://app.example/cb", params: { state: "st", iss: "https://op.example" } }

/** An error page that sends the browser nowhere. */
const atOnce = (trouble: string, error: string): Expectation => ({ ...shown(trouble, error), to: undefined })

const trustCases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §3.1.2.1: a POST that is no form is refused with a page",
    rule: "authorize.form",
    run: async (w) =>
      said(
        await w.send({
          method: "POST",
          path: "/connect/authorize",
          body: new URLSearchParams(request()).toString(),
          headers: { "content-type": "text/plain" },
        }),
      ),
    expect: shown("request_invalid", "invalid_request"),
  },
  {
    title: "RFC 9110 §4.1: a request longer than URLs can be is refused with a page",
    rule: "authorize.length",
    // A parameter that is not kept: what is kept of the request is short.
    run: ask({ unheard_of: "x".repeat(12_288) }),
    expect: shown("request_invalid", "invalid_request"),
  },
  {
    title: "RFC 6749 §3.1: client_id twice is refused with a page",
    rule: "authorize.client-once",
    run: askPairs([["client_id", "web"]]),
    expect: shown("client_unknown", "invalid_request"),
  },
  {
    title: "RFC 6749 §4.1.1: no client_id is refused with a page",
    rule: "authorize.client-present",
    run: ask({ client_id: undefined }),
    expect: shown("client_unknown", "invalid_request"),
  },
  {
    title: "RFC 6749 §4.1.2.1: an unknown client is refused with a page",
    rule: "authorize.client-known",
    run: ask({ client_id: "nobody" }),
    expect: shown("client_unknown", "invalid_client"),
  },
  {
    title: "RFC 6749 §4.1.2.1: a disabled client is refused with a page",
    rule: "authorize.client-enabled",
    run: ask({}, "disabled"),
    expect: shown("client_unknown", "invalid_client"),
  },
  {
    title: "RFC 6749 §3.1: redirect_uri twice is refused with a page",
    rule: "authorize.redirect-uri-once",
    run: askPairs([["redirect_uri", "https://app.example/cb"]]),
    expect: shown("redirect_uri_invalid", "invalid_request"),
  },
  {
    title: "specification §2.1: no redirect_uri is refused with a page, even where one alone is registered",
    rule: "authorize.redirect-uri-present",
    run: ask({ redirect_uri: undefined }),
    expect: shown("redirect_uri_invalid", "invalid_request"),
  },
  ...[
    "https://evil.example/cb",
    "https://app.example/cb/",
    "https://app.example/CB",
    "https://app.example/cb?tab=2",
    "https://app.example:443/cb",
    "https://app.example/cb#x",
    "https://user@app.example/cb",
    "http://app.example/cb",
    "https://app.example/cb/../cb",
    "javascript:alert(1)",
  ].map((redirect_uri): Case => ({
    title: `RFC 9700 §2.1: ${redirect_uri} is not the registered redirect_uri; a page, no redirect, whatever else is wrong`,
    rule: "authorize.redirect-uri-registered",
    run: ask({ redirect_uri, response_type: "nonsense" }),
    expect: shown("redirect_uri_invalid", "invalid_request"),
  })),
  {
    title: "RFC 8252 §7.3: a native client's loopback redirect_uri may have any port",
    rule: undefined,
    run: ask({ redirect_uri: "http://127.0.0.1:53124/cb" }, "native"),
    expect: { status: 303, to: "http://127.0.0.1:53124/cb" },
  },
  ...[
    "http://127.0.0.1:53124/other",
    "http://127.0.0.1.evil.example/cb",
    "http://localhost/cb",
    "http://x@127.0.0.1:1/cb",
    "https://127.0.0.1/cb",
    "http://127.0.0.1:1/cb#f",
    "com.example.app:/other",
  ].map((redirect_uri): Case => ({
    title: `RFC 8252 §7.3: for a native client ${redirect_uri} is still another redirect_uri`,
    rule: "authorize.redirect-uri-registered",
    run: ask({ redirect_uri }, "native"),
    expect: shown("redirect_uri_invalid", "invalid_request"),
  })),
]

const requestCases: ReadonlyArray<Case> = [
  { title: "RFC 6749 §4.1.2: a code is sent back with state and iss", rule: undefined, run: ask({}), expect: granted },
  {
    title: "OpenID Connect Core §3.1.2.1: a request may come by POST",
    rule: undefined,
    run: async (w) => (await signedIn(w)).post("/connect/authorize", request()),
    expect: granted,
  },
  {
    title: "OpenID Connect Core §3.1.2.1: a POST from another site, so without our cookies, goes on by GET, where they come along",
    rule: "browser.known",
    run: async (w) => w.visitor().post("/connect/authorize", request("web", { state: "a b&c" })),
    expect: { status: 303, to: "/connect/authorize", params: { client_id: "web", state: "a b&c" } },
  },
  {
    title: "RFC 6749 §4.1.2.1: a POST from another site for an unknown client is refused at once, by no redirect at all",
    rule: "authorize.client-known",
    run: (w) => w.visitor().post("/connect/authorize", request("nobody")),
    expect: atOnce("client_unknown", "invalid_client"),
  },
  {
    title: "RFC 6749 §4.1.2.1: nor does one with a redirect_uri that is not registered go on by GET",
    rule: "authorize.redirect-uri-registered",
    run: (w) => w.visitor().post("/connect/authorize", request("web", { redirect_uri: "https://evil.example/cb" })),
    expect: atOnce("redirect_uri_invalid", "invalid_request"),
  },
  {
    title: "RFC 6749 §3.1: unknown parameters are ignored",
    rule: undefined,
    run: ask({ extra: "foobar", display: "popup", claims_locales: "se" }),
    expect: granted,
  },
  {
    title: "RFC 6749 §3.1: the order of parameters does not matter",
    rule: undefined,
    run: async (w) => (await signedIn(w)).get("/connect/authorize", Object.entries(request()).reverse()),
    expect: granted,
  },
  {
    title: "RFC 6749 §3.1: a parameter twice is refused",
    rule: "authorize.parameters-once",
    run: askPairs([
      ["nonce", "a"],
      ["nonce", "b"],
    ]),
    expect: sentBack("invalid_request", "A parameter is sent more than once."),
  },
  {
    title: "RFC 8707 §2: resource may come twice",
    rule: undefined,
    run: askPairs(
      [
        ["resource", "https://api.example"],
        ["resource", "https://billing.example"],
      ],
      "web",
      { scope: "openid api.read billing" },
    ),
    expect: granted,
  },
  {
    title: "RFC 9101 §5: request and request_uri at once are refused",
    rule: "authorize.request-or-request-uri",
    run: ask({ request: "x", request_uri: "https://app.example/r" }),
    expect: sentBack("invalid_request", "Send request or request_uri, not both."),
  },
  {
    title: "OpenID Connect Core §6.1: request is refused as not supported",
    rule: "authorize.request-unsupported",
    run: ask({ request: "x" }),
    expect: sentBack("request_not_supported", "The request parameter is not supported."),
  },
  {
    title: "OpenID Connect Core §6.2: request_uri is refused as not supported",
    rule: "authorize.request-uri-unsupported",
    run: ask({ request_uri: "https://app.example/r" }),
    expect: sentBack("request_uri_not_supported", "The request_uri parameter is not supported."),
  },
  {
    title: "OpenID Connect Core §7.2.1: registration is refused as not supported",
    rule: "authorize.registration-unsupported",
    run: ask({ registration: "{}" }),
    expect: sentBack("registration_not_supported", "The registration parameter is not supported."),
  },
  {
    title: "RFC 6749 §4.1.2.1: no response_type is refused",
    rule: "authorize.response-type-present",
    run: ask({ response_type: undefined }),
    expect: sentBack("invalid_request", "The response_type is missing."),
  },
  {
    title: "RFC 6749 §3.1.1: an unknown response_type is refused",
    rule: "authorize.response-type-known",
    run: ask({ response_type: "code magic" }),
    expect: sentBack("unsupported_response_type", "The response_type is not supported."),
  },
  {
    title: "RFC 6749 §4.1.2.1: a response_type the client may not use is refused",
    rule: "authorize.response-type-allowed",
    options: {
      clients: [
        {
          client_id: "web",
          client_secret: "s",
          grant_types: ["refresh_token"],
          response_types: [],
          redirect_uris: ["https://app.example/cb"],
          scope: "openid",
        },
      ],
    },
    run: ask({}),
    expect: sentBack("unauthorized_client", "The client may not use this response_type."),
  },
  {
    title: "OAuth 2.0 Multiple Response Types §2.1: an unknown response_mode is refused",
    rule: "authorize.response-mode-known",
    run: ask({ response_mode: "smoke" }),
    expect: sentBack("invalid_request", "The response_mode is not supported."),
  },
  {
    title: "specification §2.1: no scope is refused",
    rule: "authorize.scope-present",
    run: ask({ scope: undefined }),
    expect: sentBack("invalid_request", "The scope is missing."),
  },
  {
    title: "RFC 6749 §3.3: an unknown scope is refused",
    rule: "authorize.scope-allowed",
    run: ask({ scope: "openid nonsense" }),
    expect: sentBack("invalid_scope", "A scope is unknown or not allowed for this client."),
  },
  {
    title: "RFC 6749 §3.3: a scope in the client's list that the provider does not know is refused",
    rule: "authorize.scope-allowed",
    options: { clients: [{ client_id: "web", client_secret: "s", redirect_uris: ["https://app.example/cb"], scope: "openid ghost" }] },
    run: ask({ scope: "openid ghost" }),
    expect: sentBack("invalid_scope", "A scope is unknown or not allowed for this client."),
  },
  {
    title: "RFC 6749 §3.3: a scope the client is not allowed is refused",
    rule: "authorize.scope-allowed",
    run: ask({ scope: "openid role" }),
    expect: sentBack("invalid_scope", "A scope is unknown or not allowed for this client."),
  },
  {
    title: "RFC 9700 §2.1.1: a public client without PKCE is refused, though its metadata says that it need not use it",
    rule: "authorize.challenge-required",
    options: {
      clients: [
        {
          client_id: "spa",
          token_endpoint_auth_method: "none",
          redirect_uris: ["https://app.example/cb"],
          scope: "openid",
          require_pkce: false,
        },
      ],
    },
    run: ask({ code_challenge: undefined, code_challenge_method: undefined }, "spa"),
    expect: sentBack("invalid_request", "The code_challenge is missing."),
  },
  {
    title: "RFC 9700 §2.1.1: a public client without PKCE is refused",
    rule: "authorize.challenge-required",
    run: ask({ code_challenge: undefined, code_challenge_method: undefined }, "spa"),
    expect: sentBack("invalid_request", "The code_challenge is missing."),
  },
  {
    title: "behaviour, requests: PKCE is required of a confidential client too",
    rule: "authorize.challenge-required",
    run: ask({ code_challenge: undefined, code_challenge_method: undefined }),
    expect: sentBack("invalid_request", "The code_challenge is missing."),
  },
  {
    title: "RFC 7636 §4.3: a method without a challenge is refused",
    rule: "authorize.challenge-method-alone",
    run: ask({ code_challenge: undefined }, "old"),
    expect: sentBack("invalid_request", "A code_challenge_method needs a code_challenge."),
  },
  {
    title: "RFC 7636 §4.4.1: an unknown method is refused",
    rule: "authorize.challenge-method-known",
    run: ask({ code_challenge_method: "S512" }, "old"),
    expect: sentBack("invalid_request", "The code_challenge_method is not supported."),
  },
  {
    title: "RFC 7636 §4.4.1: plain is refused where the client may not use it",
    rule: "authorize.challenge-plain-allowed",
    run: ask({ code_challenge_method: "plain" }),
    expect: sentBack("invalid_request", "The code_challenge_method must be S256."),
  },
  {
    title: "RFC 7636 §4.3: no method means plain, and is refused where the client may not use it",
    rule: "authorize.challenge-plain-allowed",
    run: ask({ code_challenge_method: undefined }),
    expect: sentBack("invalid_request", "The code_challenge_method must be S256."),
  },
  ...["short", "x".repeat(129), `${"x".repeat(42)}=`].map((code_challenge): Case => ({
    title: `RFC 7636 §4.2: the challenge ${code_challenge.slice(0, 6)}… of ${code_challenge.length} characters is refused`,
    rule: "authorize.challenge-form",
    run: ask({ code_challenge }),
    expect: sentBack("invalid_request", "The code_challenge must be 43 to 128 unreserved characters."),
  })),
  ...(
    [
      ["dance", "OpenID Connect Core §3.1.2.1: an unknown prompt is refused"],
      ["create", "Initiating User Registration §4.1: prompt=create, which discovery does not name, is refused"],
      ["login create", "Initiating User Registration §4.1: so it is beside another"],
    ] as const
  ).map(([prompt, title]): Case => ({
    title,
    rule: "authorize.prompt-known",
    run: ask({ prompt }),
    expect: sentBack("invalid_request", "The prompt is not supported."),
  })),
  {
    title: "OpenID Connect Core §3.1.2.1: prompt=none stands alone",
    rule: "authorize.prompt-none-alone",
    run: ask({ prompt: "none login" }),
    expect: sentBack("invalid_request", "The prompt none cannot be joined with others."),
  },
  ...["-1", "1e99", "x", "1.5", "99999999999"].map((max_age): Case => ({
    title: `OpenID Connect Core §3.1.2.1: max_age=${max_age} is refused`,
    rule: "authorize.max-age-form",
    run: ask({ max_age }),
    expect: sentBack("invalid_request", "The max_age must be a whole number of seconds."),
  })),
  {
    title: "OpenID Connect Core §3.1.2.1: an id_token_hint that is none is refused, never a session",
    rule: "authorize.id-token-hint",
    run: ask({ id_token_hint: "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzdWItYWxpY2UifQ." }),
    expect: sentBack("invalid_request", "The id_token_hint is not an ID token of this provider for this client."),
  },
  {
    title: "OpenID Connect Core §3.1.2.1: an id_token_hint of another client is refused",
    rule: "authorize.id-token-hint",
    run: async (w) => authorize(await signedIn(w), "other", { id_token_hint: (await tokensFor(w)).id_token }),
    expect: sentBack("invalid_request", "The id_token_hint is not an ID token of this provider for this client."),
  },
]

const modeCases: ReadonlyArray<Case> = [
  {
    title: "OAuth 2.0 Multiple Response Types §2.1: response_mode=fragment answers in the fragment",
    rule: undefined,
    run: ask({ response_mode: "fragment" }),
    expect: { ...granted, headers: {} },
  },
  {
    title: "OAuth 2.0 Form Post Response Mode §2: response_mode=form_post answers with a form",
    rule: undefined,
    run: ask({ response_mode: "form_post" }),
    expect: {
      status: 200,
      page: { _tag: "FormPost", action: "https://app.example/cb" },
      params: { state: "st", iss: "https://op.example" },
    },
  },
  {
    title: "OAuth 2.0 Form Post Response Mode §2: errors come by form_post too",
    rule: "authorize.scope-present",
    run: ask({ response_mode: "form_post", scope: undefined }),
    expect: {
      status: 200,
      page: { _tag: "FormPost", action: "https://app.example/cb" },
      params: { error: "invalid_request", state: "st", iss: "https://op.example" },
    },
  },
  {
    title: "RFC 6749 §3.1.2: the query of a redirect_uri is kept",
    rule: undefined,
    run: ask({ redirect_uri: "https://app.example/cb?tab=1" }),
    expect: { status: 303, to: "https://app.example/cb", params: { tab: "1", state: "st" } },
  },
  {
    title: "RFC 9207 §2: errors carry iss",
    rule: "authorize.scope-present",
    run: ask({ scope: undefined }),
    expect: { status: 303, params: { iss: "https://op.example" } },
  },
  {
    title: "RFC 6749 §4.1.2: state comes back as it was, whatever it holds",
    rule: undefined,
    run: ask({ state: `a&b=c#d"<ü>+ %` }),
    expect: { status: 303, params: { state: `a&b=c#d"<ü>+ %` } },
  },
]

const needsLogin = sentBack("login_required", "The person must sign in.")
const loginPage = page("Login")

const personCases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §3.1.2.3: without a session the person is asked to sign in",
    rule: "person.signed-in",
    run: (w) => authorize(w.visitor()),
    expect: loginPage,
  },
  {
    title: "specification §4 rule 1: prompt=none without a session is login_required, no page",
    rule: "person.signed-in",
    run: (w) => authorize(w.visitor(), "web", { prompt: "none" }),
    expect: needsLogin,
  },
  {
    title: "OpenID Connect Core §3.1.2.1: prompt=none with a session answers silently",
    rule: undefined,
    run: ask({ prompt: "none" }),
    expect: granted,
  },
  {
    title: "behaviour, lifetimes: a session not used for ten hours has ended",
    rule: "person.signed-in",
    run: async (w) => {
      const visitor = await signedIn(w)
      w.pass(36_000)
      return authorize(visitor, "web", { prompt: "none" })
    },
    expect: needsLogin,
  },
  {
    title: "behaviour, lifetimes: a session that is used slides",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      for (let hour = 0; hour < 30; hour += 5) {
        w.pass(18_000)
        await authorize(visitor)
      }
      return authorize(visitor, "web", { prompt: "none" })
    },
    expect: granted,
  },
  {
    title: "OpenID Connect Core §3.1.2.3: the session of a person disabled since does not count",
    rule: "person.active",
    run: async (w) => {
      const visitor = await signedIn(w)
      const alice = w.people.get("sub-alice")
      if (alice !== undefined) w.people.set("sub-alice", { ...alice, active: false })
      return authorize(visitor, "web", { prompt: "none" })
    },
    expect: needsLogin,
  },
  ...["login", "select_account"].map((prompt): Case => ({
    title: `OpenID Connect Core §3.1.2.1: prompt=${prompt} asks to sign in though there is a session`,
    rule: "person.prompted",
    run: ask({ prompt }),
    expect: loginPage,
  })),
  {
    title: "behaviour, requests: a forced login counts once it has happened; no loop",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      const { page: form } = await authorize(visitor, "web", { prompt: "login" })
      return follow(
        visitor,
        await visitor.submit(form, [
          ["username", "alice"],
          ["password", password],
        ]),
      )
    },
    expect: granted,
  },
  {
    title: "behaviour, requests: the login of another interaction is no forced login of this one; no skip",
    rule: "person.prompted",
    run: async (w) => {
      const visitor = await signedIn(w)
      const first = await visitor.get("/connect/authorize", request("web", { prompt: "login" }))
      return visitor.get(`/connect/authorize/resume?interaction=${first.params["interaction"] ?? ""}`)
    },
    expect: { status: 303, to: "/login" },
  },
  {
    title: "specification §4 rule 2: a session older than max_age asks to sign in",
    rule: "person.max-age",
    run: async (w) => {
      const visitor = await signedIn(w)
      w.pass(11)
      return authorize(visitor, "web", { max_age: "10" })
    },
    expect: loginPage,
  },
  {
    title: "OpenID Connect Core §3.1.2.1: a session as old as max_age will do",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      w.pass(10)
      return authorize(visitor, "web", { max_age: "10" })
    },
    expect: granted,
  },
  { title: "behaviour, requests: max_age=0 always asks to sign in", rule: "person.max-age", run: ask({ max_age: "0" }), expect: loginPage },
  {
    title: "OpenID Connect Registration §2: default_max_age counts where the request names none",
    rule: "person.max-age",
    run: async (w) => {
      const visitor = await signedIn(w)
      w.pass(601)
      return authorize(visitor, "strict-age")
    },
    expect: loginPage,
  },
  {
    title: "OpenID Connect Core §3.1.2.1: an id_token_hint of the person signed in answers silently",
    rule: undefined,
    run: async (w) => authorize(await signedIn(w), "web", { prompt: "none", id_token_hint: (await tokensFor(w)).id_token }),
    expect: granted,
  },
  {
    title: "OpenID Connect Core §3.1.2.1: an id_token_hint of another person with prompt=none is login_required",
    rule: "person.hinted",
    run: async (w) => authorize(await signedIn(w, "bob"), "web", { prompt: "none", id_token_hint: (await tokensFor(w)).id_token }),
    expect: needsLogin,
  },
  {
    title: "OpenID Connect Core §3.1.2.1: the wrong person signing in to an id_token_hint is login_required, no loop",
    rule: "person.hinted",
    run: async (w) => {
      const visitor = w.visitor()
      const { page: form } = await authorize(visitor, "web", { id_token_hint: (await tokensFor(w)).id_token })
      return follow(
        visitor,
        await visitor.submit(form, [
          ["username", "bob"],
          ["password", password],
        ]),
      )
    },
    expect: sentBack("login_required", "Another person signed in than the one asked for."),
  },
  {
    title: "RFC 9700 §4.15: a person whose subject is a client_id gets no tokens",
    rule: "person.apart-from-clients",
    run: async (w) => authorize(await signedIn(w, "dave")),
    expect: sentBack("server_error", "The provider cannot issue tokens for this person."),
  },
]

const allow = [
  ["decision", "allow"],
  ["scope", "openid"],
  ["scope", "email"],
] as const

const consentCases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §3.1.2.4: a client that asks for consent gets a consent page",
    rule: "person.consented",
    run: ask({}, "asks"),
    expect: page("Consent", 200, { client: { name: "Asking App" } }),
  },
  {
    title: "OpenID Connect Core §3.1.2.6: prompt=none without consent is consent_required",
    rule: "person.consented",
    run: ask({ prompt: "none" }, "asks"),
    expect: sentBack("consent_required", "The person must be asked for consent."),
  },
  {
    title: "OpenID Connect Core §3.1.2.1: prompt=consent asks a first-party client's person too",
    rule: "person.consented",
    run: ask({ prompt: "consent" }),
    expect: page("Consent"),
  },
  {
    title: "OpenID Connect Core §3.1.2.4: allowed, the very request goes on",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      const { page: form } = await authorize(visitor, "asks", { scope: "openid email" })
      return follow(visitor, await visitor.submit(form, allow))
    },
    expect: granted,
  },
  {
    title: "RFC 6749 §4.1.2.1: denied, the client learns access_denied",
    rule: "person.consent-not-denied",
    run: async (w) => {
      const visitor = await signedIn(w)
      const { page: form } = await authorize(visitor, "asks")
      return follow(visitor, await visitor.submit(form, [["decision", "deny"]]))
    },
    expect: sentBack("access_denied", "The person did not allow it."),
  },
  {
    title: "behaviour, lifetimes: a consent is remembered",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      const { page: form } = await authorize(visitor, "asks", { scope: "openid email" })
      await follow(visitor, await visitor.submit(form, allow))
      return authorize(visitor, "asks", { scope: "openid", prompt: "none" })
    },
    expect: granted,
  },
  {
    title: "OpenID Connect Core §3.1.2.4: a scope not consented before is asked for",
    rule: "person.consented",
    run: async (w) => {
      const visitor = await signedIn(w)
      const { page: form } = await authorize(visitor, "asks", { scope: "openid email" })
      await follow(visitor, await visitor.submit(form, allow))
      return authorize(visitor, "asks", { scope: "openid email api.read" })
    },
    expect: page("Consent"),
  },
  {
    title: "behaviour, lifetimes: a consent past its lifetime is asked for again",
    rule: "person.consented",
    run: async (w) => {
      const visitor = await signedIn(w)
      const { page: form } = await authorize(visitor, "asks", { scope: "openid email" })
      await follow(visitor, await visitor.submit(form, allow))
      w.pass(1000)
      return authorize(visitor, "asks", { scope: "openid email" })
    },
    expect: page("Consent"),
  },
  {
    title: "OpenID Connect Core §3.1.2.4: a consent withdrawn is asked for again",
    rule: "person.consented",
    run: async (w) => {
      const visitor = await signedIn(w)
      const { page: form } = await authorize(visitor, "asks", { scope: "openid email" })
      await follow(visitor, await visitor.submit(form, allow))
      const home = await visitor.get("/")
      await visitor.submit(home.page, [["client_id", "asks"]], "withdrawConsent")
      return authorize(visitor, "asks", { scope: "openid email" })
    },
    expect: page("Consent"),
  },
  {
    title:
      "OpenID Connect Core §3.1.2.4: a consent withdrawn is withdrawn from the request that it was given for, which is not answered again",
    rule: "answered.code-good",
    run: async (w) => {
      const visitor = await signedIn(w)
      const first = await visitor.get("/connect/authorize", request("asks", { scope: "openid email" }))
      const { page: form } = await follow(visitor, first)
      await visitor.submit(form, allow)
      const home = await visitor.get("/")
      await visitor.submit(home.page, [["client_id", "asks"]], "withdrawConsent")
      return follow(visitor, await visitor.get(`/connect/authorize/resume?interaction=${first.params["interaction"] ?? ""}`))
    },
    expect: shown("interaction_finished"),
  },
  {
    title: "OpenID Connect Core §3.1.2.4: a consent is not made longer by a later one for other scopes",
    rule: "person.consented",
    run: async (w) => {
      const visitor = await signedIn(w)
      const first = await authorize(visitor, "asks", { scope: "openid api.write" })
      await follow(
        visitor,
        await visitor.submit(first.page, [
          ["decision", "allow"],
          ["scope", "api.write"],
        ]),
      )
      w.pass(900)
      const second = await authorize(visitor, "asks", { scope: "openid email" })
      await follow(visitor, await visitor.submit(second.page, allow))
      w.pass(200)
      return authorize(visitor, "asks", { scope: "openid api.write" })
    },
    expect: page("Consent"),
  },
  {
    title: "RFC 6749 §3.3: scopes left unticked are not granted",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      const { page: form } = await authorize(visitor, "asks", { scope: "openid email api.read" })
      const answer = await follow(visitor, await visitor.submit(form, allow))
      return (await import("../support/flows.ts")).redeem(w, answer.params["code"] ?? "", "asks")
    },
    expect: { status: 200, json: { scope: "openid email" } },
  },
  {
    title: "specification §2.1: a required scope stays, though its box is missing from the form",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      const { page: form } = await authorize(visitor, "asks", { scope: "openid email" })
      const answer = await follow(visitor, await visitor.submit(form, [["decision", "allow"]]))
      return (await import("../support/flows.ts")).redeem(w, answer.params["code"] ?? "", "asks")
    },
    expect: { status: 200, json: { scope: "openid" } },
  },
  {
    title: "RFC 6749 §4.1.2.1: with every scope unticked nothing is granted",
    rule: "person.some-scope-left",
    run: async (w) => {
      const visitor = await signedIn(w)
      const { page: form } = await authorize(visitor, "asks", { scope: "api.read" })
      return follow(visitor, await visitor.submit(form, [["decision", "allow"]]))
    },
    expect: sentBack("access_denied", "The person did not allow it."),
  },
  {
    title: "OpenID Connect Core §3.1.2.4: what one person allowed does not count for another who signed in since",
    rule: "answered.same-person",
    run: async (w) => {
      const visitor = await signedIn(w)
      const first = await visitor.get("/connect/authorize", request("asks", { scope: "openid email" }))
      const { page: form } = await follow(visitor, first)
      await visitor.submit(form, allow)
      visitor.cookies.delete("__Host-postern-session")
      await signIn(visitor, "bob")
      return follow(visitor, await visitor.get(`/connect/authorize/resume?interaction=${first.params["interaction"] ?? ""}`))
    },
    expect: shown("interaction_finished"),
  },
  {
    title: "RFC 6749 §4.1.2: every code is its own",
    rule: undefined,
    run: async (w) => ({ ...(await authorize(await signedIn(w))), status: (await codeFor(w)) === (await codeFor(w)) ? 500 : 303 }),
    expect: { status: 303 },
  },
]

/** The authorization endpoint: RFC 6749 §4.1, OpenID Connect Core §3.1.2, specification §2.1. */
export const cases: ReadonlyArray<Case> = [...trustCases, ...requestCases, ...modeCases, ...personCases, ...consentCases]
