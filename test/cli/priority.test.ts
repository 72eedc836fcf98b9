import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const program = `
import { pbkdf2 } from "node:crypto"
import { readFileSync, readdirSync } from "node:fs"
import { getPriority } from "node:os"
import { promisify } from "node:util"
import { yieldToAnswers } from ${JSON.stringify(fileURLToPath(new URL("../../packages/cli/src/serve/priority.ts", import.meta.url)))}
await promisify(pbkdf2)("a", "b", 1, 16, "sha256")
yieldToAnswers()
const tasks = readdirSync("/proc/self/task").map((task) => [readFileSync("/proc/self/task/" + task + "/comm", "utf8").trim(), getPriority(Number(task))])
const named = { hash: "libuv-worker", collect: "node-V8Worker" }
const of = (name) => [...new Set(tasks.filter(([each]) => each === name).map(([, nice]) => nice))]
const others = tasks.filter(([name]) => !Object.values(named).includes(name)).map(([, nice]) => nice)
console.log(JSON.stringify({ hash: of(named.hash), collect: of(named.collect), others: [...new Set(others)], own: getPriority(0) }))
`

describe.skipIf(!existsSync("/proc/self/task"))("threads of a server", () => {
  it("that hash, sign with RSA and collect the heap yield to the one that answers, the last of them less; no other does", () => {
    const told = JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })) as {
      own: number
    }
    const lowered = (by: number): ReadonlyArray<number> => [Math.min(19, Math.max(told.own, by))]
    expect(told).toEqual({ hash: lowered(10), collect: lowered(5), others: [told.own], own: expect.any(Number) })
  })
})
