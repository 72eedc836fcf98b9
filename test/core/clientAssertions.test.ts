import { useOnce } from "@postern/core/model"
import type { Command } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import { describe, expect, test } from "vitest"
import { lastRefusal } from "../cases/case.ts"
import { ask, askWith, assertionOf, carrying, keys, publishing, sharedSecret, signingClients } from "../support/assertions.ts"
import { basic, post } from "../support/flows.ts"
import { type WorldOptions, world } from "../support/world.ts"

const signingWorld = (options: WorldOptions = {}) => world({ clients: signingClients, ...options })

describe("an assertion used once", () => {
  test("OpenID Connect Core §9: of many requests with one assertion at the same time exactly one succeeds", async () => {
    const w = await signingWorld()
    const assertion = await assertionOf(w, "signs")
    const answers = await Promise.all(Array.from({ length: 8 }, () => askWith(w, assertion)))
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 401),
    ])
    expect(w.trails.filter(({ steps }) => steps.at(-1)?.refused?.rule === "assertion.unused").length).toBe(7)
  })

  test("architecture law 4: a jti that is used while its request is decided is refused by the rule of a replay", async () => {
    const store = memoryTokenStore()
    const seen: Array<ReadonlyArray<Command>> = []
    let meanwhile: (() => unknown) | undefined
    const commit = async (commands: ReadonlyArray<Command>) => {
      const run = meanwhile
      meanwhile = undefined
      await run?.()
      seen.push(commands)
      return store.commit(commands)
    }
    const w = await signingWorld({ tokens: { ...store, commit } })
    const assertion = await assertionOf(w, "signs")
    let inner: Promise<unknown> | undefined
    meanwhile = () => (inner = askWith(w, assertion).then(({ status }) => expect(status).toBe(200)))
    const late = await askWith(w, assertion)
    await inner
    expect([late.status, late.json?.["error"], lastRefusal(w)]).toEqual([401, "invalid_client", "assertion.unused"])
    // The late one got nothing: its token was in the set that met the conflict.
    expect(seen.map((commands) => commands.map(({ event }) => event))).toEqual([
      ["UseOnce", "SaveAccessToken"],
      ["UseOnce", "SaveAccessToken"],
    ])
  })

  test("architecture law 4: a conflict over something else leaves the assertion good for the decision that stands", async () => {
    const store = memoryTokenStore()
    let conflicts = 1
    const w = await signingWorld({ tokens: { ...store, commit: (commands) => (conflicts-- > 0 ? "Conflict" : store.commit(commands)) } })
    expect((await ask(w, "signs")).status).toBe(200)
  })

  test("RFC 7523 §3 (7): what is kept of a jti is a digest, until its assertion ends on a machine whose clock is 30 s behind too", async () => {
    const store = memoryTokenStore()
    const seen: Array<Command> = []
    const w = await signingWorld({ tokens: { ...store, commit: (commands) => (seen.push(...commands), store.commit(commands)) } })
    await ask(w, "signs", { claims: { jti: "a telling jti", exp: w.now() + 59.5 } })
    const [used] = seen
    expect(used).toEqual(useOnce(expect.stringMatching(/^[\w-]{43}$/), w.now(), w.now() + 90))
    expect(JSON.stringify([seen, w.trails])).not.toContain("telling")
  })

  test("architecture law 7: an assertion whose request met a failing store is still good", async () => {
    const store = memoryTokenStore()
    let broken = true
    const commit = (commands: ReadonlyArray<Command>) => {
      if (broken) throw new Error("disk full")
      return store.commit(commands)
    }
    const w = await signingWorld({ tokens: { ...store, commit } })
    const assertion = await assertionOf(w, "signs")
    expect((await askWith(w, assertion)).status).toBe(503)
    broken = false
    expect((await askWith(w, assertion)).status).toBe(200)
  })
})

