import { statSync } from "node:fs"
import Sqlite from "better-sqlite3"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf, startLoad, verifyAll } from "./load.ts"
import { pause, serveIn } from "./process.ts"
import { breachesOf, milliseconds, quantile, type Row, type Run } from "./row.ts"
import { makeSetting } from "./setting.ts"

/** Tells if a database is whole, as another process sees it. */
export const integrityOf = (path: string): string => {
  const database = new Sqlite(path, { readonly: true, timeout: 10_000 })
  try {
    return String(database.pragma("integrity_check(1)", { simple: true }))
  } finally {
    database.close()
  }
}

/** R1: kill -9 at a random moment under load; then everything acknowledged is looked at. */
export const kill = async ({ times, seed, say }: Run, clients = 64): Promise<Row> => {
  const chance = chanceOf(seed)
  const setting = await makeSetting()
  const ledger = new Ledger()
  const starts: Array<number> = []
  const problems: Array<string> = []
  let requests = 0
  let unanswered = 0
  try {
    let server = await serveIn(setting)
    const actors = await assemble(ledger, clients, () => setting.url)
    for (let crash = 1; crash <= times; crash++) {
      const load = startLoad(actors, chance)
      await pause(100 + chance() * 900)
      await server.end("SIGKILL")
      await load.ended
      requests += ledger.entries.length
      unanswered += ledger.entries.filter(({ status }) => status === undefined).length
      server = await serveIn(setting)
      starts.push(server.firstAnswer)
      await verifyAll(actors, { chance, replayed: 0.4, dead: 1 })
      const integrity = integrityOf(setting.database)
      if (integrity !== "ok") problems.push(`crash ${crash}: integrity_check says ${integrity}`)
      ledger.forget()
      if (crash % 10 === 0 || crash === times)
        say(
          `${crash} crashes, ${ledger.facts} facts looked at, ${ledger.breaches.length} breaches, first 200 after ${Math.round(server.firstAnswer)} ms, ${Math.round(statSync(setting.database).size / 1e6)} MB`,
        )
    }
    await server.end("SIGTERM")
  } finally {
    setting.remove()
  }
  return {
    fault: "R1",
    done: `kill -9 at a random moment under ${clients} clients mixing code, refresh, device, revocation, consent and sign-out; then every fact looked at and integrity_check`,
    times,
    lost: ledger.breaches.length,
    figures: {
      "requests before a crash": requests,
      unanswered,
      "facts looked at": ledger.facts,
      "first 200 p50": milliseconds(quantile(starts, 0.5)),
      p99: milliseconds(quantile(starts, 0.99)),
      "spent twice": ledger.breaches.filter(({ rule }) => rule === "double").length,
    },
    problems: [...problems, ...breachesOf(ledger)],
  }
}
