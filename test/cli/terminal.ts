import { spawn } from "node:child_process"
import { command } from "../support/packed.ts"
import { patience, type Ran } from "./run.ts"

/** Program that gives a command a terminal; without it such tests are skipped. */
export const script = "/usr/bin/script"

/** Runs the command at a terminal, and presses keys as each question appears. */
export const atTerminal = (args: string, cwd: string, answers: ReadonlyArray<readonly [question: string, keys: string]>): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(script, ["-qec", `'${process.execPath}' '${command}' ${args}`, "/dev/null"], { cwd, stdio: "pipe" })
    const left = [...answers]
    let out = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
      const [question, keys] = left[0] ?? []
      // Text after the question shows that it waits for an answer.
      if (question === undefined || !out.slice(out.lastIndexOf(question)).startsWith(question)) return
      left.shift()
      child.stdin.write(keys ?? "")
    })
    const timer = setTimeout(() => child.kill("SIGKILL"), patience)
    child.on("error", reject)
    child.on("close", (code) => {
      clearTimeout(timer)
      resolve({ code, out, err: "" })
    })
  })
