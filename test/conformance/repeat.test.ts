import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const repeat = (...args: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["test/conformance/repeat.ts", ...args], { cwd: root, encoding: "utf8" })
  return { status, stdout, stderr }
}

test(
  "a row of the table in docs/testing.md is repeated by the call that --list prints for it, and the page shows what it tells",
  { timeout: 60_000 },
  () => {
    const calls = repeat("--list").stdout.trimEnd().split("\n")
    const rows = readFileSync(new URL("../../docs/testing.md", import.meta.url), "utf8").matchAll(
      /^\| `([\w.-]+)` \| (?:MUST|SHOULD), [^|]+ \| ([^|]+) \|$/gm,
    )
    const listed = [...rows].flatMap(([, id = "", names = ""]) => names.split("; ").map((name) => `repeat.ts ${id} "${name.trim()}"`))
    expect(listed.length).toBeGreaterThan(150)
    expect(listed.filter((row) => !calls.some((call) => call.endsWith(row)))).toEqual([])
    const { status, stdout } = repeat("id-token.aud-wrong", "oidc-client-ts")
    const shown = readFileSync(new URL("../../docs/testing.md", import.meta.url), "utf8").replaceAll(/^ {4}/gm, "")
    expect([status, shown.includes(stdout.trimEnd())]).toEqual([0, true])
  },
)

test("a client that there is not is refused by its name, and a call without one is told how", { timeout: 60_000 }, () => {
  const nobody = repeat("id-token.aud-wrong", "nobody")
  expect([nobody.status, nobody.stderr.includes("there is no client nobody")]).toEqual([1, true])
  const nothing = repeat("id-token.aud-strange")
  expect([nothing.status, nothing.stdout.includes("--all")]).toEqual([2, true])
})
