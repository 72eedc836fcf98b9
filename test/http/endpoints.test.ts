import { describe, expect, it } from "vitest"
import { endpoints, endpointsFor } from "../support/endpoints.ts"
import { upstream } from "../support/upstream.ts"
import { world } from "../support/world.ts"
import { fakeProvider, plainAnswer, start } from "./server.ts"

const paths = endpointsFor(upstream)

describe("paths of the adapter come from the provider's features (architecture 10)", () => {
  it("a request that is refused before the provider sees it is answered as its reader expects: a page for a person, JSON for a program", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer) })
    for (const { path, audience } of paths) {
      const answer = await fetch(`${server.url}${path}?x=${"a".repeat(8_200)}`)
      const type = audience === "people" ? "text/html; charset=utf-8" : "application/json"
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 414, type])
    }
    for (const path of ["/connect/rar", "/nowhere"])
      expect((await fetch(`${server.url}${path}?x=${"a".repeat(8_200)}`)).headers.get("content-type")).toBe("text/html; charset=utf-8")
  })

  it("below an issuer's path too", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer, "http://op.example/auth") })
    const typeOf = async (path: string) => (await fetch(`${server.url}${path}?x=${"a".repeat(8_200)}`)).headers.get("content-type")
    expect(await typeOf("/auth/connect/token")).toBe("application/json")
    expect(await typeOf("/auth/connect/authorize/resume")).toBe("text/html; charset=utf-8")
    expect(await typeOf("/connect/token")).toBe("text/html; charset=utf-8")
  })

  it("of such an answer, scripts of other origins may read what they may read of the endpoint's own (Fetch §3.2), and nothing of it is stored (RFC 6749 §5.1)", async () => {
    const { provider } = await world({ issuer: "http://127.0.0.1:1" })
    const server = await start({ provider })
    const shared = ["access-control-allow-origin", "access-control-expose-headers"]
    for (const { path, audience } of endpoints) {
      const own = await fetch(server.url + path, { method: "OPTIONS" })
      const refused = await fetch(`${server.url}${path}?x=${"a".repeat(8_200)}`)
      const read = ({ headers }: Response) => shared.map((name) => headers.get(name))
      expect([path, refused.status, ...read(refused)]).toEqual([path, 414, ...read(own)])
      if (audience === "programs")
        expect([refused.headers.get("cache-control"), refused.headers.get("pragma")]).toEqual(["no-store", "no-cache"])
    }
    const token = await fetch(`${server.url}/connect/token?x=${"a".repeat(8_200)}`)
    expect(token.headers.get("access-control-allow-origin")).toBe("*")
  })

  it("metrics count each endpoint under its path, callbacks of other providers as one, and what is no endpoint as other", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer) })
    for (const { path } of paths) await fetch(server.url + path)
    for (const path of ["/connect/rar", "/connect/register", "/connect/ciba", "/error"]) await fetch(server.url + path)
    const text = await (await fetch(`${server.url}/metrics`)).text()
    const labels = new Set([...text.matchAll(/^postern_http_requests_total\{[^}]*endpoint="([^"]*)"/gm)].map(([, label]) => label))
    for (const { path, countedAs = path } of paths) expect(labels).toContain(countedAs)
    expect(labels).toContain("/login/callback")
    expect([...labels].filter((label) => label !== "other" && !paths.some(({ path, countedAs = path }) => countedAs === label))).toEqual([])
  })
})
