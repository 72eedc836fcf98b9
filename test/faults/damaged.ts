import { createHash } from "node:crypto"
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf, startLoad, verifyAll } from "./load.ts"
import { pause, Refused, serveIn } from "./process.ts"
import { breachesOf, milliseconds, type Row, type Run } from "./row.ts"
import { makeSetting, type Setting } from "./setting.ts"

/** A way to damage the database of a setting. */
interface Damage {
  readonly name: string
  readonly make: (database: string) => void
  /** Started as a user who may not do everything. */
  readonly as?: "nobody"
}

const pageSize = 4096

const overwrite = (path: string, at: number, bytes: Uint8Array): void => {
  const file = openSync(path, "r+")
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

const logOf = (database: string): string => `${database}-wal`

/** Forty damages: cuts, zeroed and overwritten pages, headers, logs, and files that are something else. */
const damages = (pages: number): ReadonlyArray<Damage> => [
  ...[1, 15, 16, 99, 100, 1000, pageSize, pageSize + 1, 3 * pageSize, (pages - 1) * pageSize].map((size) => ({
    name: `cut to ${size} bytes`,
    make: (database: string) => truncateSync(database, size),
  })),
  ...[0, 1, 2, 3, 5, 8, 13, 21].map((page) => ({
    name: `page ${page + 1} zeroed`,
    make: (database: string) => overwrite(database, page * pageSize, new Uint8Array(pageSize)),
  })),
  ...[1, 4, 9, 16, 25].map((page) => ({
    name: `page ${page + 1} overwritten`,
    make: (database: string) => overwrite(database, page * pageSize, new Uint8Array(pageSize).fill(0xab)),
  })),
  ...[0, 15].map((at) => ({
    name: `header byte ${at} changed`,
    make: (database: string) => overwrite(database, at, new Uint8Array([0x58])),
  })),
  { name: "page size of the header changed", make: (database) => overwrite(database, 16, new Uint8Array([0x33, 0x33])) },
  { name: "another program's application id", make: (database) => overwrite(database, 68, new Uint8Array([1, 2, 3, 4])) },
  ...[99, 1000].map((version) => ({
    name: `schema version ${version}`,
    make: (database: string) => {
      const opened = new Sqlite(database)
      opened.pragma(`user_version = ${version}`)
      opened.close()
    },
  })),
  { name: "an empty file", make: (database) => truncateSync(database, 0) },
  { name: "a text file", make: (database) => writeFileSync(database, "issuer: https://example.com\n".repeat(500)) },
  { name: "zeros", make: (database) => writeFileSync(database, new Uint8Array(50_000)) },
  {
    name: "a database of another program",
    make: (database) => {
      rmSync(database)
      const other = new Sqlite(database)
      other.exec("CREATE TABLE theirs (id INTEGER PRIMARY KEY)")
      other.close()
    },
  },
  {
    name: "a directory in its place",
    make: (database) => {
      rmSync(database)
      mkdirSync(database)
    },
  },
  ...[12, 5000, 40_000].map((size) => ({
    name: `a log of ${size} bytes of rubbish`,
    make: (database: string) => writeFileSync(logOf(database), Buffer.alloc(size, "rubbish")),
  })),
  { name: "a directory in the log's place", make: (database) => mkdirSync(logOf(database)) },
  { name: "a file that may not be read", make: (database) => chmodSync(database, 0o000), as: "nobody" },
  { name: "a file that may not be written", make: (database) => chmodSync(database, 0o444), as: "nobody" },
]

const digestOf = (path: string): string => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return "none"
  return found.isDirectory() ? "directory" : createHash("sha256").update(readFileSync(path)).digest("hex")
}

const nobody = 65_534

/** Milliseconds; four times the goal, since the machine may have others to serve. */
const slowestRefusal = 20_000

