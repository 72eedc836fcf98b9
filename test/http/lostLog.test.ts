import { execFileSync, spawn } from "node:child_process"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"

const patience = 30_000
vi.setConfig({ testTimeout: 2 * patience })

/** Starts a process that logs a line at each message, to a file or to a pipe. */
const logging = (stdout: number | "pipe") => {
  const script = `const { jsonLog } = await import(${JSON.stringify(join(import.meta.dirname, "../../packages/adapter-http/src/log.ts"))})
    const log = jsonLog()
    let at = 0
    process.on("message", async (what) => {
      if (what === "line") log.line("info", "a line", { at: at++ })
      else await log.flush()
      process.send(what)
    })
    process.on("disconnect", () => process.exit())`
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", stdout, "pipe", "ipc"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  let err = ""
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (err += text))
  const ask = (what: "line" | "flush") =>
    new Promise((resolve) => {
      child.once("message", resolve)
      child.send(what)
    })
  return { child, ask, err: () => err }
}

describe.skipIf(process.platform === "win32")("a log that cannot be written", () => {
  it.skipIf(process.getuid?.() !== 0)("to a full disk waits for space, loses and tears no line, and is told once", async () => {
    const disk = mkdtempSync(join(tmpdir(), "postern-log-"))
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk])
    onTestFinished(() => {
      execFileSync("umount", ["-l", disk])
      rmSync(disk, { recursive: true })
    })
    const file = openSync(join(disk, "log"), "a")
    onTestFinished(() => closeSync(file))
    const { ask, err } = logging(file)
    for (let at = 0; at < 30; at++) await ask("line")
    await ask("flush")
    // The last lines fit into the page of the file only in part.
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(join(disk, "fill"), Buffer.alloc(bavail * bsize))
    for (let at = 30; at < 100; at++) await ask("line")
    await vi.waitFor(() => expect(err()).toBe("the log cannot be written: ENOSPC; it is tried again each second\n"), { timeout: patience })
    rmSync(join(disk, "fill"))
    const lines = () => readFileSync(join(disk, "log"), "utf8").split("\n").slice(0, -1)
    await vi.waitFor(() => expect(lines()).toHaveLength(100), { timeout: patience })
    expect(lines().map((line) => (JSON.parse(line) as { at: number }).at)).toEqual(Array.from({ length: 100 }, (_, at) => at))
    expect(err()).toBe("the log cannot be written: ENOSPC; it is tried again each second\n")
  })

  it("to a reader that is gone is told once, and keeps nothing waiting", async () => {
    const { child, ask, err } = logging("pipe")
    child.stdout?.destroy()
    for (let at = 0; at < 3; at++) {
      await ask("line")
      await ask("flush")
    }
    await vi.waitFor(() => expect(err()).toBe("the log cannot be written: EPIPE; its lines are lost from now on\n"), { timeout: patience })
  })
})
