import { defineClient } from "@postern/core"
import type { Client } from "@postern/core/model"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import { PortFailed } from "../../packages/core/src/ports/index.ts"
import { fetchDocument, keysOf, verifyBy } from "../../packages/core/src/settle/remote.ts"
import { sectorFaultOf } from "../../packages/core/src/settle/sector.ts"
import { failureOf, inquiryOf, later, now, run } from "./inquiry.ts"

const jwksUri = "https://app.example/jwks"
const fetched = (body: string, status = 200) => ({ _tag: "Fetched", status, contentType: "application/json", body })
const keySet = (...kids: ReadonlyArray<string>) => JSON.stringify({ keys: kids.map((kid) => ({ kid })) })

/** An inquiry whose outbound port answers as told, and everything it was asked. */
const outward = (answer: () => unknown, ports: object = {}) => {
  const asked: Array<readonly [string, string]> = []
  const fetch = (url: string, accept: string) => Effect.suspend(() => (asked.push([url, accept]), Effect.succeed(answer())))
  return { inquiry: inquiryOf({ outbound: { fetch }, ...ports }), asked }
}

describe("documents of others", () => {
  test("one that was fetched is good for its life, to the second; one from a clock that went back is fetched again", async () => {
    const { inquiry, asked } = outward(() => fetched("text"))
    for (const [at, fetches] of [
      [0, 1],
      [99, 1],
      [100, 2],
      [199, 2],
      [99, 3],
    ] as const) {
      expect(await run(fetchDocument("https://a.example", "text/plain", { most: 100 }, later(inquiry, { now: now + at })))).toEqual({
        body: "text",
        reason: "",
      })
      expect(asked.length, `at ${at}`).toBe(fetches)
    }
    expect(asked[0]).toEqual(["https://a.example", "text/plain"])
  })

  test("those of strangers push out nothing of others, and are asked for as what they are", async () => {
    const limits: Array<unknown> = []
    const fetch = (_: string, __: string, given: unknown) => (limits.push(given), Effect.succeed(fetched(keySet("one"))))
    const inquiry = inquiryOf({ outbound: { fetch } })
    const own = () => run(keysOf({ jwksUri }, false, inquiry))
    await own()
    for (let at = 0; at < 201; at++) await run(keysOf({ jwksUri: `https://h${at}.example/jwks`, ofStranger: true }, false, inquiry))
    await own()
    expect(limits).toEqual([undefined, ...Array.from({ length: 201 }, () => ({ ofStranger: true }))])
    await run(keysOf({ jwksUri, ofStranger: true }, false, inquiry))
    expect(limits.at(-1)).toEqual({ ofStranger: true })
  })

  test("a failure is remembered for ten seconds, and told", async () => {
    const answers = [{ _tag: "Unfetched", reason: "no such host" }, fetched("gone", 404), fetched("text")]
    const { inquiry, asked } = outward(() => answers[asked.length - 1])
    const at = (seconds: number) => run(fetchDocument("https://a.example", "*/*", { most: 300 }, later(inquiry, { now: now + seconds })))
    expect([await at(0), await at(9)]).toEqual([
      { body: undefined, reason: "no such host" },
      { body: undefined, reason: "no such host" },
    ])
    expect([await at(10), await at(19)]).toEqual([
      { body: undefined, reason: "answered with status 404" },
      { body: undefined, reason: "answered with status 404" },
    ])
    expect(await at(20)).toEqual({ body: "text", reason: "" })
    expect(asked.length).toBe(3)
  })

  test("a document that fails takes the place of none that is still good: whoever provokes a failure costs nobody the keys", async () => {
    let answer: unknown = fetched(keySet("first"))
    const { inquiry, asked } = outward(() => answer)
    const kidsAt = async (seconds: number, again: boolean) =>
      (await run(keysOf({ jwks: undefined, jwksUri }, again, later(inquiry, { now: now + seconds })))).keys?.keys.map(({ kid }) => kid)
    expect(await kidsAt(0, false)).toEqual(["first"])
    answer = fetched("", 503)
    expect(await kidsAt(100, true)).toEqual(["first"])
    expect([await kidsAt(105, true), asked.length], "the failure is remembered, and so are the keys").toEqual([["first"], 2])
    expect([await kidsAt(110, true), asked.length]).toEqual([["first"], 3])
    expect([await kidsAt(299, false), asked.length]).toEqual([["first"], 3])
    expect([await kidsAt(300, false), asked.length], "they are good for five minutes").toEqual([undefined, 4])
    answer = fetched(keySet("second"))
    expect(await kidsAt(310, false)).toEqual(["second"])
  })

  test.each(["no-store", "no-cache", "private", "max-age=0"])(
    "RFC 9111 §5.2.2: a key set with Cache-Control %s is reused for ten seconds only, and stands for none that cannot be fetched again",
    async (cacheControl) => {
      let answer: unknown = { ...fetched(keySet("first")), caching: { cacheControl } }
      const { inquiry, asked } = outward(() => answer)
      const at = async (seconds: number) => {
        const { keys, reason } = await run(keysOf({ jwksUri }, false, later(inquiry, { now: now + seconds })))
        return keys?.keys.map(({ kid }) => kid) ?? reason
      }
      expect([await at(0), await at(9), asked.length]).toEqual([["first"], ["first"], 1])
      answer = fetched("", 503)
      expect([await at(10), await at(19), asked.length]).toEqual([
        "jwks_uri answered with status 503",
        "jwks_uri answered with status 503",
        2,
      ])
      answer = fetched(keySet("second"))
      expect([await at(20), asked.length]).toEqual([["second"], 3])
    },
  )

  test("RFC 9111 §4.2.1: a key set is fresh as long as its server says, five minutes at most, and stands in for as long", async () => {
    let answer: unknown = { ...fetched(keySet("first")), caching: { cacheControl: "max-age=100", age: "40" } }
    const { inquiry, asked } = outward(() => answer)
    const at = async (seconds: number, again = false) =>
      (await run(keysOf({ jwksUri }, again, later(inquiry, { now: now + seconds })))).keys?.keys.map(({ kid }) => kid)
    expect([await at(0), await at(59), asked.length]).toEqual([["first"], ["first"], 1])
    answer = fetched("", 503)
    expect([await at(59, true), asked.length]).toEqual([["first"], 2])
    expect([await at(68), asked.length], "for the pause after the attempt").toEqual([["first"], 2])
    expect([await at(69), asked.length]).toEqual([undefined, 3])
    answer = { ...fetched(keySet("second")), caching: { cacheControl: "max-age=86400" } }
    expect([await at(79), await at(378), asked.length]).toEqual([["second"], ["second"], 4])
    await at(379)
    expect(asked.length).toBe(5)
  })

  test("RFC 9111 §5.2.2.5: a document that may not be reused at all is not kept", async () => {
    const { inquiry, asked } = outward(() => ({ ...fetched("text"), caching: { cacheControl: "no-store" } }))
    const get = () => run(fetchDocument("https://a.example", "*/*", { most: 60, least: 0 }, inquiry))
    expect([await get(), await get()]).toEqual([
      { body: "text", reason: "" },
      { body: "text", reason: "" },
    ])
    expect([asked.length, inquiry.remote.known.size]).toEqual([2, 0])
  })

  test("two hundred documents are kept, and the one that was fetched longest ago goes first", async () => {
    const { inquiry, asked } = outward(() => fetched("text"))
    const get = (at: number, seconds = 0) =>
      run(fetchDocument(`https://a.example/${at}`, "*/*", { most: 300 }, later(inquiry, { now: now + seconds })))
    for (let at = 0; at < 200; at++) await get(at)
    expect([inquiry.remote.known.size, asked.length]).toEqual([200, 200])
    await get(0, 300)
    await get(200, 300)
    expect([inquiry.remote.known.size, asked.length]).toEqual([200, 202])
    await get(0, 300)
    expect(asked.length, "the first was fetched again, and stayed").toBe(202)
    expect([inquiry.remote.known.has("https://a.example/1"), inquiry.remote.known.has("https://a.example/2")]).toEqual([false, true])
  })

  test("callers who want the same wait for one fetch, in a place of their own, and share its failure", async () => {
    const gate = await run(Deferred.make<unknown, PortFailed>())
    let fetches = 0
    const waited: Array<ReadonlyArray<string>> = []
    const wait = (host: string, port: string, operation: string, ask: () => unknown) => (waited.push([host, port, operation]), ask())
    const inquiry = inquiryOf({ outbound: { fetch: () => Effect.suspend(() => (fetches++, Deferred.await(gate))) }, outward: { wait } })
    const asking = [1, 2, 3].map(() => run(Effect.exit(fetchDocument("https://a.example/x", "*/*", { most: 300 }, inquiry))))
    await new Promise((resolve) => setImmediate(resolve))
    const failed = new PortFailed({ port: "Outbound", operation: "fetch", cause: "broken" })
    await run(Deferred.fail(gate, failed))
    for (const exit of await Promise.all(asking)) expect(JSON.stringify(exit)).toContain("broken")
    expect([fetches, inquiry.remote.underway.size]).toEqual([1, 0])
    expect(waited).toEqual([
      ["a.example", "Outbound", "fetch"],
      ["a.example", "Outbound", "fetch"],
    ])
  })
})

