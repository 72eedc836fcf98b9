import { ciba, defaultFeatures } from "@postern/core"
import { interactions } from "@postern/core/model"
import { ask, asking, decide, locatorOf, modelOf, open, poll, tills } from "../support/asking.ts"
import { claimsOf, signedIn } from "../support/flows.ts"
import { withUpstream } from "../support/upstream.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, type WorldOptions, password } from "../support/world.ts"
import type { Case, Expectation } from "./case.ts"
import { answer, waitingAt } from "./interactions.ts"

const [low, high] = ["urn:example:low", "urn:example:high"] as const
const base = asking()

/** A provider whose authenticator reaches the context that it is asked for first, if that is as good as it can. */
const ladder = (best: string, more: WorldOptions["more"] = {}): WorldOptions => ({
  ...base,
  more: { ...base.more, acr: { password: low }, acrValues: [high], ...more },
  authenticator: {
    verify: ({ username, acrValues: [asked], tenant }) => ({
      _tag: "Verified",
      person: { subject: `sub-${username}`, username, active: true, claims: {}, tenant: tenant ?? null },
      amr: ["pwd"],
      acr: asked === high ? best : undefined,
    }),
  },
})

const row = (title: string, rule: string | undefined, options: WorldOptions, run: Case["run"], expect: Expectation): Case => ({
  title,
  rule,
  options,
  run,
  expect,
})

/** Signs in on the page that a visitor was sent to, and goes back to where they came from. */
const signsIn = async (visitor: Visitor, sent: Said): Promise<Said> => {
  const login = await visitor.get(sent.header("location") ?? "")
  const back = await visitor.submit(login.page, [
    ["username", "alice"],
    ["password", password],
  ])
  return visitor.get(back.header("location") ?? "")
}

/** The acr of the tokens of a request that its person has stepped up for. */
const steppedUp = async (w: World): Promise<Said> => {
  const request = await ask(w, "till", { acr_values: high })
  const visitor = await signedIn(w)
  await signsIn(visitor, await open(visitor, request))
  const { status, json } = await decided(w, request, visitor)
  return { ...(await visitor.get("/health")), status, json: { acr: claimsOf(String(json?.["id_token"]))["acr"] } }
}

const decided = async (w: World, request: Said, visitor: Visitor): Promise<Said> => {
  await decide(w, request, "allow", visitor)
  return poll(w, request)
}

const toLogin: Expectation = { status: 303, to: "/login" }
const asks: Expectation = { status: 200, page: { name: "ciba" } }

/** Requests of a visitor who is signed in. */
const opened =
  (acr_values: string, clientId = "till"): Case["run"] =>
  async (w) =>
    open(await signedIn(w), await ask(w, clientId, { acr_values }))

const upstream: WorldOptions = withUpstream(
  { acr: high },
  {
    more: { features: [...defaultFeatures, ciba()], acr: { password: low }, acrValues: [high] },
  },
)

/** The same, with a client that asks people and lets them come from elsewhere. */
const federated: WorldOptions = {
  ...upstream,
  clients: [
    ...(upstream.clients ?? []),
    ...tills.filter(({ client_id }) => client_id === "till").map((till) => ({ ...till, identity_providers: ["corp"] })),
  ],
  more: { ...base.more, ...upstream.more },
}

const ownPages: WorldOptions = ladder(high, { interactions: { signIn: "/own/sign-in", approval: "/own/approval" } })

