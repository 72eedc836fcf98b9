import type { JsonObject } from "@postern/core/model"
import { resourceServer } from "@postern/verify"
import { describe, expect, test } from "vitest"
import { part, proofKey, signedText } from "../support/proofs.ts"
import { active } from "./cases.ts"
import { bearing, issuer, jwks, now, resource, ruleOf, token } from "./setting.ts"

/** An issuer on a network of its own, at a time of its own: it counts what it is asked. */
const network = (documents: Record<string, () => Response | Promise<Response>>) => {
  const state = { time: now, asked: [] as Array<string>, bodies: [] as Array<string>, headers: [] as Array<Headers> }
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    state.asked.push(url)
    state.headers.push(new Headers(init.headers))
    // The only body is a form.
    if (init.body !== undefined && init.body !== null) state.bodies.push((init.body as URLSearchParams).toString())
    const document = documents[url]
    if (document === undefined) return new Response("", { status: 404 })
    return document()
  }
  return { state, fetch, clock: () => state.time * 1000 }
}

const place = `${issuer}/.well-known/oauth-authorization-server`
const metadata = { issuer, jwks_uri: `${issuer}/jwks`, introspection_endpoint: `${issuer}/introspect` }
const documents = (more: Record<string, () => Response | Promise<Response>> = {}) => ({
  [place]: () => Response.json(metadata),
  [`${issuer}/jwks`]: () => Response.json(jwks),
  ...more,
})
const long = (claims: JsonObject = {}, header: JsonObject = {}) => bearing(token({ exp: now + 1_000_000, ...claims }, header))

