import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { type Database, DatabaseRefused, openDatabase } from "@postern/adapter-postgres"
import { connect } from "../../packages/adapter-postgres/src/database/connect.ts"
import { chanceOf } from "../faults/load.ts"
import { pause } from "../faults/process.ts"
import { type Row, type Run, milliseconds, quantile } from "../faults/row.ts"
import { type PostgresServer, startPostgres } from "../support/postgresServer.ts"
import { looked, steps } from "./steps.ts"

/** Starts to migrate a database in a process of its own. */
export const startMigrator = (url: string): ChildProcess & { readonly ended: Promise<number | NodeJS.Signals | null> } => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("migrator.ts", import.meta.url)), url], {
    stdio: ["ignore", "ignore", "inherit"],
  })
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)))
  return Object.assign(child, { ended })
}

/** R14: processes that migrate one database at once, killed at a random moment; what is left is whole, and the next start brings it to the end. */
export const upgrades = async ({ times, seed, say }: Run): Promise<Row> => {
  const chance = chanceOf(seed)
  const postgres = await startPostgres()
  const looker = await connect(postgres.url("postgres"), { connections: 1 })
  const problems: Array<string> = []
  const left = [0, 0, 0, 0]
  const spans: Array<number> = []
  try {
    const usual = await spanOf(postgres)
    for (let round = 1; round <= times; round++) {
      const url = await postgres.database()
      const migrators = [startMigrator(url), startMigrator(url)]
      // On a busy machine they may be done between two looks.
      let isOver = false
      void Promise.all(migrators.map(({ ended }) => ended)).then(() => (isOver = true))
      await until(looker, url, true, () => isOver)
      await pause(usual * 1.2 * chance())
      const killed = round % 2 === 0 ? migrators : migrators.slice(0, 1)
      for (const each of killed) each.kill("SIGKILL")
      const ends = await Promise.all(migrators.map(({ ended }) => ended))
      await until(looker, url, false)
      const database = await connect(url)
      try {
        const { version, wrong } = await looked(database)
        left[version] = (left[version] ?? 0) + 1
        if (wrong !== undefined) problems.push(`killed ${killed.length} of 2: ${wrong}`)
        if (killed.length === 1 && (ends[1] !== 0 || version !== 3)) problems.push(`the other ended with ${ends[1]} at version ${version}`)
        const began = performance.now()
        await (await openDatabase(url, { steps })).close()
        spans.push(performance.now() - began)
        const after = await looked(database)
        if (after.version !== 3 || after.wrong !== undefined)
          problems.push(`the next start left it at ${after.version}: ${after.wrong ?? ""}`)
        problems.push(...(await acceptedByOlder(url)))
      } finally {
        await database.close()
      }
      if (round % 10 === 0 || round === times)
        say(`${round} times, found at version 0 to 3: ${left.join(", ")}; ${problems.length} problems`)
    }
  } finally {
    await looker.close()
    await postgres.end()
  }
  return {
    fault: "R14, PostgreSQL",
    done: "two processes migrate one database at once; one or both get kill -9 at a random moment; then the next start, and one of an older version",
    times,
    lost: problems.length,
    figures: { "found at version 0 to 3": left.join(", "), "next start p50": milliseconds(quantile(spans, 0.5)) },
    problems: problems.slice(0, 20),
  }
}

/** Measures the time of the migration. */
const spanOf = async (postgres: PostgresServer): Promise<number> => {
  const began = performance.now()
  await (await openDatabase(await postgres.database(), { steps })).close()
  return performance.now() - began
}

/** Waits until somebody migrates a database, or nobody does any more: PostgreSQL ends what a killed process had asked for before it notices. */
const until = async (looker: Database, url: string, migrates: boolean, isOver = (): boolean => false): Promise<void> => {
  const name = new URL(url).pathname.slice(1)
  for (let tries = 0; tries < 5000; tries++) {
    const found = await looker.read("look", "SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND application_name = 'postern'", [name])
    if (found.length > 0 === migrates || isOver()) return
    await pause(2)
  }
  throw new Error(migrates ? "nobody migrates" : "somebody migrates without end")
}

/** A Postern that knows only the first step refuses what is newer, and leaves it as it is. */
const acceptedByOlder = async (url: string): Promise<ReadonlyArray<string>> => {
  let opened: Database
  try {
    opened = await openDatabase(url, { steps: steps.slice(0, 1) })
  } catch (error) {
    return error instanceof DatabaseRefused && error.reason === "newer" ? [] : [`an older version says ${String(error)}`]
  }
  await opened.close()
  return ["an older version opened it"]
}
