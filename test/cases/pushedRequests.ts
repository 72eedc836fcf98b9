import { defaultFeatures } from "@postern/core"
import { authorize, follow, interactionOf, post, redeem, request, signedIn } from "../support/flows.ts"
import { claimsFor, objectClients, signed } from "../support/requestObjects.ts"
import { type Said, type Visitor, said } from "../support/visitor.ts"
import { type World, clients, issuer, password } from "../support/world.ts"
import { type Case, type Expectation, page, refused, sentBack, shown } from "./case.ts"

type Changes = Readonly<Record<string, string | undefined>>

const path = "/connect/par"

/** Pushes a request, and returns the answer. */
const push = (w: World, clientId = "web", changes: Changes = {}): Promise<Said> =>
  post(w, path, clientId, request(clientId, { client_id: undefined, ...changes }))

/** Pushes a request, and returns the query that it is asked with. */
const pushed = async (w: World, clientId = "web", changes: Changes = {}): Promise<Record<string, string>> => {
  const { json } = await push(w, clientId, changes)
  return { client_id: clientId, request_uri: String(json?.["request_uri"]) }
}

const ask = (visitor: Visitor, query: Readonly<Record<string, string>>): Promise<Said> => visitor.get("/connect/authorize", query)
const credentials = [
  ["username", "alice"],
  ["password", password],
] as const

const granted: Expectation = { status: 303, to: "https://app.example/cb", params: { state: "st", iss: issuer } }
const held = {
  clients: clients.map((each) => (each.client_id === "web" ? { ...each, require_pushed_authorization_requests: true } : each)),
}
const holding = { more: { settings: { require_pushed_authorization_requests: true } } }
const mustPush = sentBack("invalid_request", "The request must be pushed.")

const pushing: ReadonlyArray<Case> = [
  {
    title: "RFC 9126 §2.2: a pushed request gets a request_uri of its own, good for 60 s, with status 201 and no-store",
    rule: undefined,
    run: async (w) => {
      const answer = await push(w)
      const shape = /^urn:ietf:params:oauth:request_uri:p_[\w-]{59}$/.test(String(answer.json?.["request_uri"]))
      return { ...answer, json: { ...answer.json, request_uri: shape } }
    },
    expect: { status: 201, json: { request_uri: true, expires_in: 60 }, headers: { "cache-control": "no-store" } },
  },
  {
    title: "RFC 9126 §2: a public client pushes with its client_id alone",
    rule: undefined,
    run: (w) => push(w, "spa"),
    expect: { status: 201 },
  },
  {
    title: "RFC 9126 §2, RFC 9110 §15.5.6: another method is 405, with Allow",
    rule: undefined,
    run: async (w) => said(await w.send({ method: "PUT", path })),
    expect: { status: 405, headers: { allow: "POST, OPTIONS" } },
  },
  {
    title: "RFC 9126 §2: a confidential client that does not authenticate pushes nothing",
    rule: "client.secret-present",
    run: (w) => post(w, path, undefined, request()),
    expect: { status: 401, json: { error: "invalid_client" } },
  },
  {
    title: "RFC 6749 appendix B: what is no form is not pushed",
    rule: "pushed-authorization.form",
    run: async (w) =>
      said(
        await w.send({
          path,
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(request()),
        }),
      ),
    expect: refused("invalid_request", "The body must be application/x-www-form-urlencoded."),
  },
  {
    title: "RFC 6749 §3.2: no parameter is pushed twice, whoever pushes it",
    rule: "pushed-authorization.parameters-once",
    run: (w) => post(w, path, undefined, [...Object.entries(request()), ["state", "other"]]),
    expect: refused("invalid_request", "A parameter is sent more than once."),
  },
  {
    title: "RFC 9126 §2.1: a request_uri is not pushed",
    rule: "pushed-authorization.request-uri",
    run: (w) => push(w, "web", { request_uri: "urn:ietf:params:oauth:request_uri:x" }),
    expect: refused("invalid_request", "A request_uri cannot be pushed."),
  },
  {
    title: "RFC 9126 §2.1, §2.3: PKCE that is missing is refused when it is pushed",
    rule: "authorize.challenge-required",
    run: (w) => push(w, "spa", { code_challenge: undefined, code_challenge_method: undefined }),
    expect: refused("invalid_request", "The code_challenge is missing."),
  },
  {
    title: "RFC 9126 §2.1, §2.4: a redirect_uri that is not registered is refused when it is pushed",
    rule: "authorize.redirect-uri-registered",
    run: (w) => push(w, "web", { redirect_uri: "https://evil.example/cb" }),
    expect: refused("invalid_request", "The redirect_uri is not registered for this client."),
  },
  {
    title: "RFC 9126 §2.1: a scope that the client may not have is refused when it is pushed",
    rule: "authorize.scope-allowed",
    run: (w) => push(w, "web", { scope: "openid nothing" }),
    expect: refused("invalid_scope", "A scope is unknown or not allowed for this client."),
  },
  {
    title: "RFC 9126 §2.3: an error of the authorization endpoint is one of this endpoint too",
    rule: "authorize.response-type-known",
    run: (w) => push(w, "web", { response_type: "nothing" }),
    expect: refused("unsupported_response_type", "The response_type is not supported."),
  },
  {
    title: "RFC 9126 §3: a request object is opened when it is pushed, and its parameters count alone",
    rule: undefined,
    options: { clients: objectClients },
    run: async (w) => {
      const object = await signed(claimsFor("signs", { scope: "openid api.read" }))
      const { json } = await post(w, path, "signs", { client_id: "signs", request: object, state: "outer" })
      return ask(await signedIn(w), { client_id: "signs", request_uri: String(json?.["request_uri"]) })
    },
    expect: granted,
  },
  {
    title: "RFC 9126 §3: a request object of another client is not pushed",
    rule: "request-object.client",
    options: { clients: objectClients },
    run: async (w) => {
      const object = await signed(claimsFor("signs", { client_id: "other" }))
      return post(w, path, "signs", { client_id: "signs", request: object })
    },
    expect: refused("invalid_request_object", "The request object is not valid."),
  },
]