describe("RFC 8414 §3, RFC 7517 §5: the keys of the issuer", () => {
  test("are found by its metadata, once for 50 requests at once, and again after five minutes", async () => {
    const { state, fetch, clock } = network(documents())
    const api = resourceServer({ issuer, resource, fetch, clock })
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => api.verify(long())))
    expect(verdicts.map(ruleOf)).toEqual(verdicts.map(() => undefined))
    expect(state.asked).toEqual([place, `${issuer}/jwks`])
    state.time += 299
    await api.verify(long())
    expect(state.asked).toHaveLength(2)
    state.time += 1
    await api.verify(long())
    await expect.poll(() => state.asked).toEqual([place, `${issuer}/jwks`, `${issuer}/jwks`])
  })

  test("RFC 8414 §3.1, OpenID Connect Discovery §4: of an issuer with a path, at one place and then at the other", async () => {
    const named = `${issuer}/tenant`
    const oidc = `${named}/.well-known/openid-configuration`
    const { state, fetch, clock } = network({
      [oidc]: () => Response.json({ ...metadata, issuer: named }),
      [`${issuer}/jwks`]: () => Response.json(jwks),
    })
    const api = resourceServer({ issuer: named, resource, fetch, clock })
    expect(ruleOf(await api.verify(long({ iss: named })))).toBeUndefined()
    expect(state.asked).toEqual([`${issuer}/.well-known/oauth-authorization-server/tenant`, oidc, `${issuer}/jwks`])
  })

  test("RFC 8414 §3.3: metadata of another issuer counts for nothing", async () => {
    const { fetch, clock } = network(documents({ [place]: () => Response.json({ ...metadata, issuer: `${issuer}/` }) }))
    const { refused } = await resourceServer({ issuer, resource, fetch, clock }).verify(long())
    expect([refused?.rule, refused?.status]).toEqual(["resource.keys-known", 503])
    expect(refused?.reason).toContain("another issuer")
    expect(refused?.answer.headers).toContainEqual(["retry-after", "5"])
  })

  test("a thousand tokens of made-up keys cost one more fetch in ten seconds, and a key that is new is found", async () => {
    const next = proofKey()
    let keys: ReadonlyArray<JsonObject> = jwks.keys
    const { state, fetch, clock } = network(documents({ [`${issuer}/jwks`]: () => Response.json({ keys }) }))
    const api = resourceServer({ issuer, resource, fetch, clock })
    await api.verify(long())
    state.time += 11
    const verdicts = await Promise.all(Array.from({ length: 1_000 }, (_, at) => api.verify(long({}, { kid: `made up ${at}` }))))
    expect(new Set(verdicts.map(ruleOf))).toEqual(new Set(["resource.jwt-signature"]))
    expect(state.asked).toHaveLength(3)
    keys = [...jwks.keys, { ...next.jwk, kid: "two", alg: "ES256", use: "sig" }]
    const fresh = bearing(token({ exp: now + 1_000_000 }, { kid: "two" }, next))
    expect(ruleOf(await api.verify(fresh))).toBe("resource.jwt-signature")
    state.time += 10
    expect(ruleOf(await api.verify(fresh))).toBeUndefined()
    expect(state.asked).toHaveLength(4)
  })

  test("serve for an hour more while the issuer is away, asked every ten seconds at most, and then nobody passes", async () => {
    let away = false
    const { state, fetch, clock } = network(
      documents({ [`${issuer}/jwks`]: () => (away ? Promise.reject(new Error("no route")) : Response.json(jwks)) }),
    )
    const api = resourceServer({ issuer, resource, fetch, clock })
    await api.verify(long())
    away = true
    state.time += 300
    for (let at = 0; at < 100; at++) expect(ruleOf(await api.verify(long()))).toBeUndefined()
    expect(state.asked).toHaveLength(3)
    state.time += 3_600
    expect(ruleOf(await api.verify(long()))).toBe("resource.keys-known")
    away = false
    state.time += 10
    expect(ruleOf(await api.verify(long()))).toBeUndefined()
  })

  test.each<readonly [string, () => Response]>([
    ["a redirect", () => new Response("", { status: 302, headers: { location: "https://evil.example/jwks" } })],
    ["more than 64 KiB", () => new Response(`{"keys":[],"more":"${"x".repeat(70_000)}"}`)],
    ["more than a hundred keys", () => Response.json({ keys: Array.from({ length: 101 }, () => jwks.keys[0]) })],
    ["no JSON", () => new Response("<html>")],
    ["a list", () => Response.json(jwks.keys)],
    ["JSON nested a thousand deep", () => new Response(`{"keys":${"[".repeat(1_000)}${"]".repeat(1_000)}}`)],
  ])("are not taken from %s", async (_, answer) => {
    const { fetch, clock } = network(documents({ [`${issuer}/jwks`]: answer }))
    expect(ruleOf(await resourceServer({ issuer, resource, fetch, clock }).verify(long()))).toBe("resource.keys-known")
  })

  test("are never fetched from where a token says: jku, x5u and jwk in its header count for nothing (RFC 8725 §3.10)", async () => {
    const thief = proofKey()
    const header = part({
      typ: "at+jwt",
      alg: "ES256",
      kid: "one",
      jku: "https://evil.example/jwks",
      x5u: "https://evil.example/x",
      jwk: thief.jwk,
    })
    const text = `${header}.${token().split(".")[1]}`
    const { state, fetch, clock } = network(documents())
    const api = resourceServer({ issuer, resource, fetch, clock })
    expect(ruleOf(await api.verify(bearing(`${text}.${signedText(text, thief)}`)))).toBe("resource.jwt-signature")
    expect(state.asked.filter((url) => !url.startsWith(issuer))).toEqual([])
  })

  test("a clock that is set back keeps nobody from them", async () => {
    const { state, fetch, clock } = network(documents())
    const api = resourceServer({ issuer, resource, fetch, clock })
    await api.verify(long())
    state.time -= 100_000
    expect(ruleOf(await api.verify(long()))).toBeUndefined()
  })
})

