import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test, vi } from "vitest"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const root = fileURLToPath(new URL("../..", import.meta.url))
const page = readFileSync(join(root, "docs/testing.md"), "utf8")

/** The one example of the page in a language that imports a test runner. */
const example = (language: string, runner: string): string => {
  const blocks = [...page.matchAll(new RegExp("```" + language + "\n(.*?)```", "gs"))].map(([, code = ""]) => code)
  const [code, ...others] = blocks.filter((each) => each.includes(`from "${runner}"`))
  if (code === undefined || others.length > 0) throw new Error(`docs/testing.md must have one example with ${runner}`)
  return code
}

/** Below test/, which has our packages and those that the examples use. */
let home: string
beforeAll(() => {
  home = mkdtempSync(join(root, "test", "node_modules", "postern-page-"))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const run = (args: ReadonlyArray<string>): Promise<{ readonly status: number | null; readonly text: string }> =>
  new Promise((resolve, reject) => {
    // A test runner inside of a test runner must not take itself for a part of it.
    const outer = /^(?:VITEST|NODE_TEST|TEST$|POSTERN_)/
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !outer.test(name)))
    const child = spawn(process.execPath, args, { cwd: home, env })
    let text = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()))
    child.on("error", reject)
    child.on("close", (status) => resolve({ status, text }))
  })

test("the example of docs/testing.md with vitest passes as it stands", async () => {
  writeFileSync(join(home, "session.test.ts"), example("ts", "vitest"))
  writeFileSync(join(home, "vitest.config.mjs"), 'export default { test: { include: ["session.test.ts"], exclude: [] } }\n')
  const { status, text } = await run([join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", home, "--reporter", "tap"])
  expect([status, text]).toEqual([0, expect.stringContaining("a session is refreshed after two hours")])
})

test("the example of docs/testing.md with node:test passes as it stands", async () => {
  writeFileSync(join(home, "api.test.mjs"), example("js", "node:test"))
  const { status, text } = await run(["--test", "--test-reporter", "tap", join(home, "api.test.mjs")])
  expect([status, text]).toEqual([0, expect.stringContaining("ok 1 - a token for another API is refused")])
})
