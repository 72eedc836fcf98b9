import { expect, test } from "vitest"
import { basic } from "../support/flows.ts"
import { issuer, world } from "../support/world.ts"

const form = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body,
  headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
})

test("createProvider: fetch answers a web-standard Request with a Response", async () => {
  const { provider } = await world()
  const response = await provider.fetch(
    new Request(`${issuer}/connect/token`, form("grant_type=client_credentials", { authorization: basic("machine") })),
  )
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("application/json")
  expect(await response.json()).toMatchObject({ token_type: "Bearer" })
})

test("createProvider: two cookies are two Set-Cookie headers", async () => {
  const { provider } = await world()
  const response = await provider.fetch(new Request(`${issuer}/login`))
  expect(response.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-postern-browser=b_\S+; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
  ])
})

test("RFC 9110 §15.5.14: a body over 64 KiB is 413", async () => {
  const { provider } = await world()
  const response = await provider.fetch(new Request(`${issuer}/connect/token`, form("x=".padEnd(65_537, "y"))))
  expect(response.status).toBe(413)
})

test("RFC 9110 §9.3.2: HEAD answers as GET does, without a body", async () => {
  const { provider } = await world()
  const response = await provider.fetch(new Request(`${issuer}/.well-known/openid-configuration`, { method: "HEAD" }))
  expect(response.status).toBe(200)
  expect(await response.text()).toBe("")
})