describe("RFC 7662: introspections", () => {
  const asking = (answer: () => JsonObject, more: object = {}) => {
    const { state, fetch, clock } = network(documents({ [`${issuer}/introspect`]: () => Response.json(answer()) }))
    const introspection = { clientId: "api:1", clientSecret: "a secret+%", ...more }
    const api = resourceServer({ issuer, resource, fetch, clock, introspection })
    return { state, asked: () => state.asked.filter((url) => url.endsWith("/introspect")).length, api }
  }
  const opaque = bearing("opaque-token")

  test("§2.1, RFC 6749 §2.3.1: is asked for with the credentials of the server, encoded, and the token in the body", async () => {
    const { state, api } = asking(() => active)
    expect((await api.verify(opaque)).ok?.subject).toBe("alice")
    expect(state.bodies).toEqual(["token=opaque-token&token_type_hint=access_token"])
    expect(atob(state.headers.at(-1)?.get("authorization")?.replace("Basic ", "") ?? "")).toBe("api%3A1:a+secret%2B%25")
  })

  test("is remembered for half a minute: for so long a token passes that was revoked, and never beyond its exp", async () => {
    let answer: JsonObject = active
    const { state, asked, api } = asking(() => answer)
    await Promise.all(Array.from({ length: 20 }, () => api.verify(opaque)))
    expect(asked()).toBe(1)
    answer = { active: false }
    state.time += 29
    expect(ruleOf(await api.verify(opaque))).toBeUndefined()
    state.time += 1
    expect(ruleOf(await api.verify(opaque))).toBe("resource.introspection-active")
    expect(asked()).toBe(2)
    // One that is dead is remembered too: a client in a loop costs the issuer nothing.
    await api.verify(opaque)
    expect(asked()).toBe(2)
    const short = asking(() => ({ ...active, exp: now + 5 }))
    await short.api.verify(opaque)
    short.state.time += 5
    expect(ruleOf(await short.api.verify(opaque))).toBe("resource.token-fresh")
    expect(short.asked()).toBe(2)
  })

  test("is asked for each time where nothing may be remembered", async () => {
    const { asked, api } = asking(() => active, { cacheSeconds: 0 })
    for (let at = 0; at < 3; at++) await api.verify(opaque)
    expect(asked()).toBe(3)
  })

  test("takes no more room than it is given: the oldest answer goes first", async () => {
    const { asked, api } = asking(() => active, { cacheEntries: 3 })
    for (let at = 0; at < 5; at++) await api.verify(bearing(`token-${at}`))
    expect(asked()).toBe(5)
    await api.verify(bearing("token-4"))
    expect(asked()).toBe(5)
    await api.verify(bearing("token-0"))
    expect(asked()).toBe(6)
  })

  test("two hundred are under way at most: more are refused for now", async () => {
    const waiting: Array<(answer: Response) => void> = []
    const { fetch, clock } = network(
      documents({ [`${issuer}/introspect`]: () => new Promise<Response>((resolve) => waiting.push(resolve)) }),
    )
    const api = resourceServer({ issuer, resource, fetch, clock, introspection: { clientId: "api", clientSecret: "secret" } })
    const asked = Array.from({ length: 250 }, (_, at) => api.verify(bearing(`token-${at}`)))
    let refused = 0
    for (const verdict of asked) void verdict.then((each) => (refused += ruleOf(each) === undefined ? 0 : 1))
    // All have asked by then: one that asks after the first is answered would begin an introspection that nobody answers.
    await expect.poll(() => refused).toBe(50)
    expect(waiting).toHaveLength(200)
    for (const resolve of waiting) resolve(Response.json(active))
    const rules = (await Promise.all(asked)).map(ruleOf)
    expect(rules.filter((rule) => rule === undefined)).toHaveLength(200)
    expect(rules.filter((rule) => rule === "resource.introspection-answered")).toHaveLength(50)
  })

  test("§2.1: another way of authentication adds to the form and to the headers", async () => {
    const authenticate = async (form: URLSearchParams) => {
      form.set("client_id", "api")
      form.set("client_assertion", "an assertion")
      return { "x-own": "1" }
    }
    const { state, api } = asking(() => active, { clientSecret: undefined, authenticate })
    await api.verify(opaque)
    expect(new URLSearchParams(state.bodies[0]).get("client_assertion")).toBe("an assertion")
    expect([state.headers.at(-1)?.get("x-own"), state.headers.at(-1)?.get("authorization")]).toEqual(["1", null])
  })

  test("keeps tokens and secrets out of verdicts", async () => {
    const { api } = asking(() => ({ active: false }))
    const verdict = await api.verify(opaque)
    const text = JSON.stringify(verdict)
    for (const secret of ["opaque-token", "a secret"]) expect(text).not.toContain(secret)
    expect(JSON.stringify(await api.verify(bearing(token({ iss: "x" }))))).not.toContain(token({ iss: "x" }).split(".")[2])
  })
})

