import { ciba, defaultFeatures } from "@postern/core"
import { memoryLimiter } from "@postern/core/memory"
import { interactions } from "@postern/core/model"
import { ask, asking, decide, open, tills } from "../support/asking.ts"
import { authorize, post } from "../support/flows.ts"
import { type Vouching, comeBack, withUpstream } from "../support/upstream.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, type WorldOptions, beginning, password } from "../support/world.ts"
import { type Case, type Expectation, shown } from "./case.ts"
import { type AtOwnPage, answer, waitingAt } from "./interactions.ts"

const aged = { ...tills[0], client_id: "aged", client_secret: "secret of aged", default_max_age: 60 }
const base = asking({}, [aged])

/** A provider whose embedder draws the sign-in page alone. */
const ownSignIn: WorldOptions = { ...base, more: { ...base.more, interactions: { signIn: "/own/sign-in" } } }

/** One whose people may come from `corp`. */
const federated = (vouching: Vouching = {}): WorldOptions => {
  const upstream = withUpstream(vouching)
  return {
    ...upstream,
    clients: [...(upstream.clients ?? []), { ...aged, identity_providers: ["corp"], allow_local_login: false }],
    more: { ...upstream.more, ...base.more, features: [...defaultFeatures, ciba()] },
  }
}

const row = (title: string, rule: string | undefined, options: WorldOptions, run: Case["run"], expect: Expectation): Case => ({
  title,
  rule,
  options,
  run,
  expect,
})

const go = (visitor: Visitor, sent: Said): Promise<Said> => visitor.get(sent.header("location") ?? "")

/** Comes to the embedder's sign-in page for a request. */
const atSignIn = async (w: World, request: Said, visitor = w.visitor()): Promise<AtOwnPage> =>
  waitingAt(w, visitor, (await open(visitor, request)).header("location") ?? "")

/** A visitor who has signed in on the embedder's page for a request of `till`, some seconds ago. */
const signedInBefore = async (w: World, seconds: number): Promise<Visitor> => {
  const at = await atSignIn(w, await ask(w))
  await answer(w, at, { signIn: { subject: "sub-alice" } })
  w.pass(seconds)
  return at.visitor
}

const told = async (w: World, at: AtOwnPage): Promise<Record<string, unknown>> => {
  const { need, location, signIn } = (await waitingAt(w, at.visitor, at.target)).state
  return { need, location, notBefore: signIn?.notBefore }
}

const rows = (w: World, sent: Said) => w.tokens.find(interactions, { locator: (sent.params["interaction"] ?? "").slice(2, 18) })

const begin = (w: World): Promise<Said> => post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })
const openDevice = (visitor: Visitor, device: Said, more = ""): Promise<Said> =>
  visitor.get(`/device?user_code=${String(device.json?.["user_code"])}${more}`)
const asks: Expectation = { status: 200, page: { name: "ciba" } }

