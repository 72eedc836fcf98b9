import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test, vi } from "vitest"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const root = fileURLToPath(new URL("../..", import.meta.url))
const page = readFileSync(join(root, "docs/testing.md"), "utf8")

/** The examples of the page in a language that import a test runner. */
const examples = (language: string, runner: string): ReadonlyArray<string> => {
  const blocks = [...page.matchAll(new RegExp("```" + language + "\n(.*?)```", "gs"))].map(([, code = ""]) => code)
  return blocks.filter((each) => each.includes(`from "${runner}"`))
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

test("the examples of docs/testing.md with vitest pass as they stand", async () => {
  for (const [index, code] of examples("ts", "vitest").entries()) writeFileSync(join(home, `example${index}.test.ts`), code)
  writeFileSync(join(home, "vitest.config.mjs"), 'export default { test: { include: ["*.test.ts"], exclude: [] } }\n')
  const { status, text } = await run([join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", home, "--reporter", "tap-flat"])
  expect([status, text]).toEqual([0, expect.stringContaining("a session is refreshed after two hours")])
  expect(text).toContain("another nonce ends the sign-in")
})

test("the examples of docs/testing.md with node:test pass as they stand", async () => {
  const files = examples("js", "node:test").map((code, index) => {
    const file = join(home, `example${index}.test.mjs`)
    writeFileSync(file, code)
    return file
  })
  const { status, text } = await run(["--test", "--test-reporter", "tap", ...files])
  expect([status, text]).toEqual([0, expect.stringContaining("- a token for another API is refused")])
  expect(text).toContain("- an ID token for another client signs nobody in")
})