test("settings that cannot be right are refused at once, with every fault", () => {
  const wrong = () =>
    resourceServer({
      issuer: "http://id.example",
      resource: "urn:api",
      algorithms: ["HS256", "none"],
      jwksUri: "ftp://x",
      dpop: { lifetime: 1, nonceKey: "short" },
    })
  for (const word of ["issuer:", "url:", "algorithms: HS256, none", "jwksUri:", "dpop.lifetime:", "dpop.nonceKey:"])
    expect(wrong).toThrow(word)
  expect(() => resourceServer({ issuer: "http://localhost:8080", resource: "http://127.0.0.1:4200" })).not.toThrow()
  expect(() => resourceServer({ issuer, resource: "urn:api", url: "https://api.example" })).not.toThrow()
})

/** A setting as a caller without types may give it, and the fault that names it. */
const misspelled: ReadonlyArray<readonly [settings: object, fault: string]> = [
  [{ bounds: "any" }, "bounds: is no member of it; did you mean bound?"],
  [{ bound: "mtls" }, "bound: must be any, dpop or certificate"],
  [{ audience: ["https://b.example"] }, "audience: is no member of it; did you mean audiences?"],
  [{ audiences: "https://b.example" }, "audiences: is a string, and must be a list of texts"],
  [{ scopes: "notes.read" }, "scopes: is a string, and must be a list of texts"],
  [{ algorithms: "ES256" }, "algorithms: is a string, and must be a list of texts"],
  [{ DPoP: false }, "DPoP: is no member of it; did you mean dpop?"],
  [{ dpop: { use: {} } }, "dpop.use: is no member of it; did you mean uses?"],
  [{ dpop: { nonce: "k".repeat(32) } }, "dpop.nonce: is no member of it; did you mean nonceKey?"],
  [{ dpop: { uses: "redis" } }, "dpop.uses: is a string, and must be an object"],
  [{ dpop: { nonceKey: 5 } }, "dpop.nonceKey: must have 32 characters or more"],
  [
    { introspection: { clientID: "api" } },
    "\n- introspection.clientId: is missing, and must be a text\n- introspection.clientID: is no member of it; did you mean clientId?",
  ],
  [{ introspection: { clientId: "api", allways: true } }, "introspection.allways: is no member of it; did you mean always?"],
  [{ introspection: { clientId: "api", always: "yes" } }, "introspection.always: is a string, and must be true or false"],
  [{ introspection: { clientId: "api", cacheSeconds: "30" } }, "introspection.cacheSeconds: is a string, and must be a number"],
  [{ clock: 5, note: () => undefined }, "\n- clock: is a number, and must be a function\n- note: is no member of it; did you mean noted?"],
  [{ issuer: undefined }, "issuer: is missing, and must be a text"],
]

test.each(misspelled)("a setting that there is none of, or of another kind, is named at creation: %j", (settings, fault) => {
  const given = { issuer, resource: "https://api.example", ...settings }
  expect(() => resourceServer(given)).toThrow(new TypeError(`@postern/verify: ${fault}`))
})
