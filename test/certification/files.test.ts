import { readFileSync } from "node:fs"
import { liquidPages } from "@postern/adapter-http/pages"
import { everyClaim as claims } from "@postern/conformance"
import { expect, test } from "vitest"
import { sampleContext, samples } from "../../packages/adapter-http/src/pages/samples.ts"
import { checkConfig } from "../../packages/cli/src/config/check.ts"
import type { ConfigFile } from "../../packages/cli/src/config/schema.ts"
import { surroundingsOf } from "../../packages/cli/src/config/surroundings.ts"
import { modules } from "./modules/index.ts"

interface Script {
  readonly match: string
  readonly tasks: ReadonlyArray<{ readonly match: string; readonly commands?: ReadonlyArray<ReadonlyArray<string | number>> }>
}

interface SuiteConfig {
  readonly alias: string
  readonly server: { readonly discoveryUrl: string }
  readonly browser: ReadonlyArray<Script>
  readonly override: Readonly<Record<string, { readonly browser: ReadonlyArray<Script> }>>
  readonly [client: `client${string}`]: { readonly client_id: string; readonly client_secret: string }
}

const textOf = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8")
const suite = JSON.parse(textOf("conformance-config.json")) as SuiteConfig
const scripts = [...suite.browser, ...Object.values(suite.override).flatMap(({ browser }) => browser)]
const tasks = scripts.flatMap((script) => script.tasks)
const commands = tasks.flatMap((task) => task.commands ?? [])

const postern = async (): Promise<ConfigFile> => {
  const { config, faults } = await checkConfig("postern.jsonc", textOf("postern.jsonc"), surroundingsOf("postern.jsonc"))
  expect(faults).toEqual([])
  if (config === undefined) throw new Error("no configuration")
  return config
}

test("the suite's configuration names the clients, the person and the issuer that Postern's has", async () => {
  const { issuer, clients = [], users = [] } = await postern()
  expect(suite.server.discoveryUrl).toBe(`${issuer}/.well-known/openid-configuration`)
  const named = [suite["client"], suite["client2"], suite["client_secret_post"]]
  expect(clients.map(({ client_id, client_secret }) => ({ client_id, client_secret }))).toEqual(named)
  for (const { redirect_uris = [] } of clients) expect(redirect_uris).toEqual([expect.stringMatching(`/test/a/${suite.alias}/callback$`)])
  expect(users[0]?.claims).toEqual(claims)
  const typed = Object.fromEntries(commands.filter(([command]) => command === "text").map(([, , name, value]) => [name, value]))
  expect(typed).toEqual({ username: users[0]?.username, password: users[0]?.password })
  for (const { match } of [...scripts, ...tasks])
    expect(
      [issuer, "*/test"].some((start) => match.startsWith(start)),
      match,
    ).toBe(true)
})

test("the suite's automation touches what Postern's pages have", () => {
  const pages = liquidPages()
  const html = samples.map(({ page }) => pages.render(page, sampleContext)).join("\n")
  const touched = new Set(commands.filter(([, by]) => by === "id" || by === "name").map(([, by, hook]) => `${by}="${hook}"`))
  // The one hook that is the suite's own.
  touched.delete('id="submission_complete"')
  expect([...touched].toSorted()).toEqual(
    ["login-submit", "consent-allow", "op-error", "logout-confirm", "logged-out"]
      .map((id) => `id="${id}"`)
      .concat('name="username"', 'name="password"')
      .toSorted(),
  )
  for (const hook of touched) expect(html).toContain(hook)
})

test("the suite's automation waits for texts that the elements of Postern's pages have: its fifth argument is a regular expression", () => {
  const pages = liquidPages()
  const html = samples.map(({ page }) => pages.render(page, sampleContext)).join("\n")
  const awaited = commands.filter(([command, , , , text]) => command === "wait" && text !== undefined)
  expect(awaited.length).toBeGreaterThan(0)
  for (const [, , id, , text] of awaited) {
    const [, shown = ""] = new RegExp(`id="${id}"[^>]*>([^<]*)<`, "u").exec(html) ?? []
    expect(shown.trim(), String(id)).toMatch(new RegExp(String(text), "u"))
  }
})

test("the modules whose automation is their own are modules that there are", () => {
  const names = Object.keys(suite.override).filter((name) => !name.startsWith("oidcc-rp-initiated-logout-"))
  expect(modules.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
})
