import { claimsOf, post, signedIn, token } from "../support/flows.ts"
import { comeBack, withUpstream } from "../support/upstream.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, type WorldOptions, beginning, clients, password } from "../support/world.ts"
import type { Case, Expectation } from "./case.ts"
import { shown } from "./case.ts"
import { type AtOwnPage, answer, waitingAt } from "./interactions.ts"

const [low, high] = ["urn:example:low", "urn:example:high"] as const
const grant_type = "urn:ietf:params:oauth:grant-type:device_code"

/** A provider with a television that wants more of a sign-in. */
const wanting = (wants: object, more: WorldOptions = {}): WorldOptions => ({
  ...more,
  clients: (more.clients ?? clients).map((each) => (each.client_id === "tv" ? { ...each, ...wants } : each)),
})

const aged = (more?: WorldOptions): WorldOptions => wanting({ default_max_age: 60 }, more)

/** A provider whose authenticator reaches the context that it is asked for first, if that is as good as it can. */
const ladder = (best: string, wants = high): WorldOptions =>
  wanting(
    { default_acr_values: [wants] },
    {
      more: { acr: { password: low }, acrValues: [high] },
      authenticator: {
        verify: ({ username, acrValues: [asked] }) => ({
          _tag: "Verified",
          person: { subject: `sub-${username}`, username, active: true, claims: {} },
          amr: ["pwd"],
          acr: asked === high ? best : undefined,
        }),
      },
    },
  )

const upstream = withUpstream({ authTime: beginning + 100 })
const federated = (wants: object, options: WorldOptions = upstream): WorldOptions =>
  wanting({ identity_providers: ["corp"], ...wants }, options)

const ownSignIn = aged({ more: { interactions: { signIn: "/own/sign-in" } } })
const ownDevice = aged({ more: { interactions: { signIn: "/own/sign-in", device: "/own/device" } } })

const begin = (w: World): Promise<Said> => post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })
const open = (visitor: Visitor, device: Said): Promise<Said> => visitor.get(`/device?user_code=${String(device.json?.["user_code"])}`)
const go = (visitor: Visitor, sent: Said): Promise<Said> => visitor.get(sent.header("location") ?? "")
const poll = (w: World, device: Said): Promise<Said> => token(w, "tv", { grant_type, device_code: String(device.json?.["device_code"]) })

/** Signs in on the page that a visitor was sent to, and goes back to where they came from. */
const signsIn = async (visitor: Visitor, sent: Said): Promise<Said> => {
  const typed = [
    ["username", "alice"],
    ["password", password],
  ] as const
  return go(visitor, await visitor.submit((await go(visitor, sent)).page, typed))
}

/** A visitor who has signed in some seconds before a device asks. */
const before = async (w: World, seconds: number): Promise<{ visitor: Visitor; device: Said }> => {
  const visitor = await signedIn(w)
  w.pass(seconds)
  return { visitor, device: await begin(w) }
}

/** The same, where the sign-in page is the embedder's. */
const beforeAtTheirs = async (w: World, seconds: number): Promise<{ at: AtOwnPage; device: Said }> => {
  const visitor = w.visitor()
  const first = await waitingAt(w, visitor, (await open(visitor, await begin(w))).header("location") ?? "")
  await answer(w, first, { signIn: { subject: "sub-alice" } })
  w.pass(seconds)
  const device = await begin(w)
  return { device, at: await waitingAt(w, visitor, (await open(visitor, device)).header("location") ?? "") }
}

const told = ({ state: { need, why, signIn } }: AtOwnPage) => ({ need, rule: why?.rule, notBefore: signIn?.notBefore })

const row = (title: string, rule: string | undefined, options: WorldOptions, run: Case["run"], expect: Expectation): Case => ({
  title,
  rule,
  options,
  run,
  expect,
})

const toLogin: Expectation = { status: 303, to: "/login" }
const asks: Expectation = { status: 200, page: { _tag: "DeviceConfirm" } }

