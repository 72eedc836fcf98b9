import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defaultLimits } from "@postern/adapter-http"
import { expect, it, onTestFinished, vi } from "vitest"
import { logOf } from "../../packages/adapter-sqlite/src/database/log.ts"
import { withinFiles } from "../../packages/cli/src/serve/files.ts"
import { command } from "../support/packed.ts"
import { freePort } from "../support/ports.ts"
import { folder, patience } from "./run.ts"

vi.setConfig({ testTimeout: 2 * patience })

it("a process that may open enough files has the usual limits, and one that may not has a connection for each file that is left", () => {
  const usual = { ...defaultLimits, connections: 16_384, lingerConnections: 512 }
  for (const files of [undefined, 17_152, 1_048_576]) expect(withinFiles(usual, files)).toBe(usual)
  const of = (files: number) => {
    const { connections, lingerConnections } = withinFiles(usual, files)
    return [connections, lingerConnections]
  }
  expect([17_151, 4096, 1024, 256, 64, 10].map(of)).toEqual([
    [16_383, 512],
    [3328, 512],
    [576, 192],
    [96, 32],
    [1, 1],
    [1, 1],
  ])
})

it.skipIf(process.platform !== "linux")(
  "a server that may open few files says so, and answers 503 to the connections that it has no file for (reference: too many is always an answer)",
  async () => {
    const port = await freePort()
    const { cwd, remove } = folder({ issuer: `http://127.0.0.1:${port}`, development: true, listen: { port } })
    onTestFinished(remove)
    const child = spawn("bash", ["-c", `ulimit -n 256; exec '${process.execPath}' '${command}' serve`], {
      cwd,
      stdio: ["ignore", "pipe", "ignore"],
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    let log = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (log += text))
    await vi.waitFor(() => expect(log).toContain('"listening"'), { timeout: patience, interval: 50 })
    expect(log).toContain('"level":"warn","message":"few files","files":256,"connections":96')
    const held = await Promise.all(
      Array.from({ length: 96 }, async () => {
        const socket = connect(port, "127.0.0.1")
        await once(socket, "connect")
        return socket
      }),
    )
    onTestFinished(() => held.forEach((socket) => socket.destroy()))
    const ask = async (socket: ReturnType<typeof connect>): Promise<string> => {
      socket.write("GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n")
      const [part] = (await Promise.race([once(socket, "data"), once(socket, "close").then(() => ["closed"])])) as [Buffer | string]
      return String(part).slice(0, 12)
    }
    expect(new Set(await Promise.all(held.map(ask)))).toEqual(new Set(["HTTP/1.1 200"]))
    const more = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"))
    onTestFinished(() => more.forEach((socket) => socket.destroy()))
    expect(new Set(await Promise.all(more.map(ask)))).toEqual(new Set(["HTTP/1.1 503"]))
    await vi.waitFor(() => expect(log).toContain('"message":"overloaded"'), { timeout: patience, interval: 50 })
  },
)

it("a command that may open too few files says so, and calls it no defect of the program", () => {
  const program = join(import.meta.dirname, "../../packages/cli/src/program.ts")
  const script = `const { runProgram } = await import(${JSON.stringify(program)})
    const { promised } = await import(${JSON.stringify(join(program, "../action.ts"))})
    runProgram(promised(async () => { throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" }) })())`
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })
  expect([status, stderr]).toEqual([
    1,
    "postern: this process may open too few files\n  raise the limit: `ulimit -n`, or LimitNOFILE of the service\n",
  ])
})

it("a database that cannot be opened a second time is refused like one that cannot be opened at all", () => {
  expect(() => logOf(join(tmpdir(), "postern-none.sqlite"))).toThrow(
    expect.objectContaining({ name: "DatabaseRefused", reason: "inaccessible", message: expect.stringContaining("SQLITE_CANTOPEN") }),
  )
})
