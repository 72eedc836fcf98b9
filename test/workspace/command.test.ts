import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"

const { command, stateOf } = (await import(new URL("../../scripts/command.mjs", import.meta.url).href)) as {
  readonly command: (node: string) => string
  readonly stateOf: (workspace: string) => string
}

let workspace: string
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true })
  writeFileSync(join(workspace, path), text)
}
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "postern-state-"))
  write("pnpm-lock.yaml", "lock")
  write("scripts/bundle.ts", "bundle")
  write("scripts/join.ts", "join")
  write("packages/cli/package.json", "{}")
  write("packages/cli/src/main.ts", "main")
  write("packages/adapter-http/pages/login.liquid", "login")
  write("packages/adapter-http/locales/en.json", "{}")
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

it.for([
  ["a source", () => write("packages/cli/src/main.ts", "mend")],
  ["a source that is new", () => write("packages/cli/src/more/one.ts", "")],
  ["a source's name", () => renameSync(join(workspace, "packages/cli/src/main.ts"), join(workspace, "packages/cli/src/other.ts"))],
  ["a page", () => write("packages/adapter-http/pages/login.liquid", "sign in")],
  ["a sentence", () => write("packages/adapter-http/locales/en.json", '{ "login": "Sign in" }')],
  ["the playground", () => write("packages/cli/playground/main.js", "")],
  ["a manifest", () => write("packages/cli/package.json", '{ "version": "2.0.0" }')],
  ["what is installed", () => write("pnpm-lock.yaml", "another")],
  ["how it is bundled", () => write("scripts/bundle.ts", "otherwise")],
  ["how its parts are joined", () => write("scripts/join.ts", "otherwise")],
] as const)("a bundle is made anew after a change of %s", ([, change]) => {
  const before = stateOf(workspace)
  expect(stateOf(workspace)).toBe(before)
  change()
  expect(stateOf(workspace)).not.toBe(before)
})

it("a bundle is kept while the sources stay as they are", () => {
  write("packages/cli/test/some.test.ts", "a test is no part of it")
  const first = command(process.execPath)
  const made = statSync(first).mtimeMs
  expect(first).toMatch(/[/\\]main\.js$/)
  expect([command(process.execPath), statSync(first).mtimeMs]).toEqual([first, made])
})
