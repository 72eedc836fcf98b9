import { rowKindsOf } from "@postern/core"
import { outbox } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import { expect } from "vitest"
import { ask, asking, modelOf, open } from "./asking.ts"
import { authorize, follow, interactionOf, post, request, signedIn } from "./flows.ts"
import { fakeProviders, upstream } from "./upstream.ts"
import { type Said, type Visitor, said } from "./visitor.ts"
import { type World, password, world } from "./world.ts"

const options = asking()
const app = { redirect_uris: ["https://app.example/cb"], scope: "openid", require_consent: false }

/** The kinds of row that the store of these worlds keeps. */
export const sentKinds = rowKindsOf({ features: options.more?.features ?? [] })

const alice = [
  ["username", "alice"],
  ["password", password],
] as const

/** A request that may be sent again and again, by a browser that takes no answer in between. */
interface Sending {
  readonly visitor: Visitor
  readonly send: (at: number) => Promise<Said>
}

const form = (visitor: Visitor, { page }: Said, fields: (at: number) => ReadonlyArray<readonly [string, string]>): Sending => {
  const { cookies } = visitor
  // All are sent with the cookies of the page, as a browser does that got no answer yet.
  const before = new Map(cookies)
  return {
    visitor,
    send: (at) => {
      cookies.clear()
      for (const [name, value] of before) cookies.set(name, value)
      return visitor.submit(page, fields(at))
    },
  }
}

const ownResume = (w: World, visitor: Visitor, csrf: unknown, answer: Readonly<Record<string, unknown>>, handle: string): Sending => ({
  visitor,
  send: async () => {
    const message = visitor.message(`/own?interaction=${handle}`, "POST", { accept: "application/json" })
    // The answer is what an embedder's page states; its type is that of a body.
    return said(await w.provider.resume(message, { csrf: String(csrf), ...answer } as never))
  },
})

/** Each thing that a person answers once. */
export const sentOnce = {
  "a sign-in form": async (w: World) => {
    const visitor = w.visitor()
    return form(visitor, await authorize(visitor), () => alice)
  },
  "a sign-in form before consent": async (w: World) => {
    const visitor = w.visitor()
    return form(visitor, await authorize(visitor, "asks"), () => alice)
  },
  "a sign-in at another provider": async (w: World) => {
    const visitor = w.visitor()
    const shown = await authorize(visitor, "work")
    const [choice] = (shown.page?.["providers"] ?? []) as ReadonlyArray<Record<string, unknown>>
    const sent = await visitor.submit(choice)
    const before = new Map(visitor.cookies)
    return {
      visitor,
      send: () => {
        for (const [name, value] of before) visitor.cookies.set(name, value)
        return visitor.get("/login/callback/corp", { state: sent.params["state"] ?? "", code: "ann" })
      },
    }
  },
  "a consent form": async (w: World) => {
    const visitor = await signedIn(w)
    return form(visitor, await authorize(visitor, "asks"), () => [["decision", "allow"]])
  },
  "a consent form, allowed and denied": async (w: World) => {
    const visitor = await signedIn(w)
    return form(visitor, await authorize(visitor, "asks"), (at) => [["decision", at % 2 === 0 ? "allow" : "deny"]])
  },
  "a way back to a request": async (w: World) => {
    const visitor = w.visitor()
    const waits = await authorize(visitor, "web")
    await visitor.submit((await visitor.get("/login")).page, alice)
    return { visitor, send: () => visitor.get("/connect/authorize/resume", { interaction: interactionOf(waits) }) }
  },
  "a pushed request": async (w: World) => {
    const visitor = await signedIn(w)
    const { json } = await post(w, "/connect/par", "web", request())
    return { visitor, send: () => visitor.get("/connect/authorize", { client_id: "web", request_uri: String(json?.["request_uri"]) }) }
  },
  "a hybrid request": async (w: World) => {
    const visitor = w.visitor()
    const shown = await authorize(visitor, "hybrid", { response_type: "code id_token", nonce: "n" })
    return form(visitor, shown, () => alice)
  },
  "a device's form": async (w: World) => {
    const visitor = await signedIn(w)
    const { json } = await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })
    return form(visitor, await visitor.get(`/device?user_code=${String(json?.["user_code"])}`), () => [["decision", "allow"]])
  },
  "a backchannel request's form": async (w: World) => {
    const visitor = await signedIn(w)
    const shown = await open(visitor, await ask(w))
    return form(visitor, { ...shown, page: { form: modelOf(shown)["form"] } }, () => [["decision", "allow"]])
  },
  "an own page's sign-in": async (w: World) => {
    const visitor = w.visitor()
    const handle = interactionOf(await authorize(visitor))
    const asked = await w.provider.interaction(visitor.message(`/own?interaction=${handle}`))
    return ownResume(w, visitor, "csrf" in asked ? asked.csrf : "", { signIn: { subject: "sub-alice", amr: ["pwd"] } }, handle)
  },
  "an own page's consent": async (w: World) => {
    const visitor = await signedIn(w)
    const handle = interactionOf(await authorize(visitor, "asks"))
    const asked = await w.provider.interaction(visitor.message(`/own?interaction=${handle}`))
    return ownResume(w, visitor, "csrf" in asked ? asked.csrf : "", { consent: { scopes: ["openid"] } }, handle)
  },
  "a sign-out": async (w: World) => {
    const visitor = await signedIn(w)
    await follow(visitor, await visitor.get("/connect/authorize", request("notified")))
    return form(visitor, await visitor.get("/logout"), () => [])
  },
} satisfies Readonly<Record<string, (w: World) => Promise<Sending>>>

