import type { ResourceRequest, ResourceServerOptions } from "@postern/verify"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { active } from "./cases.ts"
import { bearing, bound, issuer, jwks, now, proving, ruleOf, serverOf, token } from "./setting.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

const never = () => new Promise<never>(() => undefined)
/** A response whose body never ends, and whose cancellation never does either. */
const endless = (status: number) => new Response(new ReadableStream({ pull: never, cancel: never }), { status })
const introspection = { clientId: "api", clientSecret: "secret of api", endpoint: `${issuer}/introspect` }

/** Waits until the embedder's function has been called, and lets five seconds pass. */
const passing = async (called: () => number, times = 1): Promise<void> => {
  await vi.waitFor(() => expect(called()).toBe(times), { timeout: 10_000 })
  await vi.advanceTimersByTimeAsync(5_000)
}

type Hanging = readonly [title: string, rule: string, asked: ResourceRequest, options: (call: () => void) => Partial<ResourceServerOptions>]

const hanging: ReadonlyArray<Hanging> = [
  [
    "a fetch of an introspection",
    "resource.introspection-answered",
    bearing("opaque"),
    (call) => ({ introspection, fetch: () => (call(), never()) }),
  ],
  [
    "the body of an introspection",
    "resource.introspection-answered",
    bearing("opaque"),
    (call) => ({ introspection, fetch: async () => (call(), endless(200)) }),
  ],
  [
    "the authentication of an introspection",
    "resource.introspection-answered",
    bearing("opaque"),
    (call) => ({ introspection: { ...introspection, clientSecret: undefined, authenticate: () => (call(), never()) } }),
  ],
  [
    "a fetch of the key set",
    "resource.keys-known",
    bearing(token()),
    (call) => ({ keys: undefined, jwksUri: `${issuer}/jwks`, fetch: () => (call(), never()) }),
  ],
  ["keys that a function finds", "resource.keys-known", bearing(token()), (call) => ({ keys: () => (call(), never()) })],
  ["a store of uses", "resource.use-known", proving(bound()), (call) => ({ dpop: { uses: { claim: () => (call(), never()) } } })],
]

describe("RFC 9110 §15.6.4: what the embedder gave and never answers is given five seconds, whether or not it heeds a signal", () => {
  test.each(hanging)("%s: 503 by %s", async (_title, rule, asked, options) => {
    let calls = 0
    const verdict = serverOf(options(() => calls++)).verify(asked)
    await passing(() => calls)
    expect([ruleOf(await verdict), (await verdict).refused?.status]).toEqual([rule, 503])
    expect((await verdict).refused?.reason).toContain("no answer within 5 seconds")
  })

  test("a key set whose metadata hangs is waited for, for six seconds, and the reason says so", async () => {
    let calls = 0
    const verdict = serverOf({ keys: undefined, fetch: () => (calls++, never()) }).verify(bearing(token()))
    await passing(() => calls)
    await vi.advanceTimersByTimeAsync(1_000)
    expect([ruleOf(await verdict), (await verdict).refused?.status]).toEqual(["resource.keys-known", 503])
    expect((await verdict).refused?.reason).toBe("the fetch did not end within 6 seconds")
  })

  test("two hundred introspections that hang give their places back", async () => {
    let calls = 0
    const fetch = (): Promise<Response> => (++calls <= 200 ? never() : Promise.resolve(Response.json(active)))
    const api = serverOf({ introspection, fetch })
    const hung = Array.from({ length: 200 }, (_, at) => api.verify(bearing(`token-${at}`)))
    await vi.waitFor(() => expect(calls).toBe(200), { timeout: 10_000 })
    expect(ruleOf(await api.verify(bearing("one-more")))).toBe("resource.introspection-answered")
    await vi.advanceTimersByTimeAsync(5_000)
    await Promise.all(hung)
    expect(ruleOf(await api.verify(bearing("one-more")))).toBeUndefined()
  })

  test("the body of an error is not waited for", async () => {
    const verdict = await serverOf({ introspection, fetch: async () => endless(500) }).verify(bearing("opaque"))
    expect(verdict.refused?.reason).toContain("answered with status 500")
  })
})

describe("an answer of the embedder that its type does not allow lets nobody through", () => {
  test.each(["OK", 1, null, {}, { rowCount: 0 }])("RFC 9449 §11.1: a claim that answers %j is no first claim", async (value) => {
    const verdict = await serverOf({ dpop: { uses: { claim: () => value as never } } }).verify(proving(bound()))
    expect([ruleOf(verdict), verdict.refused?.status]).toEqual(["resource.use-known", 503])
  })

  test.each([undefined, null, "keys", jwks.keys, { keys: {} }])("RFC 7517 §5: keys that are %j are none", async (value) => {
    const verdict = await serverOf({ keys: () => value as never }).verify(bearing(token()))
    expect([ruleOf(verdict), verdict.refused?.status]).toEqual(["resource.keys-known", 503])
  })

  test.each([now, Number.NaN, undefined, `${now}`, 12.5])(
    "RFC 9068 §4: a clock that answers %j counts no milliseconds, and an expired token does not pass by it",
    async (value) => {
      const verdict = serverOf({ clock: () => value as never }).verify(bearing(token({ iat: 1, exp: now - 600 })))
      await expect(verdict).rejects.toThrow("@postern/verify: clock: must count milliseconds")
    },
  )

  test.each([undefined, null, "response", {}])("a fetch that answers %j has fetched nothing", async (value) => {
    const verdict = await serverOf({ introspection, fetch: async () => value as never }).verify(bearing("opaque"))
    expect([ruleOf(verdict), verdict.refused?.status]).toEqual(["resource.introspection-answered", 503])
  })
})
