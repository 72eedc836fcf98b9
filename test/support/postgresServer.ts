import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, chownSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Database } from "@postern/adapter-postgres"
import { freePort } from "./ports.ts"
import { emptyCluster, identity } from "./postgresCluster.ts"
import { connect } from "../../packages/adapter-postgres/src/database/connect.ts"

/** A PostgreSQL server of its own, on a free port of 127.0.0.1. */
export interface PostgresServer {
  /** The URL of a database on it. */
  readonly url: (database: string) => string
  /** Makes an empty database, or one like another; answers with its URL. */
  readonly database: (template?: string) => Promise<string>
  /** Runs statements as its owner, on no database in particular or on one. */
  readonly run: (url: string, ...statements: ReadonlyArray<string>) => Promise<void>
  /** Stops it: at once, as a crash would, unless it may end what is under way. */
  readonly stop: (how?: "SIGINT" | "SIGQUIT") => Promise<void>
  readonly start: () => Promise<void>
  /** The server's first process. */
  readonly pid: () => number
  /** Signals the server, and each of its processes that a database is connected to: they stand still, or go on. */
  readonly processes: (database: Database) => Promise<(signal: "SIGSTOP" | "SIGCONT") => void>
}

/** A server that repeats what another has logged, as that one streams it. */
export interface Standby {
  /** The URL of a database on it, of which the other's URL is given. */
  readonly of: (url: string) => string
  /** Makes it a server of its own. */
  readonly promote: () => Promise<void>
}

/** One that whoever started it ends. */
export interface OwnedServer extends PostgresServer {
  /** Starts a synchronous standby: from then on a commit is acknowledged only when the standby has it too. The server starts anew for that. */
  readonly standby: () => Promise<Standby>
  readonly end: () => Promise<void>
}

/** Starts a server, by the programs of a folder where one is given. It waits for its disk only where it has to. It ends with this process if nobody ends it before. */
export const startPostgres = async (folder?: string, waitsForDisk = false): Promise<OwnedServer> => {
  const home = mkdtempSync(join(tmpdir(), "postern-postgres-"))
  const { programs, empty } = emptyCluster(folder)
  const data = join(home, "data")
  if (identity.uid !== undefined) own(home)
  const copied = spawnSync("cp", ["-a", empty, data], { ...identity, cwd: home, encoding: "utf8" })
  if (copied.status !== 0) throw new Error(`the data cannot be copied: ${copied.stderr}`)
  const port = await freePort()
  const url = (database: string): string => `postgres://postern@127.0.0.1:${port}/${database}`
  let server: ChildProcess
  let databases = 0
  const ends: Array<() => Promise<void>> = []

  const begin = async (data: string, port: number): Promise<ChildProcess> => {
    // Durability is not what is tested: it is the same server without waiting for a disk.
    const sync = `fsync=${waitsForDisk ? "on" : "off"}`
    const settings = ["listen_addresses=127.0.0.1", sync, "shared_buffers=64MB", "max_connections=150", "unix_socket_directories="]
    const server = spawn(join(programs, "postgres"), ["-D", data, "-p", String(port), ...settings.flatMap((each) => ["-c", each])], {
      ...identity,
      cwd: home,
      stdio: ["ignore", "ignore", "pipe"],
    })
    watch(server, home)
    const said: Array<string> = []
    for await (const line of createInterface({ input: server.stderr ?? process.stdin })) {
      said.push(line)
      if (/ready to accept (?:read-only )?connections/.test(line)) break
    }
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${said.join("\n")}`)
    server.stderr?.resume()
    return server
  }
  const start = async (): Promise<void> => {
    server = await begin(data, port)
  }
  const stopped = async (server: ChildProcess, how: "SIGINT" | "SIGQUIT"): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const exit = once(server, "exit")
    server.kill(how)
    await exit
  }
  const stop = (how: "SIGINT" | "SIGQUIT" = "SIGQUIT"): Promise<void> => stopped(server, how)
  const run = async (at: string, ...statements: ReadonlyArray<string>): Promise<void> => {
    const database = await connect(at, { connections: 1, patience: 15_000 })
    try {
      for (const sql of statements) await database.write("prepare a test", sql)
    } finally {
      await database.close()
    }
  }
  await start()
  return {
    url,
    database: async (template = "template0") => {
      const name = `test_${++databases}`
      await run(url("postgres"), `CREATE DATABASE ${name} TEMPLATE ${template}`)
      return url(name)
    },
    run,
    start,
    stop,
    pid: () => server.pid ?? 0,
    processes: async (database) => {
      const rows = await database.read("look", "SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
      const pids = [server.pid ?? 0, ...rows.map(([pid]) => Number(pid))]
      return (signal) => pids.forEach((pid) => process.kill(pid, signal))
    },
    standby: async () => {
      const [copy, place] = [join(home, "standby"), await freePort()]
      await stop("SIGINT")
      const copied = spawnSync("cp", ["-a", data, copy], { ...identity, cwd: home, encoding: "utf8" })
      if (copied.status !== 0) throw new Error(`the data cannot be copied: ${copied.stderr}`)
      appendFileSync(join(data, "postgresql.conf"), "synchronous_standby_names = 'standby'\n")
      const from = `host=127.0.0.1 port=${port} user=postern application_name=standby`
      appendFileSync(join(copy, "postgresql.conf"), `primary_conninfo = '${from}'\n`)
      spawnSync("touch", [join(copy, "standby.signal")], { ...identity, cwd: home })
      await start()
      const second = await begin(copy, place)
      ends.push(() => stopped(second, "SIGQUIT"))
      const at = (database: string): string => `postgres://postern@127.0.0.1:${place}/${database}`
      return {
        of: (named) => at(new URL(named).pathname.slice(1)),
        promote: () => run(at("postgres"), "SELECT pg_promote()"),
      }
    },
    end: async () => {
      for (const each of ends) await each()
      await stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const own = (home: string): void => chownSync(home, identity.uid ?? 0, identity.gid ?? 0)

/** Ends the server and drops its home when this process ends in a way that leaves it no time for that. */
const watch = (server: ChildProcess, home: string): void => {
  const script = `process.stdin.resume().on("end", () => {
    try { process.kill(${server.pid}, "SIGQUIT") } catch {}
    setTimeout(() => require("node:fs").rmSync(${JSON.stringify(home)}, { recursive: true, force: true }), 500)
  })`
  const watcher = spawn(process.execPath, ["-e", script], { stdio: ["pipe", "ignore", "ignore"], detached: true })
  watcher.unref()
  const input = watcher.stdin as typeof watcher.stdin & { unref: () => void }
  input.unref()
  server.once("exit", () => watcher.kill())
}
