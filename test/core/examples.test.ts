import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { fetch } from "../../examples/embed.ts"
import { provider, swipe } from "../../examples/extensionGrant.ts"
import { claimsOf } from "../support/flows.ts"

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
    const shown = [...read("docs/grants.md").matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code)
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