/** Tries one start; answers with what is wrong about how it was refused. */
const refusedStart = async (
  setting: Setting,
  { name, as }: Damage,
): Promise<{ readonly after: number; readonly wrong: string | undefined }> => {
  // SQLite leaves an empty log and an index beside a file that it looked at; neither says anything.
  const empty = (file: string): boolean =>
    file.endsWith("-shm") || (file.endsWith("-wal") && statSync(join(setting.folder, "data", file)).size === 0)
  const others = (): ReadonlyArray<string> => readdirSync(join(setting.folder, "data")).filter((file) => !empty(file))
  const files = (): string =>
    JSON.stringify([digestOf(setting.database), ...others().map((file) => [file, digestOf(join(setting.folder, "data", file))])])
  const before = files()
  const through = as === undefined ? [] : ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"]
  try {
    const server = await serveIn(setting, { through })
    await server.end("SIGKILL")
    return { after: 0, wrong: `${name}: it started` }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const said = error.output.trim()
    const wrong = [
      error.code === 0 || error.code === null ? `exit code ${error.code}` : undefined,
      said.split("\n").length > 2 || /^ +at /m.test(said) ? `says more than a line: ${said}` : undefined,
      said.includes("postern.sqlite") ? undefined : `does not name the file: ${said}`,
      files() === before ? undefined : "the files were changed",
    ].filter((each) => each !== undefined)
    return { after: error.after, wrong: wrong.length === 0 ? undefined : `${name}: ${wrong.join("; ")}` }
  }
}

/** R6: starts on damaged databases are refused and change nothing; a log whose end is torn is no damage. */
export const damaged = async ({ times, seed, say }: Run, clients = 16, tornLogs = 5): Promise<Row> => {
  const chance = chanceOf(seed)
  const setting = await makeSetting()
  const ledger = new Ledger()
  const problems: Array<string> = []
  const after: Array<number> = []
  let torn = 0
  try {
    const data = join(setting.folder, "data")
    const sound = join(setting.folder, "sound")
    let server = await serveIn(setting)
    let actors = await assemble(ledger, clients, () => setting.url)
    const load = startLoad(actors, chance)
    await pause(800)
    load.stop()
    await load.ended
    await server.end("SIGTERM")
    cpSync(data, sound, { recursive: true })
    const all = damages(Math.floor(statSync(setting.database).size / pageSize)).filter(
      ({ as }) => as === undefined || mayBecomeNobody(setting),
    )
    // Fewer than all are spread over all kinds.
    const step = Math.max(1, Math.floor(all.length / times))
    for (const damage of all.filter((_, at) => at % step === 0).slice(0, times)) {
      rmSync(data, { recursive: true, force: true })
      cpSync(sound, data, { recursive: true })
      damage.make(setting.database)
      if (damage.as !== undefined) {
        chownSync(setting.folder, nobody, nobody)
        chmodSync(setting.config, 0o644)
        chmodSync(data, 0o755)
      }
      const { after: ended, wrong } = await refusedStart(setting, damage)
      after.push(ended)
      if (wrong !== undefined) problems.push(wrong)
      if (ended > slowestRefusal) problems.push(`${damage.name}: it took ${Math.round(ended)} ms`)
    }
    say(`${after.length} damages`)
    rmSync(data, { recursive: true, force: true })
    cpSync(sound, data, { recursive: true })
    server = await serveIn(setting)
    await verifyAll(actors, { chance, replayed: 0, dead: 1 })
    // A power cut may tear the end of the log: cut anywhere beyond the last synced frame, it starts, and all before it is there.
    for (; torn < tornLogs; torn++) {
      await server.end("SIGKILL")
      const log = logOf(setting.database)
      if (existsSync(log)) writeFileSync(log, Buffer.concat([readFileSync(log), Buffer.alloc(1 + Math.floor(chance() * 9000), 7)]))
      server = await serveIn(setting)
      await verifyAll(actors, { chance, replayed: 0, dead: 1 })
      actors = [...actors]
    }
    await server.end("SIGTERM")
  } finally {
    setting.remove()
  }
  return {
    fault: "R6",
    done: "starts on a damaged, foreign, newer or forbidden database are refused; a torn end of the log alone is started from, and every fact looked at",
    times: after.length + torn,
    lost: ledger.breaches.length,
    figures: {
      "damaged starts": after.length,
      "refused in one line, files unchanged": after.length - problems.length,
      "slowest refusal": milliseconds(Math.max(...after)),
      "torn logs started from": torn,
    },
    problems: [...problems, ...breachesOf(ledger)],
  }
}

/** Tells if a start as another user can be tried: by root alone, where that user can reach the sources. */
const mayBecomeNobody = ({ folder }: Setting): boolean =>
  process.getuid?.() === 0 && existsSync("/usr/bin/setpriv") && folder.startsWith("/tmp/")
