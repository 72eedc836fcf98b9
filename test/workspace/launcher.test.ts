import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it, vi } from "vitest"

// The command may have to be bundled first.
vi.setConfig({ testTimeout: 120_000 })

const root = fileURLToPath(new URL("../..", import.meta.url))
const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Starts `postern serve` through the launcher as npm does, under a shell that waits for it. Answers with the shell, and the process that listens. */
const serveByNpm = async (): Promise<{ readonly shell: ChildProcess; readonly server: number }> => {
  const folder = mkdtempSync(join(tmpdir(), "postern-launcher-"))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  const config = join(folder, "postern.json")
  writeFileSync(
    config,
    JSON.stringify({ issuer: "http://127.0.0.1:9", development: true, listen: { port: 0 }, data: join(folder, "data") }),
  )
  const line = `"${process.execPath}" scripts/run.mjs postern serve --config "${config}"; exit $?`
  const shell = spawn("sh", ["-c", line], {
    cwd: root,
    env: { ...process.env, npm_lifecycle_script: "node scripts/run.mjs postern" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  ends.push(() => shell.kill("SIGKILL"))
  let said = ""
  for await (const chunk of shell.stdout) {
    said += String(chunk)
    const server = /"message":"listening".*"pid":(\d+)/.exec(said)?.[1]
    if (server === undefined) continue
    ends.push(() => isAlive(Number(server)) && process.kill(Number(server), "SIGKILL"))
    return { shell, server: Number(server) }
  }
  throw new Error(`it did not listen: ${said}`)
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.runIf(process.platform !== "win32" && process.execve !== undefined)("the launcher of the command", () => {
  it("is replaced by the command: the shell's own child listens, and nothing stays beside it", async () => {
    const { shell, server } = await serveByNpm()
    const children = await output("ps", "-o", "pid=", "--ppid", String(shell.pid))
    expect(children.trim()).toBe(String(server))
    process.kill(server, "SIGTERM")
    expect(await once(shell, "exit")).toEqual([0, null])
  })

  it("leaves a command that ends when npm's shell is lost", async () => {
    const { shell, server } = await serveByNpm()
    shell.kill("SIGKILL")
    await vi.waitUntil(() => !isAlive(server), { timeout: 30_000 })
  })
})

const output = async (command: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
  let said = ""
  for await (const chunk of child.stdout) said += String(chunk)
  return said
}
