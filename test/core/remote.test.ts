import type { OutboundAnswer } from "@postern/core"
import { describe, expect, test } from "vitest"
import { clientKey, opened } from "../support/clientKeys.ts"
import { codeFor, headerOf, redeem, tokensFor } from "../support/flows.ts"
import { type World, clients, world } from "../support/world.ts"

const first = await clientKey("ECDH-ES", "first")
const set = (...keys: ReadonlyArray<unknown>): OutboundAnswer => ({
  _tag: "Fetched",
  status: 200,
  contentType: "application/json",
  body: JSON.stringify({ keys }),
})

/** A world in which the ID tokens of `web` are encrypted to a key behind its jwks_uri, which answers as told. */
const encrypting = async (
  answer: () => OutboundAnswer,
  after: Promise<void> = Promise.resolve(),
): Promise<{ readonly w: World; readonly fetched: Array<string> }> => {
  const fetched: Array<string> = []
  const w = await world({
    clients: clients.map((each) =>
      each.client_id === "web"
        ? { ...each, id_token_encrypted_response_alg: "ECDH-ES" as const, jwks_uri: "https://app.example/jwks" }
        : each,
    ),
    more: {
      outbound: {
        fetch: async (url) => {
          fetched.push(url)
          await after
          return answer()
        },
      },
    },
  })
  return { w, fetched }
}
const kidOf = async (w: World): Promise<unknown> => headerOf((await tokensFor(w)).id_token)["kid"]

describe("documents of others (RFC 7517 §5)", () => {
  test("a key set is fetched once and good for five minutes, then fetched anew", async () => {
    let keys = [first.publicJwk]
    const { w, fetched } = await encrypting(() => set(...keys))
    expect([await kidOf(w), await kidOf(w)]).toEqual(["first", "first"])
    const second = await clientKey("ECDH-ES", "second")
    keys = [second.publicJwk]
    w.pass(299)
    expect(await kidOf(w)).toBe("first")
    w.pass(1)
    expect(await kidOf(w)).toBe("second")
    expect(fetched).toEqual(["https://app.example/jwks", "https://app.example/jwks"])
  })

  test("a failure is remembered for ten seconds: it costs nobody a fetch, and nothing is used up meanwhile", async () => {
    let answer: OutboundAnswer = { _tag: "Unfetched", reason: "no such host" }
    const { w, fetched } = await encrypting(() => answer)
    const code = await codeFor(w)
    expect((await redeem(w, code)).status).toBe(503)
    expect(w.trails.at(-1)?.fault).toContain("jwks_uri: no such host")
    answer = set(first.publicJwk)
    expect((await redeem(w, code)).status).toBe(503)
    expect(fetched.length).toBe(1)
    w.pass(10)
    const { status, json } = await redeem(w, code)
    expect(status).toBe(200)
    expect((await opened(String(json?.["id_token"]), "ECDH-ES", "first")).header["kid"]).toBe("first")
  })

  test("a refetch that fails does not take away the set that is still good: nobody can provoke that (RFC 7517 §5)", async () => {
    let answer = set(first.publicJwk)
    const { w, fetched } = await encrypting(() => answer)
    expect(await kidOf(w)).toBe("first")
    answer = { _tag: "Unfetched", reason: "no such host" }
    w.pass(299)
    expect(await kidOf(w)).toBe("first")
    w.pass(2)
    expect((await redeem(w, await codeFor(w))).status).toBe(503)
    answer = set(first.publicJwk)
    w.pass(10)
    expect(await kidOf(w)).toBe("first")
    expect(fetched.length).toBe(3)
  })

  test("whoever wants the same document at the same time shares one fetch", async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const { w, fetched } = await encrypting(() => set(first.publicJwk), held)
    const codes = [await codeFor(w), await codeFor(w), await codeFor(w)]
    const answers = codes.map((code) => redeem(w, code))
    await new Promise((next) => setImmediate(next))
    release()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(fetched.length).toBe(1)
  })

  test.each([
    ["another status", { _tag: "Fetched", status: 404, contentType: undefined, body: "{}" }, "jwks_uri answered with status 404"],
    ["no JSON", { _tag: "Fetched", status: 200, contentType: undefined, body: "<html>" }, "jwks_uri holds no key set"],
    ["no set", { _tag: "Fetched", status: 200, contentType: undefined, body: '{"keys":{}}' }, "jwks_uri holds no key set"],
    [
      "more keys than anybody has",
      { _tag: "Fetched", status: 200, contentType: undefined, body: JSON.stringify({ keys: Array.from({ length: 101 }, () => ({})) }) },
      "jwks_uri holds no key set",
    ],
    [
      "no key that fits",
      set({ kty: "RSA", n: "AQAB", e: "AQAB" }, "text", { ...first.publicJwk, use: "sig" }),
      "the client has no key for ECDH-ES",
    ],
  ] satisfies ReadonlyArray<[string, OutboundAnswer, string]>)(
    "%s: the operator reads why, the client gets nothing",
    async (_, answer, fault) => {
      const { w } = await encrypting(() => answer)
      expect((await redeem(w, await codeFor(w))).json).toEqual({
        error: "temporarily_unavailable",
        error_description: "The provider cannot answer now; nothing was changed. Try again.",
      })
      expect(w.trails.at(-1)?.fault).toContain(fault)
    },
  )
})
