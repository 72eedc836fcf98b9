import type { ClientMetadata } from "@postern/core"
import fc from "fast-check"
import { authorize, interactionOf, redeem, request, signedIn } from "../../support/flows.ts"
import type { Said } from "../../support/visitor.ts"
import { worldsOn } from "../actor.ts"
import { actorsWith, actsOf, type Busy, busy, raced } from "../racing.ts"

/** Scopes of the requests that wait in two browsers of one person, each on its consent page. */
const waiting = [
  ["openid", "profile", "api.read"],
  ["openid", "email"],
] as const

/** Actions of that person in either, and in a third browser on their home page, where they withdraw. */
type Act =
  | { readonly tag: "allow"; readonly browser: number; readonly ticked: ReadonlyArray<string> }
  | { readonly tag: "deny"; readonly browser: number }
  /** The request that waited goes on. */
  | { readonly tag: "resume"; readonly browser: number }
  /** Another request. */
  | { readonly tag: "ask"; readonly scope: ReadonlyArray<string> }
  | { readonly tag: "withdraw" }
  | { readonly tag: "wait" }

/** `code` is one that was handed out. */
interface Answer {
  readonly told: string
  readonly code?: string
}

type Scope = ReadonlyArray<string>

interface State {
  readonly consent: Scope | undefined
  /** Outcome of each request that waited: its code, or `denied`. It has one, whatever is sent for it after that. */
  readonly outcomes: ReadonlyArray<string | undefined>
  readonly codes: Readonly<Record<string, { readonly scope: Scope; readonly revoked: boolean }>>
}

const client: ClientMetadata = {
  client_id: "asks",
  client_secret: "secret of asks",
  grant_types: ["authorization_code"],
  redirect_uris: ["https://app.example/cb"],
  scope: "openid profile email api.read",
  require_consent: true,
}

const browser = fc.nat(waiting.length - 1)
/** Draws the choices on the page of a browser: whatever may be unticked is, or not. */
const answerOn = (each: number): fc.Arbitrary<Act> => {
  const words = (waiting[each] ?? []).slice(1).map((word) => fc.constantFrom<ReadonlyArray<string>>([word], []))
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(...words).map((ticked): Act => ({ tag: "allow", browser: each, ticked: ["openid", ...ticked.flat()] })),
    },
    { weight: 1, arbitrary: fc.constant<Act>({ tag: "deny", browser: each }) },
  )
}
const answer = browser.chain(answerOn)
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: answer },
  { weight: 3, arbitrary: browser.map((each): Act => ({ tag: "resume", browser: each })) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(["openid"], ["openid", "profile"], ["openid", "profile", "email"])
      .map((scope): Act => ({ tag: "ask", scope })),
  },
  { weight: 2, arbitrary: fc.constant<Act>({ tag: "withdraw" }) },
)
const races = fc.record({
  before: fc
    .tuple(fc.oneof(fc.constant([]), fc.array(answer, { minLength: 1, maxLength: 2 })), fc.boolean())
    .map(([answers, later]): ReadonlyArray<Act> => (later ? [...answers, { tag: "wait" }] : answers)),
  // Often both pages are answered at once.
  actors: fc.oneof(actorsWith(act), fc.tuple(...waiting.map((_, each) => actsOf(answerOn(each))))),
})

const given = (state: State, scope: Scope, code: string | undefined): State | undefined =>
  code === undefined ? undefined : { ...state, codes: { ...state.codes, [code]: { scope, revoked: false } } }
const covers = (consent: Scope | undefined, scope: Scope): boolean => consent !== undefined && scope.every((word) => consent.includes(word))

/** Answers a request that nobody has answered yet. */
const asked = (state: State, scope: Scope, { told, code }: Answer): State | undefined => {
  if (!covers(state.consent, scope)) return told === "asked" ? state : undefined
  return told === "code" ? given(state, scope, code) : undefined
}

/** Answers a request that waited, once; after that it is told its outcome again, for as long as the code of it is good. */
const once = (state: State, browser: number, { told, code }: Answer, first: (state: State) => State | undefined): State | undefined => {
  const outcome = state.outcomes[browser]
  if (outcome === undefined) {
    const after = first(state)
    const came = told === "denied" ? "denied" : code
    return after === undefined || came === undefined ? after : { ...after, outcomes: after.outcomes.with(browser, came) }
  }
  if (outcome === "denied") return told === "denied" ? state : undefined
  if (state.codes[outcome]?.revoked === true) return told === "gone" ? state : undefined
  return told === "code" && code === outcome ? state : undefined
}

