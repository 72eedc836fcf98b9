import Sqlite from "better-sqlite3"
import { integrityOf } from "./kill.ts"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf, startLoad, verifyAll } from "./load.ts"
import { pause, serveIn } from "./process.ts"
import { probing, readsOf, setApart } from "./probes.ts"
import { breachesOf, milliseconds, quantile, type Row, type Run } from "./row.ts"
import { makeSetting } from "./setting.ts"

/** Asks for something that has to be written until it is answered 200; how long that took in milliseconds. */
export const untilWritten = async (url: string): Promise<number> => {
  const began = performance.now()
  for (;;) {
    const response = await fetch(`${url}/connect/deviceauthorization`, {
      method: "POST",
      body: new URLSearchParams({ client_id: "tv" }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined)
    await response?.text()
    if (response?.status === 200) return performance.now() - began
    if (performance.now() - began > 60_000) throw new Error(`not healed after a minute: ${response?.status}`)
    await pause(20)
  }
}

/** R5: another process holds the database's write lock for so many seconds, under load. */
export const locked = async ({ times, seed, say }: Run, seconds = 30, clients = 64): Promise<Row> => {
  const chance = chanceOf(seed)
  const setting = await makeSetting()
  const ledger = new Ledger()
  const problems: Array<string> = []
  const refused: Array<number> = []
  const healing: Array<number> = []
  const reads = new Map<string, Array<number>>()
  let statuses = 0
  try {
    const server = await serveIn(setting)
    const actors = await assemble(ledger, clients, () => setting.url)
    const { jwt, busy } = await setApart(actors)
    for (let round = 1; round <= times; round++) {
      const load = startLoad(busy, chance, { untilDown: false })
      await pause(400)
      const other = new Sqlite(setting.database, { timeout: 5_000 })
      const probe = probing(readsOf(setting.url, jwt))
      try {
        other.exec("BEGIN IMMEDIATE")
        const from = ledger.entries.length
        await pause(seconds * 1000)
        const during = ledger.entries.slice(from)
        const no = during.filter(({ status }) => status === 503)
        statuses += during.length
        refused.push(...no.map(({ took }) => took))
        if (no.length === 0) problems.push("nothing was refused: the lock did not hold")
      } finally {
        other.exec("ROLLBACK")
        other.close()
      }
      healing.push(await untilWritten(setting.url))
      await probe.stop()
      load.stop()
      await load.ended
      for (const { name, took, bad } of probe.probes) {
        reads.set(name, [...(reads.get(name) ?? []), ...took])
        if (bad.length > 0) problems.push(`${name} was answered ${[...new Set(bad)].join(", ")}`)
      }
      const integrity = integrityOf(setting.database)
      if (integrity !== "ok") problems.push(`integrity_check says ${integrity}`)
      await verifyAll(actors, { chance, replayed: 0.4, dead: 1 })
      say(`${round} locks of ${seconds} s: ${refused.length} refused, the slowest after ${Math.round(Math.max(...refused))} ms`)
    }
    if (server.child.exitCode !== null) problems.push("the server is gone")
    await server.end("SIGTERM")
  } finally {
    setting.remove()
  }
  const p99 = (name: string): string => milliseconds(quantile(reads.get(name) ?? [], 0.99))
  return {
    fault: "R5",
    done: `another process holds the write lock for ${seconds} s under ${clients} clients`,
    times,
    lost: ledger.breaches.length,
    figures: {
      "requests meanwhile": statuses,
      "refused with 503": refused.length,
      "503 p50": milliseconds(quantile(refused, 0.5)),
      slowest: milliseconds(Math.max(0, ...refused)),
      "discovery p99": p99("discovery"),
      "JWKS p99": p99("jwks"),
      "JWT userinfo p99": p99("userinfo"),
      "first 200 after release": milliseconds(Math.max(...healing)),
      "facts looked at": ledger.facts,
    },
    problems: [...problems, ...breachesOf(ledger)],
  }
}
