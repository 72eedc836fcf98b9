import { existsSync, readFileSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it, vi } from "vitest"
import { command } from "../support/packed.ts"
import { config } from "./life.ts"
import { folder, patience, postern } from "./run.ts"
import { listening, serve } from "./running.ts"

vi.setConfig({ testTimeout: 2 * patience })

/** A text that the catalog of faults has, and nothing else of the command. */
const isOfCatalogue = (file: string): boolean => readFileSync(file, "utf8").includes("nonce-missing")

/** Writes the address of every module that is loaded, by Node's own hooks. */
const telling = `import { registerHooks } from "node:module"
registerHooks({ load: (url, context, next) => { process.stderr.write("loaded " + url + "\\n"); return next(url, context) } })`

it("the packed command has the faults of `postern misbehave` in parts that serve never loads", async () => {
  const dist = dirname(command)
  const parts = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"))
  expect(parts.filter((name) => isOfCatalogue(join(dist, name)))).not.toEqual([])
  const { cwd, remove } = folder({ issuer: "http://127.0.0.1:0", development: true, ...config })
  try {
    const server = await serve({ cwd, flags: ["--import", `data:text/javascript,${encodeURIComponent(telling)}`] }, "--port", "0")
    for (const path of ["/.well-known/openid-configuration", "/connect/authorize", "/login"])
      await fetch(`${listening(server)}${path}`, { redirect: "manual" })
    expect(await server.stop("SIGTERM")).toBe(0)
    const loaded = [...server.said.err.matchAll(/^loaded (file:\S+)$/gm)]
      .map(([, url = ""]) => fileURLToPath(url))
      .filter((file) => existsSync(file))
    expect(loaded.length).toBeGreaterThan(5)
    expect(loaded.filter(isOfCatalogue)).toEqual([])
  } finally {
    remove()
  }
})

it("no part that serve is made of leads to the faults, now or later", () => {
  const dist = dirname(command)
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"))
  const begins = files.filter((name) => /(?:^|\/)serve-[^/]+\.js$/.test(name)).map((name) => join(dist, name))
  expect(begins).not.toEqual([])
  const seen = new Set(begins)
  for (const file of seen)
    for (const [, relative = ""] of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+\.js)["']/g)) {
      const next = join(dirname(file), relative)
      if (existsSync(next) && next !== command) seen.add(next)
    }
  expect(seen.size).toBeGreaterThan(1)
  expect([...seen].filter(isOfCatalogue)).toEqual([])
})

it("serve knows no setting of it", async () => {
  const { cwd, remove } = folder({ issuer: "http://127.0.0.1:0", development: true, faults: ["id-token.nonce-wrong"], ...config })
  try {
    const { code, err } = await postern(["serve", "--port", "0"], { cwd })
    expect([code, err]).toEqual([1, expect.stringContaining("faults")])
  } finally {
    remove()
  }
})
