import type { ClientMetadata } from "@postern/core"
import fc from "fast-check"
import { post, signedIn, userinfo } from "../../support/flows.ts"
import type { Said } from "../../support/visitor.ts"
import { worldsOn } from "../actor.ts"
import { actorsWith, type Busy, busy, raced } from "../racing.ts"

/** A device that polls, and two people before its page, either of whom may allow it or deny it, and withdraw what they allowed. */
type Act =
  | { readonly tag: "poll" }
  | { readonly tag: "decide"; readonly person: number; readonly decision: "allow" | "deny" }
  | { readonly tag: "withdraw"; readonly person: number }
  | { readonly tag: "wait" }

/** `tokens` is the access token; the others are words of the page or of RFC 8628 §3.5. */
interface Answer {
  readonly told: string
  readonly token?: string
}

interface State {
  readonly stands: "pending" | "approved" | "denied" | "consumed"
  /** Person who approved it. */
  readonly by: number | undefined
  readonly revoked: boolean
  /** True if it polled within its interval. */
  readonly hurried: boolean
  readonly token: string | undefined
}

const television: ClientMetadata = {
  client_id: "tv",
  token_endpoint_auth_method: "none",
  grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
  response_types: [],
  scope: "openid offline_access",
}

/** More than the interval, however often it was made longer. */
const wait = 60

const person = fc.nat(1)
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Act>({ tag: "poll" }) },
  {
    weight: 4,
    arbitrary: fc.record({
      tag: fc.constant("decide" as const),
      person,
      decision: fc.constantFrom("allow" as const, "allow" as const, "deny" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ tag: fc.constant("withdraw" as const), person }) },
)

const races = fc.record({
  before: fc.constantFrom<ReadonlyArray<Act>>(
    [],
    [{ tag: "poll" }],
    [{ tag: "poll" }, { tag: "wait" }],
    [{ tag: "decide", person: 0, decision: "allow" }],
    [{ tag: "decide", person: 1, decision: "deny" }],
  ),
  actors: actorsWith(act),
})

const told = (after: State, word: string, token?: string) => ({ after, word, token })

/** Judges a poll; `token` where it gives tokens. */
const polled = (state: State) => {
  if (state.stands === "consumed") return told(state, "invalid_grant")
  if (state.stands === "denied") return told(state, "access_denied")
  if (state.stands === "pending")
    return state.hurried ? told(state, "slow_down") : told({ ...state, hurried: true }, "authorization_pending")
  return state.revoked ? told(state, "invalid_grant") : told({ ...state, stands: "consumed" }, "tokens")
}

const decided = (state: State, { person: by, decision }: Extract<Act, { tag: "decide" }>) => {
  if (state.stands !== "pending") return told(state, "used")
  return decision === "allow" ? told({ ...state, stands: "approved", by }, "allow") : told({ ...state, stands: "denied" }, "deny")
}

const step = (state: State, each: Act, { told: word, token }: Answer): State | undefined => {
  switch (each.tag) {
    case "poll": {
      const { after, word: expected } = polled(state)
      return word === expected ? { ...after, token: token ?? after.token } : undefined
    }
    case "decide": {
      const { after, word: expected } = decided(state, each)
      return word === expected ? after : undefined
    }
    case "withdraw":
      return word === "done" ? { ...state, revoked: state.revoked || state.by === each.person } : undefined
    case "wait":
      return { ...state, hurried: false }
  }
}

const deviceAnswer = ({ status, json }: Said): Answer | Busy => {
  if (status === 503) return busy
  return status === 200 ? { told: "tokens", token: String(json?.["access_token"]) } : { told: String(json?.["error"]) }
}

const pageAnswer = ({ status, page, to }: Said): Answer | Busy => {
  if (status === 503) return busy
  if (status === 303 && to === "/") return { told: "done" }
  if (page?.["_tag"] === "DeviceDone") return { told: page["approved"] === true ? "allow" : "deny" }
  return { told: String(page?.["problem"] ?? page?.["_tag"]) }
}

/** A device's code. */
export const devices = raced<State, Act, Answer>({
  title:
    "RFC 8628 §3.4, §3.5: polled while people allow, deny and withdraw it, one decision counts, its tokens are given once, and some order explains each answer",
  races,
  begin: async (subject, { between }) => {
    const { world } = worldsOn(subject, [television], between)
    const { json } = await post(world, "/connect/deviceauthorization", "tv", {})
    const people = await Promise.all(
      ["alice", "bob"].map(async (name) => {
        const visitor = await signedIn(world, name)
        const { page } = await visitor.get("/device", { user_code: String(json?.["user_code"]) })
        return { visitor, page, home: (await visitor.get("/")).page }
      }),
    )
    const sitting = (at: number) => people[at] ?? Promise.reject(new Error(`nobody is number ${at}`))
    let token: string | undefined
    let later: Promise<readonly [Answer | Busy, number | undefined]> | undefined

    const perform = async (each: Act): Promise<Answer | Busy> => {
      switch (each.tag) {
        case "poll": {
          const fields = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: String(json?.["device_code"]) }
          const answer = deviceAnswer(await post(world, "/connect/token", "tv", fields))
          token ??= answer === busy ? undefined : answer.token
          return answer
        }
        case "decide": {
          const { visitor, page } = await sitting(each.person)
          return pageAnswer(await visitor.submit(page, [["decision", each.decision]]))
        }
        case "withdraw": {
          const { visitor, home } = await sitting(each.person)
          return pageAnswer(await visitor.submit(home, [["client_id", "tv"]], "withdrawConsent"))
        }
        case "wait":
          world.pass(wait)
          return { told: "done" }
      }
    }
    /** Polls a while later, and tries the token that was given before. */
    const look = async () => {
      const works = token === undefined ? undefined : (await userinfo(world, token)).status
      world.pass(wait)
      return [await perform({ tag: "poll" }), works] as const
    }
    return {
      state: { stands: "pending", by: undefined, revoked: false, hurried: false, token: undefined },
      perform,
      shows: async (state) => {
        const [answer, works] = await (later ??= look())
        const expected = state.token === undefined ? undefined : state.revoked ? 401 : 200
        return works === expected && answer !== busy && answer.told === polled({ ...state, hurried: false }).word
      },
    }
  },
  step,
  kind: ({ tag }, answer) => `${tag}: ${answer.told}`,
  kinds: ["poll: tokens", "poll: access_denied", "poll: slow_down", "decide: allow", "decide: deny", "decide: used", "withdraw: done"],
})