/** The names of what a person answers once. */
export type SentOnce = keyof typeof sentOnce

const told = ({ status, to, params, page, json }: Said): string => {
  const code = params["code"] ?? codeIn(json?.["location"])
  if (code !== undefined) return `${status} code`
  return `${status} ${String(params["error"] ?? json?.["location"] ?? to ?? page?.["trouble"] ?? page?.["problem"] ?? page?.["_tag"])}`
}

const codeIn = (location: unknown): string | undefined =>
  typeof location === "string" ? (new URL(location).searchParams.get("code") ?? undefined) : undefined

const clients = [
  ...(options.clients ?? []),
  { ...app, client_id: "work", client_secret: "secret of work", identity_providers: ["corp"] },
  { ...app, client_id: "notified", client_secret: "secret of notified", backchannel_logout_uri: "https://app.example/out" },
]

/** Sends something 16 times at once, and once more after that; tells what came of it. */
export const sentAtOnce = async (tokens: TokenStorePort, name: SentOnce) => {
  const w = await world({ ...options, clients, tokens, more: { ...options.more, upstream, identityProviders: fakeProviders() } })
  const { send } = await sentOnce[name](w)
  const subject = name === "a sign-in at another provider" ? "https://corp.example ann" : "sub-alice"
  const [grants, sessions] = [await tokens.grantsOf(subject), await tokens.sessionsOf(subject)]
  const answers = await Promise.all(Array.from({ length: 16 }, (_, at) => send(at)))
  answers.push(await send(16))
  const codes = [...new Set(answers.flatMap(({ params, json }) => params["code"] ?? codeIn(json?.["location"]) ?? []))]
  return {
    answers: [...new Set(answers.map(told))].toSorted(),
    codes: codes.length,
    grants: (await tokens.grantsOf(subject)).length - grants.length,
    sessions: (await tokens.sessionsOf(subject)).length - sessions.length,
    messages: (await tokens.list(outbox, "due", { now: w.now() })).length,
    reports: w.reports,
  }
}

/** Outcome of each. A guess beyond those that are judged at once may be told to wait: that answer may come or not. */
export const oneOutcome: Readonly<
  Record<SentOnce, { readonly answers: ReadonlyArray<string>; readonly may?: string; readonly counts: Counts }>
> = {
  "a sign-in form": { answers: ["303 code"], may: "429 throttled", counts: [1, 1, 1, 0] },
  "a sign-in form before consent": { answers: ["303 /consent"], may: "429 throttled", counts: [0, 0, 1, 0] },
  "a sign-in at another provider": { answers: ["303 /connect/authorize/resume", "303 code"], counts: [1, 1, 1, 0] },
  "a consent form": { answers: ["303 code"], counts: [1, 1, 0, 0] },
  "a consent form, allowed and denied": { answers: ["303 code"], counts: [1, 1, 0, 0] },
  "a way back to a request": { answers: ["303 code"], counts: [1, 1, 0, 0] },
  "a pushed request": { answers: ["303 code", "400 interaction_finished"], counts: [1, 1, 0, 0] },
  "a hybrid request": { answers: ["303 /connect/authorize/resume", "303 code"], may: "429 throttled", counts: [1, 1, 1, 0] },
  "a device's form": { answers: ["200 DeviceDone", "400 used"], may: "429 too_many_attempts", counts: [0, 1, 0, 0] },
  "a backchannel request's form": { answers: ["200 Feature"], counts: [0, 1, 0, 0] },
  "an own page's sign-in": { answers: ["200 code"], counts: [1, 1, 1, 0] },
  "an own page's consent": { answers: ["200 code"], counts: [1, 1, 0, 0] },
  "a sign-out": { answers: ["200 SignedOut"], counts: [0, -1, -1, 1] },
}

/** Codes, grants, sessions, and messages to clients. */
type Counts = readonly [codes: number, grants: number, sessions: number, messages: number]

/** Outcome of a request that was allowed and denied, where the denial came first. */
const denied = { answers: ["303 access_denied"], counts: [0, 0, 0, 0], reports: [] }

/** Fails unless something that is sent 16 times at once has one outcome. */
export const expectOneOutcome = async (tokens: TokenStorePort, name: SentOnce): Promise<void> => {
  const { answers, codes, grants, sessions, messages, reports } = await sentAtOnce(tokens, name)
  const { answers: must, may, counts } = oneOutcome[name]
  const came = { answers: answers.filter((each) => each !== may), counts: [codes, grants, sessions, messages], reports }
  const isDenied = name === "a consent form, allowed and denied" && came.answers.includes("303 access_denied")
  expect(came).toEqual(isDenied ? denied : { answers: must, counts, reports: [] })
}
