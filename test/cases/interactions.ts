import type { InteractionAnswer, WaitingInteraction } from "@postern/core/model"
import { request } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, type WorldOptions, clients } from "../support/world.ts"
import { type Case, type Expectation, sentBack, shown } from "./case.ts"

const routes = { signIn: "/own/sign-in", consent: "/own/consent", device: "/own/device" }

/** A provider with pages of an embedder's own. */
export const ownPages: WorldOptions = { more: { interactions: routes } }

/** A request that waits at a page of the embedder's own: the browser, its place, and the state it is in. */
export interface AtOwnPage {
  readonly visitor: Visitor
  readonly target: string
  readonly state: WaitingInteraction
}

/** Reads an interaction that waits. */
export const waitingAt = async (w: World, visitor: Visitor, target: string): Promise<AtOwnPage> => {
  const state = await w.provider.interaction(visitor.message(target))
  if (state.need === "refused") throw new Error(JSON.stringify(state))
  return { visitor, target, state }
}

/** Asks for authorization, and comes to a page of the embedder's own. */
export const atSignIn = async (
  w: World,
  clientId = "web",
  changes: Readonly<Record<string, string | undefined>> = {},
  visitor = w.visitor(),
): Promise<AtOwnPage> => {
  const sent = await visitor.get("/connect/authorize", request(clientId, changes))
  return waitingAt(w, visitor, sent.header("location") ?? "")
}

/** Answers an interaction. What is given may be anything, as an embedder's code may give it. */
export const answer = async (
  w: World,
  { visitor, target, state }: AtOwnPage,
  given: object,
  method = "POST",
  headers = {},
): Promise<Said> =>
  visitor.take(
    await w.provider.resume(visitor.message(target, method, headers), { csrf: state.csrf, ...given } as unknown as InteractionAnswer),
  )

const alice = { signIn: { subject: "sub-alice", amr: ["pwd", "otp"] } }

/** Signs alice in, and comes to the page that asks for consent. */
export const atConsent = async (
  w: World,
  changes: Readonly<Record<string, string>> = { scope: "openid email api.read" },
): Promise<AtOwnPage> => {
  const at = await atSignIn(w, "asks", changes)
  const sent = await answer(w, at, alice)
  return waitingAt(w, at.visitor, sent.header("location") ?? "")
}

/** Types a device's code on the embedder's own page, signed in as alice. */
export const atDevice = async (w: World, clientId = "tv"): Promise<AtOwnPage> => {
  const { at } = await device(w, clientId)
  return at
}

/** A device that waits, and the embedder's own page that confirms it. */
export const device = async (w: World, clientId = "tv", subject = "sub-alice") => {
  const visitor = w.visitor()
  const asked = await visitor.post("/connect/deviceauthorization", { client_id: clientId, scope: "openid api.read" })
  const code = String(asked.json?.["user_code"])
  const typed = await visitor.get("/device", { user_code: code })
  const signIn = await waitingAt(w, visitor, typed.header("location") ?? "")
  const signedIn = await answer(w, signIn, { signIn: { subject } })
  const back = await visitor.get(signedIn.header("location") ?? "")
  return { code: String(asked.json?.["device_code"]), userCode: code, at: await waitingAt(w, visitor, back.header("location") ?? "") }
}

const wrong: Expectation = shown("request_invalid", "invalid_request")

const signsIn =
  (signIn: object, changes: Readonly<Record<string, string>> = {}, clientId = "web") =>
  async (w: World) =>
    answer(w, await atSignIn(w, clientId, changes), { signIn: { subject: "sub-alice", ...signIn } })

const row = (title: string, rule: string | undefined, run: Case["run"], expect: Expectation, options: WorldOptions = {}): Case => ({
  title,
  rule,
  run,
  expect,
  options: { ...options, more: { ...ownPages.more, ...options.more } },
})

const tenants: WorldOptions = {
  authenticator: {
    find: (subject) => ({ subject, username: "alice", active: true, claims: {}, tenant: "acme" }),
  },
}

