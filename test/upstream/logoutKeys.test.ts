import { Configuration } from "openid-client"
import { describe, expect, test } from "vitest"
import { logoutKeysOf } from "../../packages/adapter-http/src/upstream/logoutKeys.ts"

/** A provider whose key set is what a test says, and a clock that a test moves. */
const setting = () => {
  const at = { now: 1_000_000, kid: "one", status: 200, fetches: 0 }
  const configuration = new Configuration({ issuer: "https://corp.example", jwks_uri: "https://corp.example/jwks" }, "postern")
  const fetch = async () => {
    at.fetches++
    return new Response(JSON.stringify({ keys: [{ kty: "EC", kid: at.kid }] }), { status: at.status })
  }
  const provider = {
    name: "corp",
    issuer: "https://corp.example",
    clientId: "postern",
    authentication: { method: "none" },
  } as const
  const keysOf = logoutKeysOf(
    async () => ({ configuration, provider, claims: {}, scope: "openid", fetch }),
    () => at.now,
  )
  return {
    at,
    keysOf: async (lacking?: { readonly keys: ReadonlyArray<object> }) =>
      (await keysOf({ provider: "corp", lacking: lacking as never })).keys,
  }
}

describe("keys of the logout tokens of another provider (OpenID Connect Back-Channel Logout §2.6 (2))", () => {
  test("those that cannot be fetched again stay, and are fetched when that works again", async () => {
    const { at, keysOf } = setting()
    const first = await keysOf()
    at.now += 300_000
    at.status = 500
    expect(await keysOf()).toBe(first)
    at.now += 29_999
    expect(await keysOf()).toBe(first)
    expect(at.fetches).toBe(2)
    at.now += 1
    at.status = 200
    at.kid = "two"
    expect(await keysOf()).toEqual({ keys: [{ kty: "EC", kid: "two" }] })
    expect(at.fetches).toBe(3)
  })

  test("an attempt that failed is remembered: for half a minute nobody asks again", async () => {
    const { at, keysOf } = setting()
    at.status = 500
    for (let each = 0; each < 5; each++) await expect(keysOf()).rejects.toThrow("status 500")
    expect(at.fetches).toBe(1)
    at.now += 30_000
    at.status = 200
    expect(await keysOf()).toEqual({ keys: [{ kty: "EC", kid: "one" }] })
  })

  test("a key that is lacking is looked for once in half a minute; in between the sender is told when to try again", async () => {
    const { at, keysOf } = setting()
    const first = await keysOf()
    at.now += 12_000
    await expect(keysOf(first)).rejects.toMatchObject({ name: "OutwardRefused", retryAfter: 18 })
    at.now += 18_000
    at.kid = "two"
    const second = await keysOf(first)
    expect(second).toEqual({ keys: [{ kty: "EC", kid: "two" }] })
    // Whoever looked at the set before that is given the new one.
    expect(await keysOf(first)).toBe(second)
    expect(at.fetches).toBe(2)
  })

  test("a key that is lacking where the set cannot be fetched again: the token is not judged, and others are by the set that was", async () => {
    const { at, keysOf } = setting()
    const first = await keysOf()
    at.now += 60_000
    at.status = 500
    await expect(keysOf(first)).rejects.toThrow("status 500")
    await expect(keysOf(first)).rejects.toThrow("status 500")
    expect(await keysOf()).toBe(first)
    expect(at.fetches).toBe(2)
  })

  test("those who ask while the set is fetched wait for the one fetch", async () => {
    const { at, keysOf } = setting()
    const all = await Promise.all([keysOf(), keysOf(), keysOf()])
    expect(new Set(all).size).toBe(1)
    expect(at.fetches).toBe(1)
  })
})