/** Signs in on the page that a first visit leads to. */
const throughPage = async (w: World, seconds: number): Promise<Said> => {
  const visitor = w.visitor()
  const form = await follow(visitor, await ask(visitor, await pushed(w)))
  w.pass(seconds)
  return visitor.submit(form.page, credentials)
}

/** Denies consent to a pushed request. */
const denied = async (w: World) => {
  const visitor = await signedIn(w)
  const query = await pushed(w, "asks")
  const consent = await follow(visitor, await ask(visitor, query))
  const { params } = await visitor.submit(consent.page, [["decision", "deny"]])
  if (params["error"] !== "access_denied") throw new Error(`no denial: ${JSON.stringify(params)}`)
  return { visitor, query, interaction: interactionOf(consent) }
}

const visiting: ReadonlyArray<Case> = [
  {
    title: "RFC 9126 §4: what was pushed counts, and nothing beside it",
    rule: undefined,
    run: async (w) => ask(await signedIn(w), { ...(await pushed(w)), state: "other", redirect_uri: "https://evil.example/cb", scope: "x" }),
    expect: granted,
  },
  {
    title: "RFC 9126 §4, RFC 7636 §4.6: the code of a pushed request is bound to the challenge that was pushed",
    rule: undefined,
    run: async (w) => {
      const { params } = await ask(await signedIn(w), await pushed(w))
      return redeem(w, params["code"] ?? "")
    },
    expect: { status: 200 },
  },
  {
    title: "RFC 9126 §4: an unknown request_uri is refused before any page",
    rule: "pushed-request.known",
    run: (w) => ask(w.visitor(), { ...request(), request_uri: `urn:ietf:params:oauth:request_uri:p_${"A".repeat(59)}` }),
    expect: shown("request_invalid", "invalid_request_uri"),
  },
  {
    title: "RFC 9126 §2.2, §7.1: the request_uri of another client is refused",
    rule: "pushed-request.client",
    run: async (w) => ask(w.visitor(), { ...(await pushed(w)), client_id: "other" }),
    expect: shown("request_invalid", "invalid_request_uri"),
  },
  {
    title: "RFC 9126 §2.2, §4: a request_uri that has expired is refused before any page",
    rule: "pushed-request.fresh",
    run: async (w) => {
      const query = await pushed(w)
      w.pass(60)
      return ask(w.visitor(), query)
    },
    expect: shown("interaction_expired", "invalid_request_uri"),
  },
  {
    title: "RFC 9126 §2.2: expires_in limits the first visit alone: 90 s on the sign-in page are not too long",
    rule: undefined,
    run: (w) => throughPage(w, 90),
    expect: granted,
  },
  {
    title: "RFC 9126 §4, §7.3: a request_uri that tokens were issued by is refused before any page",
    rule: "pushed-request.unused",
    run: async (w) => {
      const visitor = await signedIn(w)
      const query = await pushed(w)
      await ask(visitor, query)
      return ask(visitor, query)
    },
    expect: shown("interaction_finished", "invalid_request_uri"),
  },
  {
    title: "RFC 9126 §4: a request_uri is used up by tokens, not by a visit: a reload and a link preview do no harm",
    rule: undefined,
    run: async (w) => {
      const query = await pushed(w)
      await ask(w.visitor(), query)
      await ask(w.visitor(), query)
      return ask(await signedIn(w), query)
    },
    expect: granted,
  },
  {
    title: "RFC 9126 §4, §7.3: a denial uses a request_uri up: the person has answered",
    rule: "pushed-request.unused",
    run: async (w) => {
      const { visitor, query } = await denied(w)
      return ask(visitor, query)
    },
    expect: shown("interaction_finished", "invalid_request_uri"),
  },
  {
    title: "RFC 9126 §4: a denial whose answer was lost is answered again, where the browser comes back to it",
    rule: "answered.error",
    run: async (w) => {
      const { visitor, interaction } = await denied(w)
      return visitor.get("/connect/authorize/resume", { interaction })
    },
    expect: sentBack("access_denied", "The person did not allow it."),
  },
  {
    title: "RFC 9126 §4, §7.3: an error that follows a page uses a request_uri up",
    rule: "pushed-request.unused",
    run: async (w) => {
      const visitor = w.visitor()
      const query = await pushed(w, "web", { claims: JSON.stringify({ id_token: { sub: { value: "somebody else" } } }) })
      const form = await follow(visitor, await ask(visitor, query))
      const { params } = await visitor.submit(form.page, credentials)
      if (params["error"] !== "login_required") throw new Error(`no error: ${JSON.stringify(params)}`)
      return ask(visitor, query)
    },
    expect: shown("interaction_finished", "invalid_request_uri"),
  },
  {
    title:
      "RFC 9126 §4, FAPI 2.0 §5.3.2.2: an error that nobody was asked for uses no request_uri up: a preview of the link takes it from nobody",
    rule: undefined,
    run: async (w) => {
      const query = await pushed(w, "web", { prompt: "none" })
      const { params } = await ask(w.visitor(), query)
      if (params["error"] !== "login_required") throw new Error(`no error: ${JSON.stringify(params)}`)
      return ask(await signedIn(w), query)
    },
    expect: granted,
  },
  {
    title: "RFC 9126 §2.2: a request_uri lives as long as the provider is set to, and expires_in says so",
    rule: "pushed-request.fresh",
    options: { more: { settings: { pushed_authorization_request_lifetime: 300 } } },
    run: async (w) => {
      const { json } = await push(w)
      const query = { client_id: "web", request_uri: String(json?.["request_uri"]) }
      w.pass(299)
      const first = await ask(w.visitor(), query)
      if (json?.["expires_in"] !== 300 || first.to !== "/login") throw new Error(`${JSON.stringify(json)}, ${first.status}`)
      w.pass(1)
      return ask(w.visitor(), query)
    },
    expect: shown("interaction_expired", "invalid_request_uri"),
  },
  {
    title: "RFC 9126 §6: a client is held to nothing that its provider does not offer",
    rule: undefined,
    options: { ...held, more: { features: defaultFeatures.filter(({ name }) => name !== "pushed-authorization") } },
    run: async (w) => authorize(await signedIn(w)),
    expect: granted,
  },
  {
    title: "RFC 9126 §4, §7.3: two windows that wait for one pushed request get one answer",
    rule: "pushed-request.used-once",
    run: async (w) => {
      const query = await pushed(w)
      const [one, two] = [w.visitor(), w.visitor()]
      const forms = [await follow(one, await ask(one, query)), await follow(two, await ask(two, query))]
      await one.submit(forms[0]?.page, credentials)
      return follow(two, await two.submit(forms[1]?.page, credentials))
    },
    expect: shown("interaction_finished", "invalid_request_uri"),
  },
  {
    title: "OpenID Connect Core §3.1.2.4: a pushed request asks for consent as any other",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      const consent = await follow(visitor, await ask(visitor, await pushed(w, "asks")))
      return visitor.submit(consent.page, [
        ["decision", "allow"],
        ["scope", "openid"],
      ])
    },
    expect: granted,
  },
  {
    title: "RFC 9126 §6: a client that is held to pushing may not ask otherwise",
    rule: "authorize.pushed-request-required",
    options: held,
    run: async (w) => authorize(await signedIn(w)),
    expect: mustPush,
  },
  {
    title: "RFC 9126 §5: where the provider is held to pushing, no client may ask otherwise",
    rule: "authorize.pushed-request-required",
    options: holding,
    run: async (w) => authorize(await signedIn(w)),
    expect: mustPush,
  },
  {
    title: "RFC 9126 §6: a client that is held to pushing gets what it pushed",
    rule: undefined,
    options: held,
    run: async (w) => ask(await signedIn(w), await pushed(w)),
    expect: granted,
  },
  {
    title: "RFC 9126 §6: a client that is held to pushing goes on after a page",
    rule: undefined,
    options: held,
    run: (w) => throughPage(w, 1),
    expect: granted,
  },
  {
    title: "OpenID Connect Core §3.1.2.6: prompt=none that is pushed shows no page",
    rule: "person.signed-in",
    run: async (w) => ask(w.visitor(), await pushed(w, "web", { prompt: "none" })),
    expect: sentBack("login_required", "The person must sign in."),
  },
  {
    title: "RFC 9126 §4: a first visit leads to the sign-in page",
    rule: "person.signed-in",
    run: async (w) => {
      const visitor = w.visitor()
      return follow(visitor, await ask(visitor, await pushed(w)))
    },
    expect: page("Login"),
  },
]

/** Pushed authorization requests (RFC 9126). */
export const cases: ReadonlyArray<Case> = [...pushing, ...visiting]
