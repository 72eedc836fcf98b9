import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { command } from "../support/server.ts"

let home: string
beforeEach(() => (home = mkdtempSync(join(tmpdir(), "postern-cache-"))))
afterEach(() => rmSync(home, { recursive: true, force: true }))

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
