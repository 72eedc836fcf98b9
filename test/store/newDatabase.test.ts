import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { callsOf } from "../faults/synced.ts"

const strace = "/usr/bin/strace"
const open = new URL("../../packages/adapter-sqlite/src/database/open.ts", import.meta.url).href

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "postern-new-"))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it.runIf(existsSync(strace))("a new database is on disk whole before it has its name, and the name before it is opened", () => {
  const trace = join(folder, "trace")
  const file = join(folder, "postern.sqlite")
  const program = `(await import("${open}")).openDatabase(${JSON.stringify(file)}).close()`
  const calls = ["-e", "trace=pwrite64,fsync,fdatasync,link,linkat"]
  const { status, stderr } = spawnSync(
    strace,
    ["-f", "-ttt", "-T", "-yy", "-o", trace, ...calls, process.execPath, "--input-type=module", "-e", program],
    { encoding: "utf8" },
  )
  expect([status, stderr]).toEqual([0, ""])
  const text = readFileSync(trace, "utf8")
  const linked = Number(/ (\d+\.\d+) link(?:at)?\(/.exec(text)?.[1]) * 1e6
  const all = callsOf(text)
  const written = all.filter(({ name, on }) => name === "pwrite64" && on.endsWith(".new")).at(-1)
  const synced = all.filter(({ name, on, ended }) => name.endsWith("sync") && on.endsWith(".new") && ended < linked).at(-1)
  const named = all.find(({ name, on, began }) => name.endsWith("sync") && on === folder && began > linked)
  expect(written?.ended).toBeLessThan(synced?.began ?? 0)
  expect(named?.result).toBe(0)
  // 20 until the steps of a draft were synced together.
  expect(all.filter(({ name, ended }) => name.endsWith("sync") && ended < linked)).toHaveLength(1)
})
