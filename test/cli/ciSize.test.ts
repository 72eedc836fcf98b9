import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

const script = readFileSync(new URL("../../.ci/run", import.meta.url), "utf8")

it.each([
  ["echo 130", 0],
  ["echo 131", 1],
  ["echo du: no such folder >&2; false", 1],
  ["echo many", 1],
])("CI fails where the size of a fresh start is too large, or unknown: %s", (du, status) => {
  const check = /^fresh_start\(\) \{\n[^]*?^\}/m.exec(script)?.[0] ?? ""
  const stubs = `set -uo pipefail; work=. SECONDS=0; git() { :; }; cd() { :; }; bounded() { :; }; du() { ${du}; }`
  const run = spawnSync("bash", ["-c", `${stubs}\n${check}\nfresh_start`], { encoding: "utf8" })
  expect([run.status, run.stdout]).toEqual([status, expect.stringContaining("From an empty clone to the command")])
})