describe("keys of others (RFC 7517 §5)", () => {
  test("keys that are stated are taken as they are; without keys and address there are none", async () => {
    const stated = { keys: [] }
    const { inquiry, asked } = outward(() => fetched(keySet("a")))
    expect((await run(keysOf({ jwks: stated, jwksUri }, true, inquiry))).keys).toBe(stated)
    expect(await run(keysOf({ jwks: undefined, jwksUri: undefined }, false, inquiry))).toEqual({
      keys: undefined,
      reason: "neither jwks nor jwks_uri is known",
    })
    expect(asked).toEqual([])
    await run(keysOf({ jwks: undefined, jwksUri }, false, inquiry))
    expect(asked).toEqual([[jwksUri, "application/jwk-set+json, application/json"]])
  })

  test("a set is an object with a list of at most a hundred keys; what is no object in it is passed over", async () => {
    const many = (count: number) => keySet(...Array.from({ length: count }, String))
    const read = async (body: string) => {
      const { keys, reason } = await run(keysOf({ jwks: undefined, jwksUri }, false, outward(() => fetched(body)).inquiry))
      return keys?.keys ?? reason
    }
    for (const body of ["", "null", "[]", "1", '"keys"', "{}", '{"keys":{}}', '{"keys":null}', '[{"keys":[]}]', many(101)])
      expect(await read(body), body.slice(0, 40)).toBe("jwks_uri holds no key set")
    expect(((await read(many(100))) as ReadonlyArray<unknown>).length).toBe(100)
    expect(await read('{"keys":[{"kid":"a"},null,[],"b",{"kid":"c"},1]}')).toEqual([{ kid: "a" }, { kid: "c" }])
  })

  test("a set that lacks the key which a JWT names is fetched once more, and the JWT verified by the new one", async () => {
    let kid = "old"
    const verifications: Array<string> = []
    const verify = (_: string, { keys }: { keys: ReadonlyArray<{ kid: string }> }) => {
      verifications.push(keys.map((each) => each.kid).join())
      return Effect.succeed(keys.some((each) => each.kid === "new") ? { _tag: "Verified" } : { _tag: "NoKey", reason: "unknown kid" })
    }
    const { inquiry, asked } = outward(() => fetched(keySet(kid)), { jwts: { verify } })
    const source = { jwks: undefined, jwksUri }
    const at = (seconds: number, from: Parameters<typeof verifyBy>[1] = source) =>
      run(verifyBy("jwt", from, ["RS256"], later(inquiry, { now: now + seconds })))
    expect(await at(0)).toMatchObject({ _tag: "NoKey" })
    expect([asked.length, verifications], "a set that was fetched a moment ago is not fetched again").toEqual([1, ["old"]])
    kid = "new"
    expect(await at(10)).toEqual({ _tag: "Verified" })
    expect([asked.length, verifications]).toEqual([2, ["old", "old", "new"]])
    expect(await at(11)).toEqual({ _tag: "Verified" })
    expect(asked.length, "it is verified by what is known").toBe(2)
    expect(await at(0, { jwks: { keys: [] }, jwksUri: undefined }), "stated keys cannot be fetched").toMatchObject({ _tag: "NoKey" })
    expect(asked.length).toBe(2)
  })

  test("a JWT that its key does not verify is not tried with keys fetched anew, and one whose keys cannot be had is invalid", async () => {
    const { inquiry, asked } = outward(() => fetched(keySet("a")), {
      jwts: { verify: () => Effect.succeed({ _tag: "Invalid", reason: "signature" }) },
    })
    const source = { jwks: undefined, jwksUri }
    expect(await run(verifyBy("jwt", source, [], inquiry))).toEqual({ _tag: "Invalid", reason: "signature" })
    expect(await run(verifyBy("jwt", source, [], later(inquiry, { now: now + 60 })))).toMatchObject({ _tag: "Invalid" })
    expect(asked.length).toBe(1)
    const down = outward(() => ({ _tag: "Unfetched", reason: "no route" }))
    expect(await run(verifyBy("jwt", source, [], down.inquiry))).toEqual({ _tag: "Invalid", reason: "jwks_uri: no route" })
  })
})

