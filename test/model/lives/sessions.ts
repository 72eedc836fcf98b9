import type { ClientMetadata } from "@postern/core"
import { defaultSessionLifetime } from "@postern/core/model"
import fc from "fast-check"
import { redeem, request, signIn } from "../../support/flows.ts"
import { password } from "../../support/world.ts"
import type { Said, Visitor } from "../../support/visitor.ts"
import { worldsOn } from "../actor.ts"
import { actsOf, type Busy, busy, raced } from "../racing.ts"

/** Actions of a person in two copies of one browser and in another browser. */
type Act =
  | { readonly tag: "authorize"; readonly browser: number; readonly offline: boolean }
  | { readonly tag: "sign in"; readonly browser: number }
  | { readonly tag: "sign out"; readonly browser: number }
  /** Ends one of the two sessions that there were at first. */
  | { readonly tag: "end"; readonly browser: number; readonly session: number }
  /** A tenth of a session's life: it slides with its next use. */
  | { readonly tag: "wait" }

/** `code` is one that was handed out. */
interface Answer {
  readonly told: string
  readonly code?: string
}

interface CodeState {
  readonly session: number
  readonly offline: boolean
  readonly revoked: boolean
}

interface State {
  /** State of each session. */
  readonly live: ReadonlyArray<boolean>
  /** The session whose cookie each browser has. */
  readonly holds: ReadonlyArray<number | undefined>
  readonly codes: Readonly<Record<string, CodeState>>
}

/** The session that each browser begins with; the forms on its pages are that session's. */
const first = [0, 0, 1]

const client: ClientMetadata = {
  client_id: "web",
  client_secret: "secret of web",
  grant_types: ["authorization_code", "refresh_token"],
  redirect_uris: ["https://app.example/cb"],
  scope: "openid offline_access",
  require_consent: false,
  revoke_on_logout: "online",
}

const actOf = (browser: fc.Arbitrary<number>): fc.Arbitrary<Act> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ tag: fc.constant("authorize" as const), browser, offline: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ tag: fc.constant("sign in" as const), browser }) },
    { weight: 1, arbitrary: fc.record({ tag: fc.constant("sign out" as const), browser }) },
    { weight: 2, arbitrary: fc.record({ tag: fc.constant("end" as const), browser, session: fc.nat(1) }) },
  )
/** Each actor has a browser to themselves: what cookie it has then is no matter of a race. */
const races = fc.record({
  before: fc
    .tuple(fc.boolean(), fc.array(actOf(fc.nat(first.length - 1)), { maxLength: 2 }))
    .map(([late, acts]): ReadonlyArray<Act> => (late ? [{ tag: "wait" }, ...acts] : acts)),
  actors: fc
    .shuffledSubarray([...first.keys()], { minLength: 2 })
    .chain((browsers) => fc.tuple(...browsers.map((each) => actsOf(actOf(fc.constant(each)))))),
})

/** A session ends; so do those of its grants. */
const ended = (state: State, session: number, which: (code: CodeState) => boolean): State => ({
  ...state,
  live: state.live.with(session, false),
  codes: Object.fromEntries(
    Object.entries(state.codes).map(([name, code]) => [name, code.session === session && which(code) ? { ...code, revoked: true } : code]),
  ),
})

const step = (state: State, each: Act, { told, code }: Answer): State | undefined => {
  if (each.tag === "wait") return state
  const { live, holds, codes } = state
  const held = holds[each.browser]
  const stands = held !== undefined && live[held] === true
  switch (each.tag) {
    case "authorize":
      if (!stands) return told === "asked to sign in" ? state : undefined
      if (told !== "code" || code === undefined) return undefined
      return { ...state, codes: { ...codes, [code]: { session: held, offline: each.offline, revoked: false } } }
    case "sign in": {
      // Another session takes the place of the old one; its grants stay.
      const after = held === undefined ? state : ended(state, held, () => false)
      return told === "done" ? { ...after, live: [...after.live, true], holds: holds.with(each.browser, live.length) } : undefined
    }
    case "sign out": {
      if (stands && held !== first[each.browser]) return told === "asked whether" ? state : undefined
      if (told !== "signed out") return undefined
      const after = held === undefined ? state : ended(state, held, ({ offline }) => !offline)
      return { ...after, holds: holds.with(each.browser, undefined) }
    }
    case "end":
      if (!stands || held !== first[each.browser]) return told === "stale" ? state : undefined
      return told === "done" ? ended(state, each.session, () => true) : undefined
  }
}

