import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { command, serve } from "../support/server.ts"

let home: string
beforeEach(() => (home = mkdtempSync(join(tmpdir(), "postern-cache-"))))
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

/** Runs the command with a home of its own, and says what is left in a folder. */
const leaves = (folder: string, env: Readonly<Record<string, string>> = {}): ReadonlyArray<string> => {
  const { NODE_COMPILE_CACHE: _, CACHE_DIRECTORY: __, XDG_CACHE_HOME: ___, ...others } = process.env
  const { status, stdout } = spawnSync(process.execPath, [command, "--version"], {
    env: { ...others, HOME: home, ...env },
    encoding: "utf8",
  })
  expect([status, stdout]).toEqual([0, "postern 0.1.0\n"])
  return readdirSync(folder)
}

it("what the code was compiled to is kept in the user's home, where nobody else may look", () => {
  const folder = join(home, ".cache", "postern")
  mkdirSync(join(home, ".cache"))
  expect(leaves(join(home, ".cache"))).toEqual(["postern"])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder)).toHaveLength(1)
})

it("the folder of the service, or of the user's caches, is taken where one is named", () => {
  mkdirSync(join(home, "service"), { mode: 0o700 })
  expect(leaves(join(home, "service"), { CACHE_DIRECTORY: `${join(home, "service")}:${join(home, "other")}` })).toHaveLength(1)
  mkdirSync(join(home, "caches"))
  expect(leaves(join(home, "caches"), { XDG_CACHE_HOME: join(home, "caches") })).toEqual(["postern"])
  expect(readdirSync(home)).toEqual(["caches", "service"])
})

it("a server's code is kept while it serves, apart from that of other commands, so that its next start finds what a start calls", async () => {
  const caches = join(home, "caches")
  const kept = (use: string): number =>
    readdirSync(join(caches, "postern", use), { recursive: true, withFileTypes: true }).reduce(
      (sum, file) => sum + (file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0),
      0,
    )
  vi.stubEnv("NODE_COMPILE_CACHE", undefined)
  vi.stubEnv("CACHE_DIRECTORY", undefined)
  vi.stubEnv("XDG_CACHE_HOME", caches)
  mkdirSync(join(caches, "postern", "serve"), { recursive: true, mode: 0o700 })
  const server = await serve({})
  try {
    await expect.poll(() => kept("serve"), { timeout: 20_000 }).toBeGreaterThan(500_000)
  } finally {
    await server.stop()
    server.remove()
  }
  expect(readdirSync(join(caches, "postern"))).toEqual(["serve"])
  expect(leaves(join(caches, "postern"), { XDG_CACHE_HOME: caches })).toEqual(["commands", "serve"])
})

it("nothing is taken from a folder that others may write to, nor put there", () => {
  const folder = join(home, "shared")
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  expect(leaves(folder, { CACHE_DIRECTORY: folder })).toEqual([])
})

it("without a place of its own it runs all the same", () => {
  writeFileSync(join(home, "none"), "a file is no home")
  expect(leaves(home, { HOME: join(home, "none") })).toEqual(["none"])
})
