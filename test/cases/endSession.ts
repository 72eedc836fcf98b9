import { authorize, codeFor, redeem, signedIn, tokensFor, userinfo } from "../support/flows.ts"
import { type World, clients, password } from "../support/world.ts"
import { type Case, page, shown } from "./case.ts"

const back = "https://app.example/out"
const end = "/connect/endsession"

/** A visitor with an ID token of their own session. */
const withToken = async (w: World, clientId = "web") => {
  const visitor = await signedIn(w)
  const { params } = await authorize(visitor, clientId)
  const { json } = await redeem(w, params["code"] ?? "", clientId)
  return { visitor, id_token_hint: String(json?.["id_token"]) }
}

/** RP-initiated logout: OpenID Connect RP-Initiated Logout 1.0. */
export const cases: ReadonlyArray<Case> = [
  {
    title: "RP-Initiated Logout §3: with the session's own ID token the browser goes back with its state, and nothing else",
    rule: undefined,
    run: async (w) => {
      const { visitor, id_token_hint } = await withToken(w)
      const answer = await visitor.get(end, { id_token_hint, post_logout_redirect_uri: back, state: "a b!&=" })
      return { ...answer, json: { params: Object.keys(answer.params).join() } }
    },
    expect: { status: 303, to: back, params: { state: "a b!&=" }, json: { params: "state" } },
  },
  {
    title: "RP-Initiated Logout §3: without a state none comes back",
    rule: undefined,
    run: async (w) => {
      const { visitor, id_token_hint } = await withToken(w)
      const answer = await visitor.get(end, { id_token_hint, post_logout_redirect_uri: back })
      return { ...answer, to: answer.header("location") }
    },
    expect: { status: 303, to: back },
  },
  {
    title: "RP-Initiated Logout §2: then the session is over",
    rule: "person.signed-in",
    run: async (w) => {
      const { visitor, id_token_hint } = await withToken(w)
      await visitor.get(end, { id_token_hint })
      return authorize(visitor, "web", { prompt: "none" })
    },
    expect: { status: 303, params: { error: "login_required" } },
  },
  {
    title: "RP-Initiated Logout §4: an expired ID token is a hint all the same",
    rule: undefined,
    run: async (w) => {
      const { visitor, id_token_hint } = await withToken(w)
      w.pass(3600)
      return visitor.get(end, { id_token_hint, post_logout_redirect_uri: back })
    },
    expect: { status: 303, to: back },
  },
  {
    title: "RP-Initiated Logout §2: without a hint the person is asked",
    rule: "end-session.asked",
    run: async (w) => (await signedIn(w)).get(end),
    expect: page("Logout", 200, { person: { username: "alice" } }),
  },
  {
    title: "RP-Initiated Logout §2: asked, the person says yes, and is signed out",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      return visitor.submit((await visitor.get(end)).page)
    },
    expect: page("SignedOut"),
  },
  {
    title: "RP-Initiated Logout §2: a client_id alone names the client, but the person is asked before the browser goes back",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      const asked = await visitor.get(end, { client_id: "web", post_logout_redirect_uri: back, state: "s" })
      return visitor.submit(asked.page)
    },
    expect: { status: 303, to: back, params: { state: "s" } },
  },
  {
    title: "RP-Initiated Logout §6: the ID token of another person signs nobody out unasked",
    rule: "end-session.asked",
    run: async (w) => (await signedIn(w, "bob")).get(end, { id_token_hint: (await tokensFor(w)).id_token }),
    expect: page("Logout"),
  },
  {
    title: "RP-Initiated Logout §6: a POST with a wrong CSRF token asks again",
    rule: "end-session.asked",
    run: async (w) => (await signedIn(w)).post(end, { csrf: "wrong" }),
    expect: page("Logout"),
  },
  {
    title: "RP-Initiated Logout §6: a CSRF token in the URL does not count",
    rule: "end-session.asked",
    run: async (w) => {
      const visitor = await signedIn(w)
      const form = (await visitor.get(end)).page?.["form"] as { hidden: Array<[string, string]> } | undefined
      return visitor.get(end, form?.hidden ?? [])
    },
    expect: page("Logout"),
  },
  {
    title: "RP-Initiated Logout §2: a POST from another site, so without our cookies, goes on by GET",
    rule: "browser.known",
    run: (w) => w.visitor().post(end, { post_logout_redirect_uri: back }),
    expect: { status: 303, to: end, params: { post_logout_redirect_uri: back } },
  },
  {
    title: "RP-Initiated Logout §6, Fetch Metadata §2.3: our own form, sent by another origin, asks again",
    rule: "end-session.asked",
    run: async (w) => {
      const visitor = await signedIn(w)
      const form = (await visitor.get(end)).page?.["form"] as { hidden: Array<[string, string]> } | undefined
      return visitor.post(end, form?.hidden ?? [], { "sec-fetch-site": "cross-site" })
    },
    expect: page("Logout"),
  },
  {
    title: "RP-Initiated Logout §2: with nobody signed in it says signed out",
    rule: undefined,
    run: (w) => w.visitor().get(end, { state: "s" }),
    expect: page("SignedOut"),
  },
  {
    title: "RP-Initiated Logout §2: a POST that is no form is refused",
    rule: "end-session.form",
    run: async (w) => (await signedIn(w)).post(end, {}, { "content-type": "text/plain" }),
    expect: shown("request_invalid", "invalid_request"),
  },
  {
    title: "RFC 6749 §3.1: a parameter twice is refused at logout",
    rule: "end-session.parameters-once",
    run: async (w) =>
      (await signedIn(w)).get(end, [
        ["state", "a"],
        ["state", "b"],
      ]),
    expect: shown("request_invalid", "invalid_request"),
  },
  {
    title: "RP-Initiated Logout §2: an unsigned id_token_hint is refused",
    rule: "end-session.hint",
    run: async (w) => {
      const { visitor, id_token_hint } = await withToken(w)
      const [, payload = ""] = id_token_hint.split(".")
      return visitor.get(end, {
        id_token_hint: `${Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url")}.${payload}.`,
        post_logout_redirect_uri: back,
      })
    },
    expect: shown("logout_hint_invalid", "invalid_request"),
  },
  {
    title: "RP-Initiated Logout §2: a hint that is no ID token of ours is refused, whatever else is asked",
    rule: "end-session.hint",
    run: async (w) => (await signedIn(w)).get(end, { id_token_hint: "nonsense" }),
    expect: shown("logout_hint_invalid", "invalid_request"),
  },
  {
    title: "RP-Initiated Logout §2: a client_id that is not the hint's is refused",
    rule: "end-session.client-agrees",
    run: async (w) => {
      const { visitor, id_token_hint } = await withToken(w)
      return visitor.get(end, { id_token_hint, client_id: "other", post_logout_redirect_uri: back })
    },
    expect: shown("logout_hint_foreign", "invalid_request"),
  },
  {
    title: "RP-Initiated Logout §3: a URI without a client goes nowhere",
    rule: "end-session.redirect-uri-client",
    run: async (w) => (await signedIn(w)).get(end, { post_logout_redirect_uri: back }),
    expect: shown("logout_redirect_uri_invalid", "invalid_request"),
  },
  ...["https://evil.example/", `${back}?more`, `${back}/`].map((uri): Case => ({
    title: `RP-Initiated Logout §3.1: ${uri} is not registered; no redirect`,
    rule: "end-session.redirect-uri-registered",
    run: async (w) => {
      const { visitor, id_token_hint } = await withToken(w)
      return visitor.get(end, { id_token_hint, post_logout_redirect_uri: uri })
    },
    expect: shown("logout_redirect_uri_invalid", "invalid_request"),
  })),
  {
    title: "RP-Initiated Logout §2: a refused logout leaves the session",
    rule: undefined,
    run: async (w) => {
      const { visitor } = await withToken(w)
      await visitor.get(end, { post_logout_redirect_uri: back })
      await codeFor(w)
      return visitor.get("/")
    },
    expect: page("Home"),
  },
  ...(
    [
      ["none", "openid", true],
      ["online", "openid", false],
      ["online", "openid offline_access", true],
      ["all", "openid offline_access", false],
    ] as const
  ).map(([policy, scope, lives]): Case => ({
    title: `RP-Initiated Logout §2: of a client with revoke_on_logout ${policy}, what was granted for ${scope} ${lives ? "outlives the session" : "ends with it"}`,
    rule: lives ? undefined : "userinfo.token-live",
    options: { clients: clients.map((each) => (each.client_id === "web" ? { ...each, revoke_on_logout: policy } : each)) },
    run: async (w) => {
      const visitor = await signedIn(w)
      const { params } = await authorize(visitor, "web", { scope })
      const { json } = await redeem(w, params["code"] ?? "")
      await visitor.get(end, { id_token_hint: String(json?.["id_token"]) })
      return userinfo(w, String(json?.["access_token"]))
    },
    expect: { status: lives ? 200 : 401 },
  })),
  {
    title: "RP-Initiated Logout §2: what was granted in another session of the same person lives on",
    rule: undefined,
    run: async (w) => {
      const { access_token } = await tokensFor(w, "web", "openid")
      const { visitor, id_token_hint } = await withToken(w)
      await visitor.get(end, { id_token_hint })
      return userinfo(w, access_token)
    },
    expect: { status: 200 },
  },
  {
    title: "OpenID Connect Core §3.1.2.1: signing in again in the same browser ends nothing that was granted",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      const { params } = await authorize(visitor)
      const { json } = await redeem(w, params["code"] ?? "")
      const { page: shown } = await authorize(visitor, "web", { prompt: "login" })
      await visitor.submit(shown, [
        ["username", "alice"],
        ["password", password],
      ])
      return userinfo(w, String(json?.["access_token"]))
    },
    expect: { status: 200 },
  },
]
