import { execFileSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, freePort, serve } from "../../support/server.ts"
import { users } from "../people.ts"
import { Visitor } from "../visitor.ts"
import { type Program, answers, startProgram } from "./program.ts"
import { recipe } from "./recipe.ts"
import { isThere, places } from "./there.ts"

const secret = "Django's secret: 100%, drawn by chance"
const site = fileURLToPath(new URL("django/site.py", import.meta.url))

describe.skipIf(!isThere("django"))("the recipe for mozilla-django-oidc", () => {
  let server: RunningServer
  let django: Program
  let app: string
  beforeAll(async () => {
    const port = await freePort()
    app = `http://127.0.0.1:${port}`
    server = await serve({ users, ...recipe("mozilla-django-oidc", app, secret) })
    const env = {
      ISSUER: server.url,
      OIDC_RP_CLIENT_SECRET: secret,
      DATABASE: join(mkdtempSync(join(tmpdir(), "postern-django-")), "db.sqlite3"),
      PYTHONDONTWRITEBYTECODE: "1",
    }
    execFileSync(places.django, [site, "migrate", "--verbosity", "0"], { env: { ...process.env, ...env } })
    django = await startProgram(places.django, [site, "runserver", "--noreload", String(port)], env, answers(`${app}/me`))
  }, 120_000)
  afterAll(async () => {
    await django?.stop()
    await server?.stop()
    server?.remove()
  })

  test("RFC 6749 §4.1.2.1: denied at first, nobody is signed in", async () => {
    const alice = new Visitor()
    const { text } = await alice.visit(`${app}/oidc/authenticate/`, "deny")
    expect(text).toBe("not signed in")
  })

  test("Core §3.1, RFC 7636: signs a person in with PKCE, state and nonce, and knows their address from userinfo", async () => {
    const alice = new Visitor()
    expect(await (await alice.go(`${app}/me`)).json()).toEqual({ email: null })
    const { way, text } = await alice.visit(`${app}/oidc/authenticate/`)
    const asked = new URL(way.find((step) => step.includes("/connect/authorize")) ?? "").searchParams
    for (const name of ["state", "nonce", "code_challenge"]) expect(asked.get(name)).toMatch(/.{20}/)
    expect(JSON.parse(text)).toEqual({ email: "alice@example.com" })
  })
})