const answerOf = ({ status, to, params, page }: Said): Answer | Busy => {
  if (status === 503 || params["error"] === "temporarily_unavailable") return busy
  if (params["code"] !== undefined) return { told: "code", code: params["code"] }
  if (to === "/login") return { told: "asked to sign in" }
  if (status === 303 && to === "/") return { told: "done" }
  if (page?.["_tag"] === "SignedOut") return { told: "signed out" }
  if (page?.["_tag"] === "Logout") return { told: "asked whether" }
  return { told: status === 400 ? "stale" : String(status) }
}

interface Tab {
  readonly visitor: Visitor
  readonly login: Said["page"]
  readonly logout: Said["page"]
  readonly home: Said["page"]
}

const tabOf = async (visitor: Visitor): Promise<Tab> => {
  const { page: login } = await visitor.get("/login")
  await signIn(visitor)
  return { visitor, login, logout: (await visitor.get("/connect/endsession")).page, home: (await visitor.get("/")).page }
}

const sessionsOn = (home: Said["page"]) => home?.["sessions"] as Array<{ readonly id: string; readonly current: boolean }>

/** People who are signed in, and the grants made there. */
export const sessions = raced<State, Act, Answer>({
  title:
    "OpenID Connect Core §3.1.2.3, RP-Initiated Logout §2: signed in, signed out and ended from elsewhere at once, sessions and their grants are what some order makes them",
  races,
  begin: async (subject, { between }) => {
    const { world } = worldsOn(subject, [client], between)
    const one = await tabOf(world.visitor())
    const copy = world.visitor()
    for (const [name, value] of one.visitor.cookies) copy.cookies.set(name, value)
    const tabs = [one, { ...one, visitor: copy }, await tabOf(world.visitor())]
    const ids = tabs.map(({ home }) => sessionsOn(home).find(({ current }) => current)?.id ?? "")
    const idOf = (session: number): string => ids[first.indexOf(session)] ?? ""
    const handed: Array<string> = []

    const answered = async (each: Exclude<Act, { tag: "wait" }>): Promise<Said> => {
      const { visitor, login, logout, home } = await (tabs[each.browser] ?? Promise.reject(new Error("there is no such browser")))
      switch (each.tag) {
        case "authorize":
          return visitor.get("/connect/authorize", request("web", { scope: each.offline ? "openid offline_access" : "openid" }))
        case "sign in":
          return visitor.submit(login, [
            ["username", "alice"],
            ["password", password],
          ])
        case "sign out":
          return visitor.submit(logout)
        case "end":
          return visitor.submit(home, [["session", idOf(each.session)]], "endSession")
      }
    }
    /** Counts the sessions on each browser's home, 0 where it has none, and finds the codes that are still good. */
    const look = async () => {
      const shown = []
      for (const { visitor } of tabs) shown.push(sessionsOn((await visitor.get("/")).page)?.length ?? 0)
      const good = new Set<string>()
      for (const code of handed) if ((await redeem(world, code)).status === 200) good.add(code)
      return { shown, good }
    }
    let looked: ReturnType<typeof look> | undefined
    return {
      state: { live: [true, true], holds: first, codes: {} },
      perform: async (each) => {
        if (each.tag === "wait") {
          world.pass(defaultSessionLifetime / 10)
          return { told: "done" }
        }
        const told = answerOf(await answered(each))
        if (told !== busy && told.code !== undefined) handed.push(told.code)
        return told
      },
      shows: async ({ live, holds, codes }) => {
        const { shown, good } = await (looked ??= look())
        const standing = live.filter((each) => each).length
        return (
          holds.every((held, at) => shown[at] === (held !== undefined && live[held] === true ? standing : 0)) &&
          Object.entries(codes).every(([code, { revoked }]) => good.has(code) !== revoked)
        )
      },
    }
  },
  step,
  kind: ({ tag }, { told }) => `${tag}: ${told}`,
  kinds: ["authorize: code", "authorize: asked to sign in", "sign in: done", "sign out: signed out", "end: done", "end: stale"],
})