describe("sectors (OpenID Connect Dynamic Client Registration §5)", () => {
  const uri = "https://sector.example/list"
  const redirect = "https://app.example/cb"
  const base = defineClient({ client_id: "app", redirect_uris: [redirect], token_endpoint_auth_method: "none" })
  const client = (told: Partial<Client> = {}): Client => ({ ...base, subjectType: "pairwise", sectorIdentifierUri: uri, ...told })
  const listing = (...uris: ReadonlyArray<string>) => fetched(JSON.stringify(uris))

  test("only a pairwise client that names a sector's document is held to it", async () => {
    const { inquiry, asked } = outward(() => listing())
    expect(await run(sectorFaultOf(client({ subjectType: "public" }), inquiry))).toBeUndefined()
    expect(await run(sectorFaultOf(client({ sectorIdentifierUri: undefined }), inquiry))).toBeUndefined()
    expect(asked).toEqual([])
    expect(await run(sectorFaultOf(client(), inquiry))).toEqual({
      unavailable: false,
      reason: expect.stringContaining(`sector_identifier_uri does not list ${redirect}`),
    })
    expect(asked).toEqual([[uri, "application/json"]])
  })

  test("a client that was verified is asked for again after a day, and keeps its place while the document cannot be had; one delisted does not", async () => {
    let answer: unknown = listing(redirect)
    const { inquiry, asked } = outward(() => answer)
    const day = 86_400
    const at = (seconds: number, each = client()) => run(sectorFaultOf(each, later(inquiry, { now: now + seconds })))
    expect([await at(0), await at(day - 1), asked.length]).toEqual([undefined, undefined, 1])
    answer = fetched("", 500)
    expect([await at(day), asked.length]).toEqual([undefined, 2])
    expect([await at(-1), asked.length], "a clock that went back").toEqual([undefined, 3])
    expect(
      await at(day, client({ redirectUris: [redirect, "https://app.example/2"] })),
      "another client is not verified by it",
    ).toMatchObject({ unavailable: true })
    answer = listing(redirect)
    expect([await at(day + 10), await at(2 * day)]).toEqual([undefined, undefined])
    answer = listing("https://other.example/cb")
    expect(await at(2 * day + 10)).toMatchObject({ unavailable: false })
    expect(await at(2 * day + 11), "it is forgotten").toMatchObject({ unavailable: false })
    answer = fetched("", 500)
    expect(await at(2 * day + 310), "and has no place to keep").toEqual({
      unavailable: true,
      reason: "sector_identifier_uri: answered with status 500",
    })
  })

  test("nobody who may not ask for the document loses a place, or gets one", async () => {
    let isDown = false
    const failed = new PortFailed({ port: "Outbound", operation: "fetch", cause: "the host is skipped" })
    const fetch = () => Effect.suspend(() => (isDown ? Effect.fail(failed) : Effect.succeed(listing(redirect))))
    const inquiry = inquiryOf({ outbound: { fetch } })
    await run(sectorFaultOf(client(), inquiry))
    isDown = true
    expect(await run(sectorFaultOf(client(), later(inquiry, { now: now + 86_400 })))).toBeUndefined()
    expect(await failureOf(sectorFaultOf(client({ sectorIdentifierUri: `${uri}/2` }), inquiry))).toBe(failed)
  })

  test("a thousand clients are remembered, and the one verified longest ago goes first", async () => {
    const { inquiry } = outward(() => listing(redirect))
    const { sectors } = inquiry.remote
    const verify = (at: number) => run(sectorFaultOf(client({ keys: { jwks: undefined, jwksUri: `https://app.example/${at}` } }), inquiry))
    for (let at = 0; at < 1001; at++) await verify(at)
    const kept = [...sectors.keys()]
    expect([kept.length, kept[0]?.includes('/1"'), kept.at(-1)?.includes('/1000"')]).toEqual([1000, true, true])
  })
})
