import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { SendCommand } from "@postern/adapter-redis"
import { createClient } from "redis"
import { afterAll } from "vitest"
import { freePort } from "./ports.ts"

const program = ["valkey-server", "redis-server"].find((name) => spawnSync(name, ["--version"]).status === 0)

/** True where tests that need Redis or Valkey run: where a server is installed, and where the environment says so. */
export const redisThere = program !== undefined || process.env["POSTERN_REQUIRE_REDIS"] === "1"

/** A connection to a server. */
export interface Connection {
  readonly send: SendCommand
  readonly close: () => void
}

/** A server of its own, on a free port of 127.0.0.1, in a folder of its own. */
export interface RedisServer {
  readonly connect: () => Promise<Connection>
  /** Kills it, as a crash of the process would. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly end: () => Promise<void>
}

/** Starts a server with some settings beside its address and folder. */
export const startRedis = async (settings: ReadonlyArray<string> = ["--save", "", "--appendonly", "no"]): Promise<RedisServer> => {
  const folder = mkdtempSync(join(tmpdir(), "postern-redis-"))
  const port = await freePort()
  let server: ChildProcess | undefined
  const connections = new Set<() => void>()
  const kill = async (): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, "exit")
    server.kill("SIGKILL")
    await gone
  }
  const start = async (): Promise<void> => {
    const started = spawn(program ?? "redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, ...settings], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    server = started
    const ended = (): void => void started.kill("SIGKILL")
    process.once("exit", ended)
    started.once("exit", () => process.off("exit", ended))
    for await (const line of createInterface({ input: started.stdout }))
      if (/ready to accept connections/i.test(line)) return void started.stdout.resume()
    throw new Error("the server did not start")
  }
  await start()
  return {
    start,
    kill,
    connect: async () => {
      const client = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: false }, disableOfflineQueue: true })
      // Commands under way are rejected; without a listener the event would end the process.
      client.on("error", () => {})
      await client.connect()
      const close = (): void => {
        connections.delete(close)
        if (client.isOpen) client.destroy()
      }
      connections.add(close)
      return { send: (command) => client.sendCommand([...command]), close }
    },
    end: async () => {
      for (const close of connections) close()
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A server that is made when a test first asks for it, and goes with the file's last test. */
export const redisServer = (): (() => Promise<RedisServer>) => {
  let made: Promise<RedisServer> | undefined
  afterAll(async () => {
    await (await made)?.end()
  })
  return () => (made ??= startRedis())
}
