import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { named, ownFolder, used } from "./ownFolder.ts"
import { freePort } from "./ports.ts"

const program = "/usr/sbin/mariadbd"

/** True where tests that need MariaDB run: where a server is installed, and where the environment says so. */
export const mariadbThere = existsSync(program) || process.env["POSTERN_REQUIRE_MARIADB"] === "1"

/** A MariaDB of its own, on a free port of 127.0.0.1, in a folder of its own. */
export interface MariadbServer {
  readonly port: number
  /** Kills it, as a crash of the process would. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly end: () => Promise<void>
}

/** Settings of a server that waits for its disk before it answers, and one that does not. */
export const durable = ["--innodb-flush-log-at-trx-commit=1", "--log-bin=binlog", "--sync-binlog=1"]
/** A server that never waits for its disk: durability is not what is tested. */
export const quick = ["--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync", "--skip-log-bin"]

/** Data folders that stay, of 110 MB each: one for each version of the program. */
const most = 4

/** The folder of a server that nobody has written to, for servers to copy: made once for each version of the program, since making one takes six times as long as a copy. */
const emptyData = (user: ReadonlyArray<string>): string => {
  const { size, mtimeMs } = statSync(program)
  const key = createHash("sha256")
    .update(readFileSync(import.meta.filename))
    .update(`${size} ${mtimeMs}`)
    .digest("hex")
    .slice(0, 16)
  const home = ownFolder("mariadb")
  const place = join(home, key)
  if (existsSync(place)) {
    used(place)
    return place
  }
  const draft = mkdtempSync(join(home, "draft-"))
  const args = ["--no-defaults", ...user, `--datadir=${draft}`, "--auth-root-authentication-method=normal", "--skip-test-db"]
  const { status, stdout, stderr } = spawnSync("mariadb-install-db", args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`mariadb-install-db did not succeed: ${stdout}${stderr}`)
  named(draft, place, most)
  return place
}

/** Starts a server with some settings beside its address and folder. */
export const startMariadb = async (settings: ReadonlyArray<string> = quick): Promise<MariadbServer> => {
  const home = mkdtempSync(join(tmpdir(), "postern-mariadb-"))
  const data = join(home, "data")
  const user = process.getuid?.() === 0 ? ["--user=root"] : []
  cpSync(emptyData(user), data, { recursive: true })
  const port = await freePort()
  let server: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, "exit")
    server.kill("SIGKILL")
    await gone
  }
  const start = async (): Promise<void> => {
    const places = [`--datadir=${data}`, `--socket=${join(home, "socket")}`, `--pid-file=${join(home, "pid")}`, `--tmpdir=${home}`]
    const address = [`--port=${port}`, "--bind-address=127.0.0.1", "--skip-name-resolve"]
    const small = ["--innodb-buffer-pool-size=64M", "--innodb-log-file-size=32M", "--performance-schema=OFF", "--max-connections=150"]
    const started = spawn(program, ["--no-defaults", ...user, ...places, ...address, ...small, ...settings], {
      stdio: ["ignore", "ignore", "pipe"],
    })
    server = started
    const ended = (): void => void started.kill("SIGKILL")
    process.once("exit", ended)
    started.once("exit", () => process.off("exit", ended))
    const said: Array<string> = []
    for await (const line of createInterface({ input: started.stderr })) {
      said.push(line)
      if (/ready for connections/.test(line)) return void started.stderr.resume()
    }
    throw new Error(`the server did not start:\n${said.join("\n")}`)
  }
  await start()
  return {
    port,
    start,
    kill,
    end: async () => {
      await kill()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
