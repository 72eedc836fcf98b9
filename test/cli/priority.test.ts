import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const program = `
import { readFileSync, readdirSync } from "node:fs"
import { getPriority } from "node:os"
import { yieldToAnswers } from ${JSON.stringify(fileURLToPath(new URL("../../packages/cli/src/serve/priority.ts", import.meta.url)))}
await yieldToAnswers()
const tasks = readdirSync("/proc/self/task").map((task) => [readFileSync("/proc/self/task/" + task + "/comm", "utf8").trim(), getPriority(Number(task))])
const of = (workers) => [...new Set(tasks.filter(([name]) => (name === "libuv-worker") === workers).map(([, nice]) => nice))]
console.log(JSON.stringify({ workers: of(true), others: of(false), own: getPriority(0) }))
`

describe.skipIf(!existsSync("/proc/self/task"))("threads of a server", () => {
  it("that hash and sign with RSA yield to the one that answers; no other does", () => {
    const told: unknown = JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }))
    expect(told).toEqual({ workers: [expect.any(Number)], others: [expect.any(Number)], own: expect.any(Number) })
    const { workers, others, own } = told as { workers: [number]; others: [number]; own: number }
    expect(others).toEqual([own])
    expect(workers).toEqual([Math.min(19, Math.max(own, 10))])
  })
})
