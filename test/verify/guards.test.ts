import { once } from "node:events"
import { type ServerResponse, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type ResourceServer, type Verdict, resourceServer } from "@postern/verify"
import { guard as expressGuard, tokenOf as expressToken } from "@postern/verify/express"
import { check, protect as fetchProtect } from "@postern/verify/fetch"
import { guard as honoGuard, tokenOf as honoToken } from "@postern/verify/hono"
import { protect } from "@postern/verify/node"
import express from "express"
import { Hono } from "hono"
import { describe, expect, onTestFinished, test } from "vitest"
import { digest, proof } from "../support/proofs.ts"
import { bound, issuer, jwks, now } from "./setting.ts"

const clock = () => now * 1000
const url = "https://api.example"
const apiAt = (more: object = {}) => resourceServer({ issuer, resource: url, keys: jwks, clock, ...more })

/** A request's fields with a bound token, and a proof that was never used. */
const fields = (claims: object = {}, scope = "read") => {
  const value = bound({ aud: url, scope })
  return {
    authorization: `DPoP ${value}`,
    dpop: proof(now, "GET", "/notes", { claims: { htu: `${url}/notes`, ath: digest(value), ...claims } }),
  }
}

const listening = async (listener: Parameters<typeof createServer>[1]) => {
  const server = createServer(listener as never)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/notes`
}

/** Two guards of one request, in each kind of application. */
const twice: Readonly<Record<string, (api: ResourceServer) => Promise<(headers: Record<string, string>) => Promise<number>>>> = {
  Express: async (api) => {
    const app = express()
    app.use(expressGuard(api))
    app.get("/notes", expressGuard(api, { scope: "read" }), (request, response) => void response.json(expressToken(request).subject))
    const place = await listening(app)
    return async (headers) => (await fetch(place, { headers })).status
  },
  Hono: async (api) => {
    const app = new Hono()
    app.use(honoGuard(api))
    app.get("/notes", honoGuard(api, { scope: "read" }), (context) => context.json(honoToken(context.req.raw).subject))
    return async (headers) => (await app.request(new Request(`${url}/notes`, { headers }))).status
  },
  "web-standard requests": async (api) => async (headers) => {
    const request = new Request(`${url}/notes`, { headers })
    const first = await check(api, request)
    const { response } = first.response === undefined ? await check(api, request, { scope: "read" }) : first
    return response?.status ?? 200
  },
  Node: async (api) => {
    const inner = protect(api, { scope: "read" }, (_request, response) => void response.end("in"))
    const place = await listening(protect(api, {}, (request, response) => inner(request, response)))
    return async (headers) => (await fetch(place, { headers })).status
  },
}

describe.each(Object.entries(twice))("RFC 9449 §11.1: a request that passes two guards of one API uses its proof once: %s", (_, start) => {
  test("it is let in, a replay of it is not, and the second guard still judges its needs", async () => {
    const ask = await start(apiAt())
    const sent = fields()
    expect([await ask(sent), await ask(sent), await ask(fields({}, "write")), await ask({ authorization: "DPoP x" })]).toEqual([
      200, 401, 403, 401,
    ])
  })
})

test("a request that another API has let in is judged by this one from the start", async () => {
  const request = new Request(`${url}/notes`, { headers: fields() })
  expect((await check(apiAt(), request)).response).toBeUndefined()
  expect((await check(apiAt({ resource: "https://other.example", url }), request)).response?.status).toBe(401)
})

test("further needs of a request that passed: its trail goes on, and the challenge is by the scheme of its token", async () => {
  const noted: Array<Verdict> = []
  const api = apiAt({ noted: (verdict: Verdict) => void noted.push(verdict) })
  const asked = { method: "GET", path: "/notes", query: "", headers: fields() }
  const passed = await api.verify(asked)
  if (passed.refused !== undefined) throw new Error(passed.refused.reason)
  const { refused } = await api.verify(asked, { acrValues: ["strong"] }, passed)
  expect([refused?.rule, refused?.challenges.map((each) => each.split(" ", 1)[0]), noted.length]).toEqual(["resource.acr", ["DPoP"], 2])
})

test("a need that is not known lets nobody pass: a caller without types may have meant another", async () => {
  const wrong: object = { scopes: ["write"] }
  const request = () => new Request(`${url}/notes`, { headers: fields() })
  const faults: ReadonlyArray<readonly [needs: object, fault: string]> = [
    [wrong, "scopes: is no member of it; did you mean scope?"],
    // "strong".includes("s"): any part of a text would be one of its values.
    [{ acrValues: "strong" }, "acrValues: is a string, and must be a list of texts"],
    [{ acrValues: null }, "acrValues: is null, and must be a list of texts"],
    [{ maxAge: "300" }, "maxAge: is a string, and must be a number"],
    [{ maxAge: null }, "maxAge: is null, and must be a number"],
    [{ scope: null }, "scope: is null, and must be a text"],
    [{ scope: new Set(["write"]) }, "scope: is an object, and must be a text"],
    [{ scope: ["read", undefined] }, "scope: is an array, and must be a list of texts"],
  ]
  for (const [needs, fault] of faults)
    await expect(check(apiAt(), request(), needs)).rejects.toThrow(new TypeError(`@postern/verify: ${fault}`))
  const open = (_request: unknown, response: ServerResponse) => void response.end("in")
  const made = [
    () => protect(apiAt(), wrong, open),
    () => expressGuard(apiAt(), wrong),
    () => honoGuard(apiAt(), wrong),
    () => fetchProtect(apiAt(), wrong, () => new Response("in")),
  ]
  for (const make of made) expect(make).toThrow(new TypeError("@postern/verify: scopes: is no member of it; did you mean scope?"))
  // Needs that go wrong after the guard was made.
  const later = (): object => ({})
  const [ofNode, ofExpress] = [later(), later()]
  const place = await listening(protect(apiAt(), ofNode, open))
  const app = express()
  app.use(expressGuard(apiAt(), ofExpress))
  app.use(
    (_error: unknown, _request: express.Request, response: express.Response, _next: express.NextFunction) => void response.sendStatus(500),
  )
  const other = await listening(app)
  for (const needs of [ofNode, ofExpress]) Object.assign(needs, wrong)
  for (const each of [place, other]) expect((await fetch(each, { headers: fields() })).status).toBe(500)
})

test("Express: a request that was answered while its token was judged ends there, and nothing is left unhandled", async () => {
  let release = (): void => undefined
  const keys = new Promise<typeof jwks>((resolve) => (release = () => resolve(jwks)))
  const dpop = { nonceKey: "k".repeat(32) }
  const api = apiAt({ keys: () => keys, dpop })
  const { headers } = await apiAt({ dpop }).verify({ method: "GET", path: "/notes", query: "", headers: fields() })
  const nonce = headers.find(([name]) => name === "dpop-nonce")?.[1]
  const app = express()
  let reached = false
  const told = new Promise<unknown>((resolve) => {
    app.use((_request, response, next) => {
      next()
      response.status(503).end("late")
      release()
    })
    app.use(expressGuard(api))
    app.get("/notes", () => void (reached = true))
    app.use((error: unknown, _request: express.Request, _response: express.Response, _next: express.NextFunction) => resolve(error))
  })
  const answer = await fetch(await listening(app), { headers: fields({ nonce }) })
  expect([answer.status, await told, reached]).toEqual([503, expect.objectContaining({ code: "ERR_HTTP_HEADERS_SENT" }), false])
})