describe("keys that a client publishes", () => {
  test("OpenID Connect Core §10.1: a set is fetched once in five minutes", async () => {
    const site = publishing(keys.ec)
    const w = await signingWorld({ more: { outbound: site.outbound } })
    for (let each = 0; each < 3; each++) expect((await ask(w, "published")).status).toBe(200)
    expect(site.fetched()).toBe(1)
    w.pass(300)
    expect([(await ask(w, "published")).status, site.fetched()]).toEqual([200, 2])
  })

  test("OpenID Connect Core §10.1.1: made-up key ids cost a fetch in ten seconds at most", async () => {
    const site = publishing(keys.ec)
    const w = await signingWorld({ more: { outbound: site.outbound } })
    for (let each = 0; each < 3; each++) {
      expect((await ask(w, "published", { header: { kid: `made up ${each}` }, key: keys.strange.privateKey })).status).toBe(401)
    }
    expect(site.fetched()).toBe(1)
    w.pass(10)
    await ask(w, "published", { header: { kid: "made up" }, key: keys.strange.privateKey })
    expect(site.fetched()).toBe(2)
  })

  test("RFC 7523 §3: neither an unknown client nor an assertion that could not be right costs a fetch", async () => {
    const site = publishing(keys.ec)
    const w = await signingWorld({ more: { outbound: site.outbound } })
    for (const answer of [await ask(w, "nobody"), await ask(w, "published", { claims: { exp: w.now() } })]) expect(answer.status).toBe(401)
    expect(site.fetched()).toBe(0)
  })
})

describe("what a client learns", () => {
  test("RFC 6749 §5.2: nothing of an assertion that failed, and no challenge of a scheme that it did not try", async () => {
    const w = await signingWorld()
    const answers = [
      await ask(w, "nobody"),
      await ask(w, "signs", { key: keys.strange.privateKey }),
      await ask(w, "signs", { claims: { aud: "https://elsewhere.example" } }),
      await ask(w, "basic", { header: { alg: "HS256" }, key: new TextEncoder().encode(sharedSecret) }),
    ]
    for (const { status, body, header } of answers) {
      expect([status, header("www-authenticate")]).toEqual([401, undefined])
      expect(body).toBe('{"error":"invalid_client","error_description":"Client authentication failed."}')
    }
  })

  test("RFC 6749 §5.2: a client that tried the header is challenged; one that tried two ways made a bad request, which uses up nothing", async () => {
    const w = await signingWorld()
    const tried = { authorization: "Negotiate abc" }
    const other = await post(w, "/connect/token", undefined, { client_id: "signs" }, tried)
    const secret = await post(w, "/connect/token", undefined, {}, { authorization: basic("hmac", sharedSecret) })
    const sound = await assertionOf(w, "signs")
    const both = await askWith(w, sound, {}, tried)
    expect([other, secret, both].map(({ status, header }) => [status, header("www-authenticate")])).toEqual([
      [401, 'Basic realm="postern", charset="UTF-8"'],
      [401, 'Basic realm="postern", charset="UTF-8"'],
      [400, undefined],
    ])
    expect((await askWith(w, sound)).status).toBe(200)
  })

  test("the operator reads what was wrong, and the trail holds neither assertion nor secret", async () => {
    const w = await signingWorld()
    await ask(w, "signs", { claims: { aud: "https://elsewhere.example" } })
    expect(w.trails.at(-1)).toMatchObject({
      clientId: "signs",
      steps: [
        { table: "parameters", refused: undefined },
        { table: "token/form" },
        { table: "client-authentication/presentation", refused: undefined },
        { table: "client-authentication", refused: undefined },
        {
          table: "client-assertion",
          passed: ["assertion.type", "assertion.algorithm", "assertion.issuer", "assertion.subject"],
          refused: {
            rule: "assertion.audience",
            reason: "the assertion's aud is none of: https://op.example https://op.example/connect/token",
          },
        },
      ],
    })
    const assertion = await assertionOf(w, "hmac", { claims: { exp: w.now() } })
    await askWith(w, assertion)
    expect(JSON.stringify(w.trails)).not.toMatch(new RegExp(`${sharedSecret}|${assertion.split(".")[2] ?? assertion}`))
  })
})

test("RFC 7523bis: an issuer with a path is the audience with it, and its endpoints below it", async () => {
  const issuer = "https://op.example/tenant/one"
  const w = await signingWorld({ issuer })
  const at = async (aud: string, path: string) =>
    (await post(w, path, undefined, { token: "x", ...carrying(await assertionOf(w, "signs", { claims: { aud } })) })).status
  expect(await at(issuer, "/tenant/one/connect/introspect")).toBe(200)
  expect(await at(`${issuer}/connect/introspect`, "/tenant/one/connect/introspect")).toBe(200)
  expect(await at(`${issuer}/connect/token`, "/tenant/one/connect/introspect")).toBe(200)
  expect(await at(`${issuer}/connect/revocation`, "/tenant/one/connect/introspect")).toBe(401)
  expect(await at("https://op.example", "/tenant/one/connect/introspect")).toBe(401)
})
