import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { posternLine as postern } from "./lines.ts"
import { folder, patience } from "./run.ts"

vi.setConfig({ testTimeout: 2 * patience })

const uris = ["https://app.example.com/cb", "https://app.example.org/cb"]
const documents: Record<string, string> = {
  "/listing": JSON.stringify(uris),
  "/other": JSON.stringify(uris.slice(1)),
  "/page": "<html>",
}
const site = createServer(({ url = "" }, answer) => {
  const body = documents[url]
  answer.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" }).end(body)
})
const here = folder(null)
let at = ""

const client = (path: string, client_id = "two-hosts") => ({
  client_id,
  client_secret: "a secret of some length",
  redirect_uris: uris,
  subject_type: "pairwise",
  sector_identifier_uri: `${at}${path}`,
})
const configure = (clients: ReadonlyArray<object> = []): void =>
  writeFileSync(
    join(here.cwd, "postern.json"),
    JSON.stringify({
      issuer: "http://127.0.0.1:8080",
      development: true,
      listen: { port: 0 },
      data: "data",
      pairwise_salt: "a salt of thirty-two characters, at least",
      clients,
    }),
  )
const imported = (path: string) => {
  writeFileSync(join(here.cwd, "client.json"), JSON.stringify(client(path)))
  return postern(["client", "import", "client.json"], here)
}
const sectors = async (): Promise<ReadonlyArray<object>> => {
  const { out } = await postern(["doctor", "--json"], here)
  const { checks } = JSON.parse(out) as { readonly checks: ReadonlyArray<{ readonly check: string }> }
  return checks.filter(({ check }) => check === "sectors")
}

beforeAll(async () => {
  await new Promise<void>((done) => void site.listen(0, "127.0.0.1", done))
  at = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  configure()
})
afterAll(() => {
  site.close()
  here.remove()
})

describe("a sector_identifier_uri", () => {
  it.each([
    ["/other", "does not list https://app.example.com/cb"],
    ["/page", "is no JSON array of strings"],
    ["/gone", "cannot be read: it answered with status 404"],
  ])("that says %s: the client is not registered (OpenID Connect Dynamic Client Registration §5)", async (path, message) => {
    const { code, err } = await imported(path)
    expect(code).toBe(1)
    expect(err).toContain("nothing was imported")
    expect(err).toContain(`sector_identifier_uri ${message}`)
    expect((await postern(["client", "show", "two-hosts"], here)).code).toBe(1)
  })

  it("that lists every redirect URI: it is registered, and doctor looks again", async () => {
    expect(await imported("/listing")).toMatchObject({ code: 0 })
    expect(await sectors()).toEqual([expect.objectContaining({ state: "ok" })])
    documents["/listing"] = "[]"
    expect(await sectors()).toEqual([
      expect.objectContaining({ state: "fault", message: "two-hosts: sector_identifier_uri does not list https://app.example.com/cb" }),
    ])
  })

  it("of a declared client is doctor's to look at: check-config asks no network", async () => {
    documents["/listing"] = JSON.stringify(uris)
    configure([client("/gone", "declared")])
    expect(await postern(["check-config", "postern.json"], here)).toMatchObject({ code: 0 })
    expect(await sectors()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          state: "warning",
          message: "declared: sector_identifier_uri cannot be read: it answered with status 404",
        }),
      ]),
    )
  })
})
