import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it, vi } from "vitest"

// A task may have to be loaded whole before it can be asked, and pieces of it bundled.
vi.setConfig({ testTimeout: 120_000 })

const root = fileURLToPath(new URL("../..", import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { readonly scripts: Readonly<Record<string, string>> }

/** Runs what `npm run TASK -- ARGS` runs. */
const run = (script: string, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number; readonly out: string; readonly err: string }>((resolve) => {
    const words = script.split(" ").slice(1)
    execFile(process.execPath, [...words, ...args], { cwd: root, env: { ...process.env, NO_COLOR: "1" } }, (error, out, err) =>
      resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, out, err }),
    )
  })
const stack = /^ +at /m

/** Tasks of our own making: what the others say of a wrong call is their makers' to choose. */
const own = ["faults", "bench", "knockout", "docs", "build"]

describe("npm run", () => {
  it.for(Object.entries(scripts))("%s -- --help says how it is called, and does nothing", async ([, script]) => {
    const { code, out, err } = await run(script, "--help")
    expect([code, err]).toEqual([0, ""])
    expect(out).toMatch(/usage|COMMON COMMANDS|npm run mutants/i)
    expect(out).not.toMatch(stack)
  })

  it.for(own)("%s says what is wrong with a call, and how it is called: exit code 2, and no stack", async (task) => {
    for (const wrong of ["--no-such-option", "no-such-thing"]) {
      const { code, out, err } = await run(scripts[task] ?? "", wrong)
      expect([code, out]).toEqual([2, ""])
      expect(err).toMatch(/^[A-Z].*no-such-.*\n\nusage: npm run /)
      expect(err).not.toMatch(stack)
    }
  })

  it("a task that there is not: exit code 2, and the tasks there are", async () => {
    const { code, err } = await run("node scripts/run.mjs", "no-such-task")
    expect([code, err]).toEqual([2, expect.stringMatching(/^There is no task "no-such-task"\.\n\nusage: .*\n\nTasks: demo, /)])
    expect(await run("node scripts/run.mjs", "--help")).toMatchObject({ code: 0, err: "" })
  })
})