/** Sign-ins that a device's client asks for by its metadata: OpenID Connect Dynamic Client Registration §2, RFC 8628 §3.3. */
export const cases: ReadonlyArray<Case> = [
  row(
    "OpenID Connect Dynamic Client Registration §2: default_max_age holds for a device that a person lets in, too",
    "device-page.max-age",
    aged(),
    async (w) => {
      const { visitor, device } = await before(w, 61)
      return open(visitor, device)
    },
    toLogin,
  ),
  row(
    "OpenID Connect Dynamic Client Registration §2: a sign-in that is young enough does",
    undefined,
    aged(),
    async (w) => {
      const { visitor, device } = await before(w, 60)
      return open(visitor, device)
    },
    asks,
  ),
  row(
    "OpenID Connect Dynamic Client Registration §2: nor can a form that was shown before let the device in without it",
    "device-page.max-age",
    aged(),
    async (w) => {
      const { visitor, device } = await before(w, 50)
      const form = await open(visitor, device)
      w.pass(11)
      const sent = await visitor.submit(form.page, [["decision", "allow"]])
      return { ...sent, json: (await poll(w, device)).json }
    },
    { ...toLogin, json: { error: "authorization_pending" } },
  ),
  row(
    "RFC 8628 §3.3: who has signed in since the device asked is not sent to sign in again, however long they read",
    undefined,
    aged(),
    async (w) => {
      const { visitor, device } = await before(w, 61)
      await signsIn(visitor, await open(visitor, device))
      w.pass(61)
      return open(visitor, device)
    },
    asks,
  ),
  row(
    "RFC 8628 §3.3: a sign-in for one device is none for another, which asks when it is too old",
    "device-page.max-age",
    aged(),
    async (w) => {
      const { visitor, device } = await before(w, 61)
      await signsIn(visitor, await open(visitor, device))
      w.pass(61)
      return open(visitor, await begin(w))
    },
    toLogin,
  ),
  row(
    "OpenID Connect Core §2: the tokens of the device say when its person signed in anew",
    undefined,
    aged(),
    async (w) => {
      const { visitor, device } = await before(w, 61)
      const form = await signsIn(visitor, await open(visitor, device))
      await visitor.submit(form.page, [["decision", "allow"]])
      const tokens = await poll(w, device)
      return { ...tokens, json: { auth_time: claimsOf(String(tokens.json?.["id_token"]))["auth_time"] } }
    },
    { status: 200, json: { auth_time: beginning + 61 } },
  ),
  row(
    "OpenID Connect Core §3.1.2.1: another provider is told the client's default_max_age, and what it says since is judged when its person comes back",
    undefined,
    federated({ default_max_age: 60, allow_local_login: false }),
    async (w) => {
      const visitor = w.visitor()
      w.pass(150)
      const device = await begin(w)
      const away = await go(visitor, await open(visitor, device))
      await comeBack(visitor, away)
      w.pass(61)
      return { ...(await open(visitor, device)), json: { asked: away.params["max_age"] } }
    },
    { ...asks, json: { asked: "60" } },
  ),
  row(
    "OpenID Connect Dynamic Client Registration §2: default_acr_values above what the session has reached mean signing in before a device is let in",
    "device-page.acr",
    ladder(high),
    async (w) => open(await signedIn(w), await begin(w)),
    toLogin,
  ),
  row(
    "OpenID Connect Dynamic Client Registration §2: the new sign-in is asked for them, and tokens say what it reached",
    undefined,
    ladder(high),
    async (w) => {
      const visitor = await signedIn(w)
      const device = await begin(w)
      const form = await signsIn(visitor, await open(visitor, device))
      await visitor.submit(form.page, [["decision", "allow"]])
      const tokens = await poll(w, device)
      return { ...tokens, json: { acr: claimsOf(String(tokens.json?.["id_token"]))["acr"] } }
    },
    { status: 200, json: { acr: high } },
  ),
  row(
    "OpenID Connect Core §5.5.1.1: nobody is asked twice for a context that they did not reach",
    undefined,
    ladder(low),
    async (w) => {
      const visitor = await signedIn(w)
      const device = await begin(w)
      await signsIn(visitor, await open(visitor, device))
      return open(visitor, device)
    },
    asks,
  ),
  row(
    "specification §2.1 acr_values: a default of idp:NAME has the person sign in at that provider",
    "device-page.source-asked",
    federated({ default_acr_values: ["idp:corp"] }),
    async (w) => {
      const visitor = await signedIn(w)
      const sent = await open(visitor, await begin(w))
      return sent.to === "/login" ? go(visitor, sent) : { ...sent, status: 500 }
    },
    { status: 303, to: "https://corp.example/authorize" },
  ),
  row(
    "OpenID Connect Dynamic Client Registration §2: an embedder's page of devices is told that its person must sign in again, and how lately",
    "device-page.max-age",
    ownDevice,
    async (w) => {
      const { at, device } = await beforeAtTheirs(w, 100)
      const sent = await open(at.visitor, device)
      return { ...sent, json: told(await waitingAt(w, at.visitor, sent.header("location") ?? "")) }
    },
    { status: 303, to: "/own/sign-in", json: { need: "sign_in", rule: "device-page.max-age", notBefore: beginning + 40 } },
  ),
  row(
    "OpenID Connect Dynamic Client Registration §2: nor can an embedder's page let a device in with a sign-in that has grown too old since",
    "device-page.max-age",
    ownDevice,
    async (w) => {
      const { at, device } = await beforeAtTheirs(w, 60)
      w.pass(1)
      const sent = await answer(w, at, { consent: { scopes: ["openid"] } })
      return { ...sent, json: (await poll(w, device)).json }
    },
    { status: 303, json: { error: "authorization_pending" } },
  ),
  row(
    "RFC 8628 §3.3: once its person has signed in again, an embedder's page lets the device in",
    undefined,
    ownDevice,
    async (w) => {
      const { at } = await beforeAtTheirs(w, 100)
      const back = await go(at.visitor, await answer(w, at, { signIn: { subject: "sub-alice" } }))
      return answer(w, await waitingAt(w, at.visitor, back.header("location") ?? ""), { consent: { scopes: ["openid"] } })
    },
    { status: 303, to: "/own/device", params: { done: "approved" } },
  ),
  row(
    "OpenID Connect Dynamic Client Registration §2: an embedder cannot answer with a session that is too old, which the page would send back to it",
    "interaction.sign-in-fresh",
    ownSignIn,
    async (w) => {
      const { at } = await beforeAtTheirs(w, 100)
      return answer(w, at, { signIn: { subject: "sub-alice", authTime: beginning } })
    },
    shown("request_invalid", "invalid_request"),
  ),
  row(
    "RFC 8628 §3.3: a session that is young enough when an embedder answers with it is so for this device, however long its person reads",
    undefined,
    ownSignIn,
    async (w) => {
      const { at, device } = await beforeAtTheirs(w, 100)
      await answer(w, at, { signIn: { subject: "sub-alice", authTime: beginning + 50 } })
      w.pass(60)
      return open(at.visitor, device)
    },
    asks,
  ),
]
