import type { InteractionAnswer } from "@postern/core/model"
import { type Message, type ReportedFault, createProviders } from "@postern/core"
import { joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import { describe, expect, test } from "vitest"
import { type AtOwnPage, answer, atConsent, atSignIn, ownPages } from "../cases/interactions.ts"
import { lastRefusal } from "../cases/case.ts"
import { type World, world } from "../support/world.ts"

/** The interaction as it stands now: a refusal must leave it so. */
const now = (w: World, { visitor, target }: AtOwnPage) => w.provider.interaction(visitor.message(target))

const boom = new Error("boom")
const throwing = (member: string): object =>
  Object.defineProperty({}, member, {
    enumerable: true,
    get: () => {
      throw boom
    },
  })
const trapped = (): object =>
  new Proxy(
    {},
    {
      ownKeys: () => {
        throw boom
      },
      get: () => {
        throw boom
      },
    },
  )
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const cyclic = (): object => {
  const own: Record<string, unknown> = { subject: "sub-alice" }
  own["again"] = own
  return own
}
const deep = (): object => {
  let value: object = {}
  for (let depth = 0; depth < 50_000; depth++) value = { value }
  return value
}
const alice = { subject: "sub-alice" }
const fromJson = (text: string): object => JSON.parse(text) as object
// oxlint-disable-next-line unicorn/no-thenable -- such a value is what the test is about
const never = { then: () => undefined }

/** Values that no page may answer with, each with the rule that refuses it. */
const answers: ReadonlyArray<readonly [title: string, given: () => unknown, rule: string]> = [
  ["nothing", () => undefined, "interaction.answer"],
  ["null", () => null, "interaction.answer"],
  ["a text", () => "signIn", "interaction.answer"],
  ["a function", () => () => ({ signIn: alice }), "interaction.answer"],
  ["a list", () => [{ signIn: alice }], "interaction.answer"],
  ["a promise that nobody awaited", () => Promise.resolve({ signIn: alice }), "interaction.answer"],
  ["a promise that never ends", () => ({ ...never }), "interaction.answer"],
  ["a getter that throws", () => throwing("signIn"), "interaction.answer"],
  ["a proxy that throws", trapped, "interaction.answer"],
  ["a proxy that is revoked", revoked, "interaction.answer"],
  ["a sign-in that is a function", () => ({ signIn: () => alice }), "interaction.answer"],
  ["a sign-in whose getter throws", () => ({ signIn: throwing("subject") }), "interaction.answer"],
  ["a sign-in by the prototype", () => Object.create({ signIn: alice }) as object, "interaction.answer"],
  ["a sign-in by __proto__", () => fromJson('{"__proto__":{"signIn":{"subject":"sub-alice"}}}'), "interaction.answer"],
  ["a person by __proto__", () => ({ signIn: fromJson('{"__proto__":{"subject":"sub-alice"}}') }), "interaction.person-known"],
  ["a person by the prototype", () => ({ signIn: Object.create(alice) as object }), "interaction.person-known"],
  ["a person that is text in an object", () => ({ signIn: { subject: Object("sub-alice") as unknown } }), "interaction.answer"],
  ["a person in a list", () => ({ signIn: { subject: ["sub-alice"] } }), "interaction.person-known"],
  ["a person of ten million characters", () => ({ signIn: { subject: "x".repeat(10_000_000) } }), "interaction.person-known"],
  ["an amr of a million methods", () => ({ signIn: { ...alice, amr: Array.from({ length: 1_000_000 }, () => "pwd") } }), "interaction.amr"],
  ["an amr that only looks like a list", () => ({ signIn: { ...alice, amr: { length: 1, 0: "pwd" } } }), "interaction.amr"],
  ["an amr with holes", () => ({ signIn: { ...alice, amr: Array(3) as unknown } }), "interaction.answer"],
  ["an acr of ten million characters", () => ({ signIn: { ...alice, acr: "x".repeat(10_000_000) } }), "interaction.acr"],
  ["a time that is no number", () => ({ signIn: { ...alice, authTime: "1" } }), "interaction.auth-time"],
  ["a time that is not finite", () => ({ signIn: { ...alice, authTime: Number.POSITIVE_INFINITY } }), "interaction.auth-time"],
  ["a time as a bigint", () => ({ signIn: { ...alice, authTime: 1n } }), "interaction.answer"],
  ["a date", () => ({ signIn: { ...alice, authTime: new Date(0) } }), "interaction.answer"],
  ["a map", () => ({ signIn: new Map([["subject", "sub-alice"]]) }), "interaction.answer"],
  ["an answer that holds itself", () => ({ signIn: cyclic() }), "interaction.answer"],
  ["a list of four billion holes", () => ({ signIn: { ...alice, amr: Array(4_000_000_000) as unknown } }), "interaction.answer"],
  ["a tree that is too deep to copy", () => ({ deny: deep() }), "interaction.answer"],
  ["a denial that is null", () => ({ deny: null }), "interaction.answer"],
  ["a denial that is 0", () => ({ deny: 0 }), "interaction.answer"],
  ["a denial that is an empty text", () => ({ deny: "" }), "interaction.answer"],
  ["a denial that says false as a text", () => ({ deny: "false" }), "interaction.answer"],
  ["a denial that is a list", () => ({ deny: [] }), "interaction.answer"],
  ["a sign-in with a misspelled time", () => ({ signIn: { ...alice, auth_time: 1 } }), "interaction.members"],
  [
    "an error with a member that there is none of",
    () => ({ error: { error: "access_denied", error_description: "No." } }),
    "interaction.members",
  ],
  ["an error of a made-up code", () => ({ error: { error: "__proto__" } }), "interaction.error-code"],
  [
    "an error with a text that breaks a header",
    () => ({ error: { error: "access_denied", description: "a\r\nb: c" } }),
    "interaction.error-text",
  ],
]

describe("RFC 6749 §4.1.1: an answer that is none is refused by its rule, and the request waits as before", () => {
  test.each(answers)("%s", async (_, given, rule) => {
    const w = await world(ownPages)
    const at = await atSignIn(w)
    const before = await now(w, at)
    const value = given()
    const isData = typeof value === "object" && value !== null
    // A token that is right, where the value can carry one.
    if (isData && rule !== "interaction.answer") Object.assign(value, { csrf: at.state.csrf })
    const message = at.visitor.message(at.target, "POST")
    const said = await w.provider.resume(message, value as InteractionAnswer)
    expect(said.status).toBe(400)
    expect(lastRefusal(w)).toBe(rule)
    expect(w.reports).toEqual([])
    expect(await w.tokens.sessionsOf("sub-alice")).toEqual([])
    const after = await now(w, at)
    expect({ ...after, requestId: "" }).toEqual({ ...before, requestId: "" })
    expect(({} as Record<string, unknown>)["signIn"]).toBeUndefined()
    // The right answer still counts.
    expect((await answer(w, at, { signIn: alice })).status).toBe(303)
  })

  test.each<readonly [string, () => unknown, string]>([
    ["scopes with holes", () => ({ scopes: Array(2) as unknown }), "interaction.answer"],
    ["scopes that are one text", () => ({ scopes: "openid" }), "interaction.consent-scopes"],
    ["details that hold themselves", () => ({ scopes: ["openid"], details: [cyclic()] }), "interaction.answer"],
    ["details that no JSON carries", () => ({ scopes: ["openid"], details: [{ amount: 1n }] }), "interaction.answer"],
    ["details that are nothing", () => ({ scopes: ["openid"], details: [undefined] }), "interaction.consent-details"],
    ["details nobody asked for", () => ({ scopes: ["openid"], details: [{ type: "payment" }] }), "interaction.consent-details"],
  ])("a consent to %s", async (_, given, rule) => {
    const w = await world(ownPages)
    const at = await atConsent(w)
    expect((await answer(w, at, { consent: given() })).status).toBe(400)
    expect(lastRefusal(w)).toBe(rule)
    expect(w.reports).toEqual([])
    expect(await w.tokens.consentsOf("sub-alice")).toEqual([])
    expect(await now(w, at)).toMatchObject({ need: "consent" })
  })

  test("a list of a hundred thousand scopes grants those that were asked for, and is answered at once", async () => {
    const w = await world(ownPages)
    const at = await atConsent(w)
    const scopes = Array.from({ length: 100_000 }, (_, count) => `scope-${count}`)
    const said = await answer(w, at, { consent: { scopes: [...scopes, "openid"] } })
    expect(said.status).toBeLessThan(500)
    for (const grant of await w.tokens.grantsOf("sub-alice"))
      expect(["openid", "email", "api.read"]).toEqual(expect.arrayContaining([...grant.scope]))
  })

  test("an answer that changes while it is judged counts as it was given", async () => {
    const w = await world(ownPages)
    const at = await atSignIn(w)
    const given = { csrf: at.state.csrf, signIn: { subject: "sub-alice" } }
    const resumed = w.provider.resume(at.visitor.message(at.target, "POST"), given as InteractionAnswer)
    given.signIn.subject = "sub-bob"
    expect((await resumed).status).toBe(303)
    expect(await w.tokens.sessionsOf("sub-bob")).toEqual([])
    expect(await w.tokens.sessionsOf("sub-alice")).toHaveLength(1)
  })
})

const requests: ReadonlyArray<readonly [string, unknown]> = [
  ["nothing", undefined],
  ["null", null],
  ["an empty object", {}],
  ["a text", "https://op.example/own/sign-in"],
  ["a message without headers", { method: "POST", path: "/", query: "" }],
  ["a message without a query", { method: "POST", path: "/", headers: {} }],
  ["headers that throw", { method: "POST", path: "/", query: "", body: "", headers: throwing("cookie") }],
  ["a query that is no text", { method: "POST", path: "/", query: { interaction: "x" }, headers: {}, body: "" }],
  ["a method that is no text", { method: 1, path: "/", query: "", headers: {}, body: "" }],
  ["a Request whose URL is none", { headers: new Headers(), url: "::", method: "GET" }],
  ["a proxy that throws", trapped()],
]

describe("a request that is none rejects nothing", () => {
  test.each(requests)("%s", async (_, given) => {
    const w = await world(ownPages)
    const state = await w.provider.interaction(given as Message)
    expect(state).toMatchObject({ need: "refused" })
    const said = await w.provider.resume(given as Message, { signIn: alice, csrf: "" } as InteractionAnswer)
    expect(said.status).toBeGreaterThanOrEqual(400)
  })
})

const messages: ReadonlyArray<readonly [string, unknown]> = [
  ["nothing", undefined],
  ["null", null],
  ["an empty object", {}],
  ["a message whose path is no text", { method: "GET", path: 1, query: "", headers: {}, body: "" }],
  ["a message without headers", { method: "GET", path: "/login", query: "", body: "" }],
  ["headers that are lists", { method: "POST", path: "/connect/token", query: "", headers: { "content-type": ["a"] }, body: "a=b" }],
]

describe("a message that is none is answered with a bare failure, and reported", () => {
  test.each(messages)("%s, by handle", async (_, given) => {
    const w = await world()
    expect((await w.provider.handle(given as Message)).status).toBe(500)
    expect(w.reports).not.toEqual([])
  })

  test.each(messages.slice(0, 3))("%s, by fetch", async (_, given) => {
    const w = await world()
    expect((await w.provider.fetch(given as Request)).status).toBe(500)
    expect(w.reports).not.toEqual([])
  })

  test.each(messages.slice(0, 3))("%s, by the providers of several issuers", async (_, given) => {
    const reports: Array<ReportedFault> = []
    const providers = createProviders({
      clients: memoryClientStore([]),
      authenticator: memoryAuthenticator([]),
      tokens: memoryTokenStore(),
      signer: joseSigner({ keys: () => [], now: () => 0 }),
      pages: { render: () => "" },
      report: (fault) => void reports.push(fault),
      issuers: { one: { issuer: "https://op.example/one" } },
    })
    expect((await providers.handle(given as Message)).status).toBe(503)
    expect((await providers.fetch(given as Request)).status).toBe(500)
    expect(reports).toHaveLength(2)
  })
})

/** Authenticators of an embedder that know a person wrongly. */
const authenticators: ReadonlyArray<readonly [string, () => unknown, number]> = [
  [
    "throws",
    () => {
      throw boom
    },
    503,
  ],
  ["rejects", () => Promise.reject(boom), 503],
  ["answers a text", () => "sub-alice", 503],
  ["answers true", () => true, 503],
  ["answers another person", () => ({ subject: "sub-bob", username: "bob", active: true, claims: {} }), 400],
  ["answers a person that throws", () => throwing("subject"), 503],
  ["answers null", () => null, 400],
]

describe("an authenticator that is wrong leaves the request as it was", () => {
  test.each(authenticators)("one that %s", async (_, find, status) => {
    const w = await world({ ...ownPages, authenticator: { find: find as never } })
    const at = await atSignIn(w)
    const said = await answer(w, at, { signIn: alice })
    expect(said.status).toBe(status)
    expect(await w.tokens.sessionsOf("sub-alice")).toEqual([])
    expect(await now(w, at)).toMatchObject({ need: "sign_in" })
  })
})