/** Ways by which people come to what waits for them, and on from there: CIBA Core §8, RFC 8628 §3.3. */
export const cases: ReadonlyArray<Case> = [
  row(
    "OpenID Connect Dynamic Client Registration §2: an embedder's sign-in page is told which sign-in is too old for the client's default_max_age",
    "interaction.visit-since",
    ownSignIn,
    async (w) => {
      const visitor = await signedInBefore(w, 100)
      const request = await ask(w, "aged")
      const at = await atSignIn(w, request, visitor)
      return { ...(await open(visitor, request)), json: { ...(await told(w, at)), need: at.state.need } }
    },
    { status: 303, to: "/own/sign-in", json: { need: "sign_in", notBefore: beginning + 40 } },
  ),
  row(
    "OpenID Connect Dynamic Client Registration §2: it cannot answer with a session that is too old, which the page would send back to it",
    "interaction.sign-in-fresh",
    ownSignIn,
    async (w) => {
      const visitor = await signedInBefore(w, 100)
      const at = await atSignIn(w, await ask(w, "aged"), visitor)
      return answer(w, at, { signIn: { subject: "sub-alice", authTime: beginning } })
    },
    shown("request_invalid", "invalid_request"),
  ),
  row(
    "CIBA Core §8: a sign-in that is young enough when it is made is so for this request, however long the person reads",
    undefined,
    ownSignIn,
    async (w) => {
      const visitor = w.visitor()
      w.pass(100)
      const request = await ask(w, "aged")
      const at = await atSignIn(w, request, visitor)
      await answer(w, at, { signIn: { subject: "sub-alice", authTime: beginning + 50 } })
      w.pass(60)
      return open(visitor, request)
    },
    asks,
  ),
  row(
    "CIBA Core §8: where somebody of another tenant has signed in meanwhile, the embedder's page is told to sign in, and sends nobody round in a circle",
    "session.tenant",
    ownSignIn,
    async (w) => {
      const visitor = w.visitor()
      const request = await ask(w, "till", { acr_values: "tenant:acme" })
      const at = await atSignIn(w, request, visitor)
      w.pass(1)
      await answer(w, await atSignIn(w, await ask(w, "till", { acr_values: "tenant:other" }), visitor), {
        signIn: { subject: "sub-alice" },
      })
      const sent = await open(visitor, request)
      return { ...sent, json: await told(w, at) }
    },
    { status: 303, to: "/own/sign-in", json: { need: "sign_in" } },
  ),
  row(
    "CIBA Core §8: where the request was answered meanwhile, the embedder's sign-in page is told to go on, and the page says that nothing waits",
    "approval.request-undecided",
    ownSignIn,
    async (w) => {
      const visitor = await signedInBefore(w, 100)
      const request = await ask(w, "aged")
      const at = await atSignIn(w, request, visitor)
      w.pass(1)
      await decide(w, request, "deny", await signedInBefore(w, 1))
      await answer(w, at, { signIn: { subject: "sub-alice" } })
      const json = await told(w, at)
      return { ...(await visitor.get(String(json["location"]).slice("https://op.example".length))), json }
    },
    { status: 200, page: { name: "ciba-done" }, json: { need: "nothing" } },
  ),
  row(
    "CIBA Core §8: whoever comes to a request anew may try again the provider that failed",
    undefined,
    federated(),
    async (w) => {
      const visitor = w.visitor()
      const request = await ask(w, "aged")
      const away = await go(visitor, await open(visitor, request))
      const failed = await go(visitor, await comeBack(visitor, away, { error: "server_error" }))
      const again = await go(visitor, await open(visitor, request))
      return { ...again, json: { failed: failed.page?.["problem"] } }
    },
    { status: 303, to: "https://corp.example/authorize", json: { failed: "upstream_failed" } },
  ),
  row(
    "specification §2.1 acr_values: but nobody is sent there again by the failure",
    "login.forward-untried",
    federated(),
    async (w) => {
      const visitor = w.visitor()
      const sent = await open(visitor, await ask(w, "aged"))
      await go(visitor, await comeBack(visitor, await go(visitor, sent), { error: "server_error" }))
      return go(visitor, sent)
    },
    { status: 200, page: { _tag: "Login" } },
  ),
  row(
    "OpenID Connect Core §3.1.2.1: clocks of two providers may differ by 30 seconds, and nobody is sent there again for it",
    undefined,
    federated({ authTime: beginning + 15 }),
    async (w) => {
      const visitor = w.visitor()
      const before = w.visitor()
      await comeBack(before, await authorize(before, "work", { acr_values: "idp:corp" }))
      w.pass(100)
      const request = await ask(w, "aged", { login_hint: "https://corp.example ann" })
      await comeBack(visitor, await go(visitor, await open(visitor, request)))
      return open(visitor, request)
    },
    asks,
  ),
  row(
    "RFC 8628 §3.3: a page of a device that is loaded again saves nothing more, and what it saved ends with the code",
    "session.live",
    {},
    async (w) => {
      const visitor = w.visitor()
      const device = await begin(w)
      const first = await openDevice(visitor, device)
      const again = await openDevice(visitor, device)
      const kept = await rows(w, first)
      const same = first.params["interaction"] === again.params["interaction"]
      return { ...again, json: { same, version: kept?.version, expiresAt: kept?.expiresAt } }
    },
    { status: 303, to: "/login", json: { same: true, version: 0, expiresAt: beginning + 300 } },
  ),
  row(
    "RFC 8628 §3.3: another account may be used for a device after a sign-in for it, too",
    undefined,
    {},
    async (w) => {
      const visitor = w.visitor()
      const device = await begin(w)
      w.pass(1)
      await visitor.submit((await go(visitor, await openDevice(visitor, device))).page, [
        ["username", "alice"],
        ["password", password],
      ])
      return go(visitor, await openDevice(visitor, device, "&another=1"))
    },
    { status: 200, page: { _tag: "Login" } },
  ),
  {
    title: "RFC 6585 §4: the third visit to /device from an address that may ask two times in a minute is 429",
    rule: "device-page.address-rate",
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ authorizeAddress: 2 }) } }
    },
    run: async (w) => {
      const device = await begin(w)
      for (let times = 0; times < 2; times++) await openDevice(w.visitor(), device)
      return openDevice(w.visitor(), device)
    },
    expect: shown("too_many_attempts", "temporarily_unavailable", 429),
  },
  {
    title: "RFC 6585 §4: and so is the third to /approve",
    rule: "approval.address-rate",
    get options() {
      return { ...base, more: { ...base.more, limiter: memoryLimiter({ authorizeAddress: 2 }) } }
    },
    run: async (w) => {
      const request = await ask(w)
      for (let times = 0; times < 2; times++) await open(w.visitor(), request)
      return open(w.visitor(), request)
    },
    expect: shown("too_many_attempts", "temporarily_unavailable", 429),
  },
]
