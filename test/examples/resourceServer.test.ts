import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { freePort } from "../support/ports.ts"
import { type RunningServer, serve } from "../support/server.ts"
import { type Packed, manifestOf, packLibraries, root, unpackExample } from "./packed.ts"
import { start } from "./running.ts"

const tested = createRequire(join(root, "test", "package.json"))
const packageOf = (name: string): string => dirname(tested.resolve(`${name}/package.json`))
const source = join(root, "examples", "resource-server")
const secret = "a secret of the reader, for trying out alone"

let packed: Packed
let server: RunningServer
let port: number
let resource = ""

beforeAll(async () => {
  packed = packLibraries(["core", "verify"])
  port = await freePort()
  resource = `http://127.0.0.1:${port}`
  const { issuer: _, listen: __, ...config } = JSON.parse(readFileSync(join(source, "postern.json"), "utf8")) as Record<string, unknown>
  server = await serve({ ...config, resources: [{ identifier: resource, scopes: ["notes.read"] }] })
}, 180_000)
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

/** A copy of the example with the packed libraries, reached at the ports of this run. */
const copy = (): string => {
  const home = unpackExample("resource-server", packed)
  const text = readFileSync(join(home, "fetch.ts"), "utf8")
  const ours = text.replace("http://127.0.0.1:4100", server.url).replaceAll("4200", String(port))
  writeFileSync(join(home, "fetch.ts"), ours)
  return home
}

/** Asks as docs/resource-servers.md does: with a token, without one, and for the metadata. */
const asked = async () => {
  const form = { method: "POST", body: new URLSearchParams({ grant_type: "client_credentials" }) }
  const credentials = btoa(`reader:${new URLSearchParams([["", secret]]).toString().slice(1)}`)
  const got = await fetch(`${server.url}/connect/token`, { ...form, headers: { authorization: `Basic ${credentials}` } })
  const { access_token } = (await got.json()) as { readonly access_token: string }
  const passed = await fetch(`${resource}/`, { headers: { authorization: `Bearer ${access_token}` } })
  const bare = await fetch(`${resource}/`)
  const described = await fetch(`${resource}/.well-known/oauth-protected-resource`)
  return [passed.status, await passed.text(), bare.status, bare.headers.get("www-authenticate")?.split(" ")[0], await described.json()]
}

const expected = () => [
  200,
  "The notes of reader.\n",
  401,
  "Bearer",
  expect.objectContaining({ resource, authorization_servers: [server.url], scopes_supported: ["notes.read"] }),
]

describe("docs/resource-servers.md: the example of the packed libraries protects an API", { timeout: 60_000 }, () => {
  const run = async (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>, home: string): Promise<void> => {
    const running = await start(command, args, home, env, `${resource}/.well-known/oauth-protected-resource`)
    try {
      expect(await asked()).toEqual(expected())
    } finally {
      await running.stop()
      rmSync(home, { recursive: true, force: true })
    }
  }

  test("on Node, as its script says", async () => {
    const home = copy()
    expect(manifestOf(home).scripts?.["start"]).toBe("node server.ts")
    await run(process.execPath, ["server.ts"], { PORT: String(port), ISSUER: server.url }, home)
  })

  test("on Bun", () => run(join(packageOf("bun"), "bin", "bun.exe"), ["--no-install", "fetch.ts"], {}, copy()))

  test("on Deno", async () => {
    const home = copy()
    const flags = ["--host", "127.0.0.1", "--port", String(port), "--allow-net", "--no-remote"]
    const env = { DENO_DIR: join(home, "deno"), DENO_NO_UPDATE_CHECK: "1" }
    await run(process.execPath, [join(packageOf("deno"), "bin.cjs"), "serve", ...flags, "fetch.ts"], env, home)
  })

  test("on workerd", async () => {
    const home = copy()
    const { metafile } = await build({
      entryPoints: [join(home, "fetch.ts")],
      absWorkingDir: home,
      bundle: true,
      format: "esm",
      outfile: join(home, "worker.mjs"),
      logLevel: "error",
      metafile: true,
    })
    // Nothing of Node is in it.
    expect(Object.keys(metafile.inputs).filter((each) => each.startsWith("node:"))).toEqual([])
    writeFileSync(
      join(home, "own.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [(name = "worker", esModule = embed "worker.mjs")], compatibilityDate = "2026-01-01")),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`,
    )
    const { default: workerd } = tested("workerd") as { readonly default: string }
    await run(workerd, ["serve", "own.capnp"], {}, home)
  })
})
