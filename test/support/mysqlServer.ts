import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { MariadbServer } from "./mariadbServer.ts"
import { freePort } from "./ports.ts"

const program = process.env["POSTERN_MYSQL"] ?? ""

/** True where tests on MySQL itself run: where `POSTERN_MYSQL` names a `mysqld`. Debian's stable release has none. */
export const mysqlThere = program !== ""

/** An empty data folder, which takes MySQL some ten seconds to make. */
let empty: string | undefined
const made = (user: ReadonlyArray<string>): string => {
  if (empty !== undefined) return empty
  const home = mkdtempSync(join(tmpdir(), "postern-mysql-empty-"))
  process.once("exit", () => rmSync(home, { recursive: true, force: true }))
  const data = join(home, "data")
  // Root is known at `localhost` alone, which no connection comes from while names are not resolved.
  const users = join(home, "users.sql")
  writeFileSync(users, "CREATE USER root@127.0.0.1 IDENTIFIED BY ''; GRANT ALL ON *.* TO root@127.0.0.1 WITH GRANT OPTION;\n")
  const args = ["--no-defaults", "--initialize-insecure", ...user, `--datadir=${data}`, `--init-file=${users}`, "--secure-file-priv=NULL"]
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`mysqld did not make its data: ${stderr}`)
  return (empty = data)
}

/** Starts a MySQL with some settings beside its address and folder. */
export const startMysql = async (
  settings: ReadonlyArray<string> = ["--innodb-flush-log-at-trx-commit=0", "--skip-log-bin"],
): Promise<MariadbServer> => {
  const home = mkdtempSync(join(tmpdir(), "postern-mysql-"))
  const user = process.getuid?.() === 0 ? ["--user=root"] : []
  cpSync(made(user), join(home, "data"), { recursive: true })
  const port = await freePort()
  let server: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, "exit")
    server.kill("SIGKILL")
    await gone
  }
  const start = async (): Promise<void> => {
    const places = [
      `--datadir=${join(home, "data")}`,
      `--socket=${join(home, "socket")}`,
      `--pid-file=${join(home, "pid")}`,
      `--tmpdir=${home}`,
    ]
    const address = [`--port=${port}`, "--bind-address=127.0.0.1", "--skip-name-resolve", "--mysqlx=OFF", "--secure-file-priv=NULL"]
    const small = ["--innodb-buffer-pool-size=64M", "--performance-schema=OFF", "--max-connections=150"]
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
      if (/ready for connections.*port: \d{3,}/.test(line)) return void started.stderr.resume()
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
