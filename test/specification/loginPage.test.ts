import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ask, config } from "../checklist/setting.ts"
import { byId, tagsOf, textOf } from "../pages/html.ts"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"

describe("the login page of the running server", () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await serve(config)
  })
  afterAll(async () => {
    await server?.stop()
    server?.remove()
  })

  const shown = async (asked: Readonly<Record<string, string>>): Promise<string> => {
    const { status, body } = await ask(server, new Surfer(), asked)
    expect(status).toBe(200)
    return body
  }
  const language = (html: string) =>
    tagsOf(html)
      .find(({ name }) => name === "html")
      ?.attributes.get("lang")

  test("specification §2.1 login_hint: is the value of the username field, and without one the field is empty", async () => {
    const username = async (asked: Readonly<Record<string, string>>) => byId(await shown(asked), "username")?.attributes.get("value")
    expect(await username({ login_hint: "buffy@op.example" })).toBe("buffy@op.example")
    expect(await username({})).toBe("")
  })

  test("specification §2.1 ui_locales: the first language there is, else the page's own", async () => {
    expect(language(await shown({ ui_locales: "tlh fr-CA en" }))).toBe("fr")
    expect(textOf(await shown({ ui_locales: "de" }))).toContain("Anmelden")
    expect(language(await shown({ ui_locales: "tlh" }))).toBe("en")
    expect(language(await shown({}))).toBe("en")
  })

  test("specification §2.1 acr_values: tenant:NAME is on the page, and no tenant without it", async () => {
    expect(textOf(await shown({ acr_values: "tenant:acme-gmbh" }))).toContain("acme-gmbh")
    expect((await shown({ acr_values: "1 2" })).includes('class="tenant"')).toBe(false)
  })
})
