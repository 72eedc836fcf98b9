import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { expect, it } from "vitest"

const sources = join(import.meta.dirname, "../../packages/cli/src")

/** Runs an action of several writes in a process of its own. It goes on once the signal has been handled. */
const writing = () => {
  const script = `const { runProgram } = await import(${JSON.stringify(join(sources, "program.ts"))})
    const { whole } = await import(${JSON.stringify(join(sources, "action.ts"))})
    const { once } = await import("node:events")
    process.once("exit", () => console.log("draft removed"))
    runProgram(whole(async () => {
      const interrupted = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])
      console.log("first write")
      await interrupted
      console.log("last write")
    })())
    setInterval(() => undefined, 1000)`
  return spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] })
}

it.skipIf(process.platform === "win32").for(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "a command completes writes that belong together, and removes its drafts, at %s: a closed terminal interrupts like Ctrl-C (POSIX XBD §11.1.10)",
  { timeout: 20_000 },
  async (signal) => {
    const child = writing()
    const ended = once(child, "exit")
    child.stdout.once("data", () => void child.kill(signal))
    const [out, end] = await Promise.all([text(child.stdout), ended])
    expect([out, end]).toEqual(["first write\nlast write\ndraft removed\n", [130, null]])
  },
)