/** Authentication contexts that a client asks for in a backchannel request: CIBA Core §7.1, RFC 9470 §5. */
export const cases: ReadonlyArray<Case> = [
  row(
    "CIBA Core §7.1, RFC 9470 §5: acr_values above what the session has reached mean signing in before the person is asked",
    "approval.acr",
    ladder(high),
    opened(high),
    toLogin,
  ),
  row("CIBA Core §7.1: a context that the session has reached does not", undefined, ladder(high), opened(`${high} ${low}`), asks),
  row("CIBA Core §7.1: nor one that no sign-in here reaches", undefined, ladder(high), opened("urn:example:none"), asks),
  row("CIBA Core §7.1: the new sign-in is asked for it, and tokens say what it reached", undefined, ladder(high), steppedUp, {
    status: 200,
    json: { acr: high },
  }),
  row("CIBA Core §7.1: nobody is asked twice: tokens say what was reached", undefined, ladder(low), steppedUp, {
    status: 200,
    json: { acr: low },
  }),
  row(
    "CIBA Core §8: nor can a form that was shown before approve without it",
    "approval.acr",
    ladder(high),
    async (w) => {
      const visitor = await signedIn(w)
      const { hidden } = modelOf(await open(visitor, await ask(w)))["form"] as { hidden: ReadonlyArray<readonly [string, string]> }
      const other = await ask(w, "till", { acr_values: high })
      const csrf = hidden.find(([name]) => name === "csrf")?.[1] ?? ""
      return visitor.post("/approve", { csrf, request: locatorOf(other), decision: "allow" })
    },
    toLogin,
  ),
  row(
    "specification §2.1 acr_values: idp:NAME has the person sign in at that provider",
    "approval.source-asked",
    federated,
    async (w) => {
      const visitor = await signedIn(w)
      const sent = await open(visitor, await ask(w, "till", { acr_values: "idp:corp" }))
      return sent.to === "/login" ? sent : { ...sent, status: 500 }
    },
    toLogin,
  ),
  row(
    "specification §2.1 acr_values: the sign-in page of such a request goes straight there, and asks for the contexts",
    undefined,
    federated,
    async (w) => {
      const visitor = w.visitor()
      const sent = await open(visitor, await ask(w, "till", { acr_values: `idp:corp ${high}` }))
      return visitor.get(sent.header("location") ?? "")
    },
    { status: 303, to: "https://corp.example/authorize", params: { acr_values: high } },
  ),
  row(
    "specification §2.1 acr_values: tenant:NAME reaches the authenticator, and its session answers for the request",
    undefined,
    ladder(high),
    async (w) => {
      const visitor = w.visitor()
      return signsIn(visitor, await open(visitor, await ask(w, "till", { acr_values: "tenant:acme" })))
    },
    asks,
  ),
  row(
    "CIBA Core §8: a page that is loaded again saves nothing more",
    "session.live",
    ladder(high),
    async (w) => {
      const visitor = w.visitor()
      const request = await ask(w)
      const first = await open(visitor, request)
      const again = await open(visitor, request)
      const handle = first.params["interaction"] ?? ""
      const kept = await w.tokens.find(interactions, { locator: handle.slice(2, 18) })
      return { ...again, json: { same: again.params["interaction"] === handle, version: kept?.version } }
    },
    { ...toLogin, json: { same: true, version: 0 } },
  ),
  row(
    "CIBA Core §8: an embedder's page is told of the context, and that its person must sign in",
    "approval.acr",
    ownPages,
    async (w) => {
      const visitor = w.visitor()
      const request = await ask(w, "till", { acr_values: high })
      const signIn = await waitingAt(w, visitor, (await open(visitor, request)).header("location") ?? "")
      await answer(w, signIn, { signIn: { subject: "sub-alice" } })
      const other = await ask(w, "till", { acr_values: high })
      const { state } = await waitingAt(w, visitor, (await open(visitor, other)).header("location") ?? "")
      const json = { need: state.need, again: state.signIn?.again, asked: state.signIn?.acrValues.join(" "), reached: state.signIn?.acr }
      return { ...(await open(visitor, other)), json }
    },
    { status: 303, to: "/own/sign-in", json: { need: "sign_in", again: true, asked: high, reached: low } },
  ),
  row(
    "OpenID Connect Core §3.1.2.3: where only the sign-in page is the embedder's, it is told to sign the person in, and sends nobody round in a circle",
    "interaction.visit-since",
    ladder(high, { interactions: { signIn: "/own/sign-in" } }),
    async (w) => {
      const visitor = w.visitor()
      const first = await waitingAt(w, visitor, (await open(visitor, await ask(w))).header("location") ?? "")
      await answer(w, first, { signIn: { subject: "sub-alice" } })
      const sent = await open(visitor, await ask(w, "till", { acr_values: high }))
      const { state } = await waitingAt(w, visitor, sent.header("location") ?? "")
      return { ...sent, json: { need: state.need, asked: state.signIn?.acrValues.join(" ") } }
    },
    { status: 303, json: { need: "sign_in", asked: high } },
  ),
]
