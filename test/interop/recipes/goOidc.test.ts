import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, freePort, serve } from "../../support/server.ts"
import { users } from "../people.ts"
import { Visitor } from "../visitor.ts"
import { type Program, answers, startProgram } from "./program.ts"
import { recipe } from "./recipe.ts"
import { isThere, places } from "./there.ts"

const secret = "the proxy's secret: 100%, drawn by chance"

describe.skipIf(!isThere("go"))("the recipe for oauth2-proxy, by the library it is made of", () => {
  let server: RunningServer
  let proxy: Program
  let app: string
  beforeAll(async () => {
    const listen = `127.0.0.1:${await freePort()}`
    app = `http://${listen}`
    server = await serve({ users, ...recipe("oauth2-proxy", app, secret) })
    proxy = await startProgram(places.go, [], { ISSUER: server.url, LISTEN: listen, SECRET: secret }, answers(`${app}/open`))
  }, 60_000)
  afterAll(async () => {
    await proxy?.stop()
    await server?.stop()
    server?.remove()
  })

  test("Core §3.1.3.7, RFC 7636: it verifies the ID token, and finds a verified address in it", async () => {
    const { text } = await new Visitor().visit(`${app}/start`)
    expect(JSON.parse(text)).toBe("alice@example.com")
  })
})
