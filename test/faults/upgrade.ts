import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { schemaVersion } from "../../packages/adapter-sqlite/src/database/migrate.ts"
import { openDatabase } from "../../packages/adapter-sqlite/src/database/open.ts"
import { migrations } from "../../packages/adapter-sqlite/src/database/schema.ts"
import { laterSteps } from "./laterSteps.ts"
import { chanceOf } from "./load.ts"
import { pause, Refused, serveIn } from "./process.ts"
import type { Row, Run } from "./row.ts"
import { makeSetting } from "./setting.ts"

const fixtureOf = (version: number): URL => new URL(`schemas/${version}.sql`, import.meta.url)

/** Makes a database as a version left it, with so many more rows that an upgrade takes a while. */
export const makeOld = (path: string, version: number, more: number): void => {
  const database = new Sqlite(path)
  database.pragma("journal_mode = WAL")
  database.exec(readFileSync(fixtureOf(version), "utf8"))
  const columns = database.prepare<[], string>("SELECT name FROM pragma_table_info('access_tokens')").pluck().all()
  const others = columns.filter((name) => name !== "locator" && name !== "slot").join(", ")
  const [slot, slotIn] = columns.includes("slot") ? ["slot, ", "2 * many.at, "] : ["", ""]
  database.exec(`
    WITH RECURSIVE many (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM many WHERE at < ${more})
    INSERT INTO access_tokens (${slot}locator, ${others})
    SELECT ${slotIn}printf('%016d', many.at), ${others} FROM many, (SELECT * FROM access_tokens LIMIT 1)`)
  database.close()
}

/** Every row of the tables and columns that a version has, as a digest. */
export const contentOf = (database: Sqlite.Database, version: number): string => {
  const old = new Sqlite(":memory:")
  old.exec(readFileSync(fixtureOf(version), "utf8"))
  const digest = createHash("sha256")
  const tables = old
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
  for (const table of tables.all()) {
    const columns = old.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table).join(", ")
    for (const row of database.prepare(`SELECT ${columns} FROM ${table} ORDER BY ${columns}`).raw().iterate())
      digest.update(JSON.stringify(row))
  }
  old.close()
  return digest.digest("hex")
}

const looked = <A>(path: string, look: (database: Sqlite.Database) => A): A => {
  const database = new Sqlite(path, { readonly: true, timeout: 10_000 })
  try {
    return look(database)
  } finally {
    database.close()
  }
}

/** Starts the upgrade, and kills it after so many milliseconds; undefined lets it end. Answers with how long it took. */
const upgraded = async (path: string, after: number | undefined): Promise<number> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "upgrader.ts"), path], { stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(child, "exit")
  await Promise.race([once(child.stdout, "data"), ended])
  const began = performance.now()
  if (after !== undefined) {
    await Promise.race([pause(after), ended])
    child.kill("SIGKILL")
  }
  const [code] = (await ended) as [number | null]
  if (after === undefined && code !== 0) throw new Error(`the upgrade ended with ${code}`)
  return performance.now() - began
}

/** An older version that is asked to serve it says so in one line, and leaves it as it is. */
const refusedByOlder = async (path: string): Promise<string | undefined> => {
  const setting = await makeSetting({ data: `sqlite:${path}` })
  try {
    const before = looked(path, (database) => database.pragma("user_version", { simple: true }))
    const refused = await serveIn(setting).then(
      async (server) => {
        await server.end("SIGKILL")
        return undefined
      },
      (error: unknown) => error,
    )
    if (!(refused instanceof Refused) || refused.code === 0) return "an older version serves it"
    const lines = refused.output.trim().split("\n")
    if (!/its schema is version \d+ and this Postern knows versions up to \d+/.test(refused.output) || lines.length > 2)
      return refused.output
    return looked(path, (database) => database.pragma("user_version", { simple: true })) === before
      ? undefined
      : "an older version changed it"
  } finally {
    setting.remove()
  }
}

/** R14: upgrades from every schema that was released, killed in the middle; and an older version that meets a newer file. */
export const upgrade = async ({ times, seed, say }: Run, rows = 60_000): Promise<Row> => {
  const chance = chanceOf(seed)
  const folder = mkdtempSync(join(tmpdir(), "postern-upgrade-"))
  const problems: Array<string> = []
  const ends = new Map<number, number>()
  let lost = 0
  try {
    for (let version = 1; version <= migrations.length; version++) {
      if (!existsSync(fixtureOf(version))) {
        problems.push(`there is no fixture of version ${version}: node test/faults/schemas/write.ts`)
        continue
      }
      const old = join(folder, `old-${version}.sqlite`)
      makeOld(old, version, rows)
      const content = looked(old, (database) => contentOf(database, version))
      const path = join(folder, "upgraded.sqlite")
      const fresh = (): void => {
        for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true })
        copyFileSync(old, path)
      }
      fresh()
      const whole = await upgraded(path, undefined)
      for (let each = 0; each < times; each++) {
        fresh()
        await upgraded(path, chance() * whole * 1.1)
        const reached = looked(path, (database) => {
          if (database.pragma("integrity_check", { simple: true }) !== "ok") problems.push(`kill ${each}: not whole`)
          if (contentOf(database, version) !== content) lost++
          const parts = database
            .prepare("SELECT count(*) FROM sqlite_schema WHERE name IN ('later', 'later_access_tokens', 'anew')")
            .pluck()
            .get()
          const at = schemaVersion(database)
          if (parts !== (at > migrations.length ? 2 : 0)) problems.push(`kill ${each}: half of a step at version ${at}`)
          return at
        })
        ends.set(reached, (ends.get(reached) ?? 0) + 1)
        openDatabase(path, { steps: laterSteps }).close()
        looked(path, (database) => {
          if (schemaVersion(database) !== laterSteps.length)
            problems.push(`kill ${each}: the next start leaves it at ${schemaVersion(database)}`)
          if (contentOf(database, version) !== content) lost++
        })
      }
      say(`from version ${version}: ${times} kills, ended at ${[...ends].map(([at, count]) => `${at}: ${count}`).join(", ")}`)
      // By its schema's version alone, which is the same of all: the first file and the last are asked for.
      const refused = [1, migrations.length].includes(version) ? await refusedByOlder(path) : undefined
      if (refused !== undefined) problems.push(refused)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    fault: "R14",
    done: "upgrades from every released schema, kill -9 in the middle of each; then the next start; then an older version is asked to serve it",
    times,
    lost,
    figures: Object.fromEntries([...ends].sort(([left], [right]) => left - right).map(([at, count]) => [`found at version ${at}`, count])),
    problems: lost > 0 ? [`${lost} databases with other content`, ...problems] : problems,
  }
}