/** Pages of an embedder's own: whatever they answer, the rules of a request hold. */
export const interactions: ReadonlyArray<Case> = [
  row("OpenID Connect Core §3.1.2.3: a sign-in on a page of the embedder's own goes on to the client", undefined, signsIn({}), {
    status: 303,
    to: "https://app.example/cb",
  }),
  row(
    "OpenID Connect Core §3.1.2.1: whoever wants to see the home page with another account signs in on the embedder's page again",
    "home.same-account",
    async (w) => {
      const at = await atSignIn(w)
      await answer(w, at, alice)
      return at.visitor.get("/", { another: "1" })
    },
    { status: 303, to: "/own/sign-in", params: { another: "1" } },
  ),
  row(
    "RFC 6749 §4.1.1: an answer that says two things is refused",
    "interaction.answer",
    async (w) => answer(w, await atSignIn(w), { ...alice, deny: true }),
    wrong,
  ),
  row(
    "OpenID Connect Core §3.1.2.4: a consent that limits what there is no such limit of is refused",
    "interaction.members",
    async (w) => answer(w, await atConsent(w), { consent: { scopes: ["openid", "email", "api.read"], claims: [] } }),
    wrong,
  ),
  row(
    "RFC 6749 §4.1.1: a denial that is not true is refused",
    "interaction.answer",
    async (w) => answer(w, await atSignIn(w), { deny: null }),
    wrong,
  ),
  row(
    "RFC 6749 §10.12: an answer without the token of this browser is refused",
    "interaction.csrf",
    async (w) => answer(w, await atSignIn(w), { ...alice, csrf: "of another" }),
    shown("form_stale", "invalid_request"),
  ),
  row(
    "RFC 6749 §10.12: a consent counts for the session it was asked in alone",
    "interaction.csrf",
    async (w) => {
      const at = await atConsent(w)
      const login = await atSignIn(w, "web", { prompt: "login" }, at.visitor)
      return answer(w, at, { consent: { scopes: ["openid"] }, csrf: login.state.csrf })
    },
    shown("form_stale", "invalid_request"),
  ),
  row(
    "OpenID Connect Core §3.1.2.3: a client that was disabled meanwhile gets nobody signed in",
    "interaction.client",
    async (w) => {
      const at = await atSignIn(w)
      const client = w.clients.get("web")
      if (client !== undefined) w.clients.set("web", { ...client, disabled: true })
      return answer(w, at, alice)
    },
    shown("interaction_expired", "invalid_request"),
  ),
  row(
    "OpenID Connect Core §3.1.2.3: a person that does not exist is not signed in",
    "interaction.person-known",
    signsIn({ subject: "nobody" }),
    wrong,
  ),
  row(
    "OpenID Connect Core §3.1.2.3: a disabled person is not signed in",
    "interaction.person-active",
    signsIn({ subject: "sub-mallory" }),
    wrong,
  ),
  row(
    "specification §2.1 acr_values: a person of another tenant is not signed in",
    "interaction.person-tenant",
    signsIn({}, { acr_values: "tenant:other" }),
    wrong,
    tenants,
  ),
  row(
    "specification §1: a client that takes people from other providers alone takes no sign-in of the embedder's",
    "interaction.source",
    signsIn({}),
    wrong,
    { clients: clients.map((each) => (each.client_id === "web" ? { ...each, allow_local_login: false } : each)) },
  ),
  row("OpenID Connect Core §2: a sign-in in the future is none", "interaction.auth-time", signsIn({ authTime: 9_000_000_000 }), wrong),
  row(
    "OpenID Connect Core §3.1.2.1: a session from before does not answer prompt=login",
    "interaction.sign-in-fresh",
    async (w) => answer(w, await atSignIn(w, "web", { prompt: "login" }), { signIn: { subject: "sub-alice", authTime: w.now() - 60 } }),
    wrong,
  ),
  row(
    "OpenID Connect Core §3.1.2.1: a session that is too old for max_age does not answer it",
    "interaction.sign-in-fresh",
    async (w) => answer(w, await atSignIn(w, "web", { max_age: "30" }), { signIn: { subject: "sub-alice", authTime: w.now() - 60 } }),
    wrong,
  ),
  row(
    "OpenID Connect Core §3.1.2.1: max_age counts to the answer, however long its page took",
    "interaction.sign-in-fresh",
    async (w) => {
      const at = await atSignIn(w, "web", { max_age: "60" })
      w.pass(850)
      return answer(w, at, { signIn: { subject: "sub-alice", authTime: w.now() - 900 } })
    },
    wrong,
  ),
  row(
    "OpenID Connect Core §3.1.2.1: and to the end of a consent, for a session from before the request",
    "person.max-age",
    async (w) => {
      const at = await atSignIn(w, "asks", { max_age: "60" })
      const sent = await answer(w, at, { signIn: { subject: "sub-alice", authTime: w.now() - 50 } })
      const consent = await waitingAt(w, at.visitor, sent.header("location") ?? "")
      w.pass(600)
      return answer(w, consent, { consent: { scopes: ["openid"] } })
    },
    { status: 303, to: "/own/sign-in" },
  ),
  row("OpenID Connect Core §2: an acr that names a provider is none", "interaction.acr", signsIn({ acr: "idp:corp" }), wrong),
  row("RFC 8176 §1: methods that are no texts are refused", "interaction.amr", signsIn({ amr: ["pwd", 7] }), wrong),
  row(
    "OpenID Connect Core §3.1.2.4: a consent lets the client have what was allowed",
    undefined,
    async (w) => answer(w, await atConsent(w), { consent: { scopes: ["openid", "email"] } }),
    { status: 303, to: "https://app.example/cb" },
  ),
  row(
    "OpenID Connect Core §3.1.2.4: a consent whose scopes are no list is refused",
    "interaction.consent-scopes",
    async (w) => answer(w, await atConsent(w), { consent: { scopes: "openid" } }),
    wrong,
  ),
  row(
    "RFC 6749 §3.3: a consent to more than was asked for is refused",
    "interaction.consent-asked",
    async (w) => answer(w, await atConsent(w), { consent: { scopes: ["openid", "api.write"] } }),
    wrong,
  ),
  row(
    "OpenID Connect Core §3.1.2.4: a consent is not widened by a scope that cannot be left out",
    "interaction.consent-required",
    async (w) => answer(w, await atConsent(w, { scope: "openid email billing" }), { consent: { scopes: ["openid", "email"] } }),
    wrong,
  ),
  row(
    "OpenID Connect Core §3.1.2.4: a consent to nothing is none",
    "interaction.consent-required",
    async (w) => answer(w, await atConsent(w), { consent: { scopes: [] } }),
    wrong,
  ),
  row(
    "RFC 6749 §4.1.2.1: a person who does not allow it is told to the client",
    "authorize.turned-down",
    async (w) => answer(w, await atConsent(w), { deny: true }),
    sentBack("access_denied", "The person did not allow it."),
  ),
  row(
    "RFC 6749 §4.1.2.1: a request can be denied before anybody signs in",
    "authorize.turned-down",
    async (w) => answer(w, await atSignIn(w), { deny: true }),
    sentBack("access_denied", "The person did not allow it."),
  ),
  row(
    "OpenID Connect Core §3.1.2.6: a page may end a request with an error",
    "authorize.turned-down",
    async (w) => answer(w, await atSignIn(w), { error: { error: "interaction_required", description: "No second factor." } }),
    sentBack("interaction_required", "No second factor."),
  ),
  row(
    "OpenID Connect Core §3.1.2.6: an error that no client expects is refused",
    "interaction.error-code",
    async (w) => answer(w, await atSignIn(w), { error: { error: "invalid_client" } }),
    wrong,
  ),
  row(
    "RFC 6749 §4.1.2.1: an error description of other characters is refused",
    "interaction.error-text",
    async (w) => answer(w, await atSignIn(w), { error: { error: "access_denied", description: 'a "quote"' } }),
    wrong,
  ),
  row(
    "RFC 9700 §4.7.1: another browser's interaction is not answered",
    "interaction.browser",
    async (w) => {
      const at = await atSignIn(w)
      const other = await atSignIn(w)
      return answer(w, { ...at, visitor: other.visitor, state: { ...at.state, csrf: other.state.csrf } }, alice)
    },
    shown("interaction_elsewhere", "invalid_request"),
  ),
  row(
    "RFC 6749 §4.1.2: a handle that is replayed later is refused",
    "interaction.unfinished",
    async (w) => {
      const at = await atSignIn(w)
      await answer(w, at, { deny: true })
      w.pass(60)
      return answer(w, at, alice)
    },
    shown("interaction_finished", "invalid_request"),
  ),
  row(
    "Fetch Metadata §2.3: a form of another site does not answer an interaction",
    "own-form.same-origin",
    async (w) => answer(w, await atSignIn(w), alice, "POST", { "sec-fetch-site": "cross-site" }),
    shown("form_stale", "invalid_request", 403),
  ),
  ...["GET", "HEAD"].map((method) =>
    row(
      `Fetch Metadata §2.3: nor by ${method}`,
      "own-form.same-origin",
      async (w) => answer(w, await atSignIn(w), alice, method, { "sec-fetch-site": "cross-site" }),
      shown("form_stale", "invalid_request", 403),
    ),
  ),
  row(
    "Fetch Metadata §2.3: nor gives a consent by GET",
    "own-form.same-origin",
    async (w) => answer(w, await atConsent(w), { consent: { scopes: ["openid"] } }, "GET", { "sec-fetch-site": "cross-site" }),
    shown("form_stale", "invalid_request", 403),
  ),
  row(
    "OpenID Connect Core §3.1.2.3: a session that is there answers the GET by which the client's site sent the browser to us",
    undefined,
    async (w) => {
      const at = await atSignIn(w)
      return answer(w, at, { signIn: { subject: "sub-alice", authTime: w.now() - 60 } }, "GET", { "sec-fetch-site": "cross-site" })
    },
    { status: 303, to: "https://app.example/cb" },
  ),
  row(
    "RFC 8628 §3.3: a device is let in on a page of the embedder's own",
    undefined,
    async (w) => answer(w, await atDevice(w), { consent: { scopes: ["openid", "api.read"] } }),
    { status: 303, to: "/own/device", params: { done: "approved" } },
  ),
  row(
    "RFC 8628 §3.3: a device is refused on a page of the embedder's own",
    undefined,
    async (w) => answer(w, await atDevice(w), { deny: true }),
    { status: 303, to: "/own/device", params: { done: "denied" } },
  ),
  row(
    "RFC 8628 §3.3: a device is let in with all that it asks for, or not at all",
    "interaction.consent-whole",
    async (w) => answer(w, await atDevice(w), { consent: { scopes: ["openid"] } }),
    wrong,
  ),
  row(
    "RFC 8628 §3.3: a device that was answered is not answered again",
    "device-page.code-undecided",
    async (w) => {
      const at = await atDevice(w)
      await answer(w, at, { deny: true })
      return answer(w, at, { consent: { scopes: ["openid", "api.read"] } })
    },
    shown("interaction_finished", "invalid_request"),
  ),
]
