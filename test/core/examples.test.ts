import { expect, test } from "vitest"
import { fetch } from "../../examples/embed.ts"

test("examples/embed.ts: the provider answers discovery and shows its login page", async () => {
  const discovery = await fetch(new Request("http://127.0.0.1:4100/.well-known/openid-configuration"))
  expect(await discovery.json()).toMatchObject({ issuer: "http://127.0.0.1:4100" })
  const login = await fetch(new Request("http://127.0.0.1:4100/login"))
  expect(await login.text()).toContain('name="username"')
})