const step = (state: State, each: Act, observed: Answer): State | undefined => {
  const { consent, codes } = state
  switch (each.tag) {
    case "allow":
      return once(state, each.browser, observed, (before) => {
        const carried = (consent ?? []).filter((word) => !waiting[each.browser]?.some((other) => other === word))
        const after = { ...before, consent: [...carried, ...each.ticked] }
        return observed.told === "code" ? given(after, each.ticked, observed.code) : undefined
      })
    case "deny":
      return once(state, each.browser, observed, (before) => (observed.told === "denied" ? before : undefined))
    case "resume":
      return once(state, each.browser, observed, (before) => asked(before, waiting[each.browser] ?? [], observed))
    case "ask":
      return asked(state, each.scope, observed)
    case "withdraw": {
      const revoked = Object.fromEntries(Object.entries(codes).map(([code, grant]) => [code, { ...grant, revoked: true }]))
      return observed.told === "done" ? { ...state, consent: undefined, codes: revoked } : undefined
    }
    case "wait":
      return state
  }
}

const answerOf = ({ status, to, params, page }: Said): Answer | Busy => {
  if (status === 503 || params["error"] === "temporarily_unavailable") return busy
  if (params["code"] !== undefined) return { told: "code", code: params["code"] }
  if (params["error"] === "access_denied") return { told: "denied" }
  if (to === "/consent") return { told: "asked" }
  if (to === "/connect/authorize/resume" || page?.["trouble"] === "interaction_finished") return { told: "gone" }
  return { told: status === 303 && to === "/" ? "done" : `${status} ${String(page?.["_tag"])}` }
}

const sorted = (scope: Scope | undefined): string => (scope === undefined ? "nothing" : scope.toSorted().join(" "))

/** Consents that a person gives a client. */
export const consents = raced<State, Act, Answer>({
  title:
    "OpenID Connect Core §3.1.2.4: allowed, denied and withdrawn in several browsers at once, a consent is what some order makes it, and so is what was granted on it",
  races,
  begin: async (subject, { between }) => {
    const { world } = worldsOn(subject, [client], between)
    const pages = await Promise.all(
      waiting.map(async (scope) => {
        const visitor = await signedIn(world)
        const shown = await authorize(visitor, "asks", { scope: scope.join(" ") })
        return { visitor, page: shown.page, interaction: interactionOf(shown) }
      }),
    )
    const owner = await signedIn(world)
    const home = (await owner.get("/")).page
    const handed = new Set<string>()
    const at = (index: number) => pages[index] ?? Promise.reject(new Error(`there is no browser ${index}`))

    const answered = async (each: Act): Promise<Said | undefined> => {
      switch (each.tag) {
        case "allow": {
          const { visitor, page } = await at(each.browser)
          return visitor.submit(page, [["decision", "allow"], ...each.ticked.map((word) => ["scope", word] as const)])
        }
        case "deny": {
          const { visitor, page } = await at(each.browser)
          return visitor.submit(page, [["decision", "deny"]])
        }
        case "resume": {
          const { visitor, interaction } = await at(each.browser)
          return visitor.get("/connect/authorize/resume", { interaction })
        }
        case "ask":
          return owner.get("/connect/authorize", request("asks", { scope: each.scope.join(" ") }))
        case "withdraw":
          return owner.submit(home, [["client_id", "asks"]], "withdrawConsent")
        case "wait":
          world.pass(1)
          return undefined
      }
    }
    /** Reads the remembered scopes as the home page shows them, and those of each code. */
    const look = async () => {
      const { page } = await owner.get("/")
      const [shown] = (page?.["consents"] ?? []) as Array<{ scopes: Array<{ name: string }> }>
      const scopes = new Map<string, string>()
      for (const code of handed) {
        const { status, json } = await redeem(world, code, "asks")
        scopes.set(code, status === 200 ? sorted(String(json?.["scope"]).split(" ")) : String(json?.["error"]))
      }
      return { consent: sorted(shown?.scopes.map(({ name }) => name)), scopes }
    }
    let looked: ReturnType<typeof look> | undefined
    return {
      state: { consent: undefined, outcomes: [undefined, undefined], codes: {} },
      perform: async (each) => {
        const said = await answered(each)
        const told = said === undefined ? { told: "done" } : answerOf(said)
        if (told !== busy && told.code !== undefined) handed.add(told.code)
        return told
      },
      shows: async ({ consent, codes }) => {
        const { consent: shown, scopes } = await (looked ??= look())
        return (
          sorted(consent) === shown &&
          Object.entries(codes).every(([code, { scope, revoked }]) => scopes.get(code) === (revoked ? "invalid_grant" : sorted(scope)))
        )
      },
    }
  },
  step,
  kind: ({ tag }, { told }) => `${tag}: ${told}`,
  kinds: ["allow: code", "allow: denied", "deny: denied", "resume: code", "resume: asked", "ask: code", "ask: asked", "withdraw: done"],
})
