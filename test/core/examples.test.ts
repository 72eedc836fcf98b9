import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { fetch } from "../../examples/embed.ts"
import { provider, swipe } from "../../examples/extensionGrant.ts"
import { ask, openingHours, provider as office } from "../../examples/feature.ts"
import { defaultFeatures } from "@postern/core"
import { defineFeature } from "@postern/core/features"
import { claimsOf, post } from "../support/flows.ts"
import { clients, world } from "../support/world.ts"

const machine = clients.find(({ client_id }) => client_id === "machine") ?? { client_id: "machine" }

test("examples/embed.ts: the provider answers discovery and shows its login page", async () => {
  const discovery = await fetch(new Request("http://127.0.0.1:4100/.well-known/openid-configuration"))
  expect(await discovery.json()).toMatchObject({ issuer: "http://127.0.0.1:4100" })
  const login = await fetch(new Request("http://127.0.0.1:4100/login"))
  expect(await login.text()).toContain('name="username"')
})

describe("examples/extensionGrant.ts", () => {
  const refused = async (fields: Record<string, string>) => {
    const answer = await swipe(fields)
    return [answer.status, await answer.json()]
  }

  test("RFC 6749 §4.5: a badge is exchanged for an access token of whoever wears it, once", async () => {
    const fields = { badge: "1001", swipe: "s1", door: "north" }
    const answer = await swipe(fields)
    expect(answer.status).toBe(200)
    const { access_token, ...rest } = (await answer.json()) as { readonly access_token: string }
    expect(rest).toEqual({ token_type: "Bearer", expires_in: 300, scope: "door.open" })
    expect(claimsOf(access_token)).toMatchObject({ sub: "1", door: "north", aud: "https://doors.example.com", client_id: "turnstile" })
    expect(await refused(fields)).toEqual([400, { error: "invalid_grant", error_description: "It has been used before." }])
  })

  test.each([
    [{ badge: "1001", door: "north" }, "invalid_request", "The swipe is missing."],
    [{ badge: "1001", swipe: "s2", door: "south" }, "invalid_request", "The client does not stand at this door."],
    [{ badge: "9", swipe: "s3", door: "north" }, "invalid_grant", "The badge is not valid."],
    [{ badge: "1002", swipe: "s4", door: "north" }, "invalid_grant", "The badge is not valid."],
  ])("RFC 6749 §5.2: %j is refused", async (fields, error, error_description) => {
    expect(await refused(fields)).toEqual([400, { error, error_description }])
  })

  test("docs/grants.md shows it as it is", () => {
    const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")
    const shown = [...read("docs/grants.md").matchAll(/```ts fragment\n(.*?)```/gs)].map(([, code]) => code)
    expect(shown).toHaveLength(1)
    expect(read("examples/extensionGrant.ts")).toContain(shown[0])
  })

  test("RFC 8414 §2: discovery names it", async () => {
    const discovery = await provider.fetch(new Request("http://127.0.0.1:4100/.well-known/openid-configuration"))
    expect(((await discovery.json()) as { readonly grant_types_supported: ReadonlyArray<string> }).grant_types_supported).toContain(
      "https://grants.example.com/badge",
    )
  })
})

describe("examples/feature.ts", () => {
  const answered = async (...asked: Parameters<typeof ask>) => {
    const answer = await ask(...asked)
    return [answer.status, await answer.json()]
  }

  test("architecture 10: a feature with an endpoint answers a client whose metadata lets it ask", async () => {
    expect(await answered("visitor", { day: "monday" })).toEqual([200, { day: "monday", open: "9 to 17" }])
  })

  test.each([
    ["visitor", {}, "invalid_request", "The day is missing."],
    ["stranger", { day: "monday" }, "unauthorized_client", "The client may not ask."],
  ] as const)("RFC 6749 §5.2: %s with %j is refused by its table", async (client, fields, error, error_description) => {
    expect(await answered(client, fields)).toEqual([400, { error, error_description }])
  })

  test("RFC 8414 §2: discovery names it, and the shell knows its path", async () => {
    const discovery = await office.fetch(new Request("http://127.0.0.1:4100/.well-known/openid-configuration"))
    expect(await discovery.json()).toMatchObject({ opening_hours_endpoint: "http://127.0.0.1:4100/office/hours" })
    expect(office.endpointAt("/office/hours")).toEqual({
      name: "opening-hours",
      countedAs: "/office/hours",
      audience: "programs",
      headers: [],
    })
  })

  test("architecture 7: a read that fails is answered temporarily_unavailable, and reported under its name", async () => {
    const broken = openingHours(() => Promise.reject(new Error("the office is on fire")))
    const members = { opening_hours_access: true }
    const w = await world({ more: { features: [...defaultFeatures, broken] }, clients: [{ ...machine, ...members }] })
    const answer = await post(w, "/office/hours", "machine", { day: "monday" })
    expect([answer.status, answer.json?.["error"]]).toEqual([503, "temporarily_unavailable"])
    expect(w.reports).toMatchObject([{ port: "opening hours", operation: "read", cause: { message: "the office is on fire" } }])
  })

  test("behaviour: a feature needs a name", () => {
    expect(() => defineFeature({ name: "Office Hours" })).toThrow("lower-case letters")
  })

  test("docs/embedding.md shows it as it is", () => {
    const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")
    const shown = read("docs/embedding.md").split("## Features of your own")[1]?.split("```")[1]?.split("\n\n").slice(1).join("\n\n") ?? ""
    expect(shown.length).toBeGreaterThan(500)
    expect(read("examples/feature.ts")).toContain(shown)
  })
})
