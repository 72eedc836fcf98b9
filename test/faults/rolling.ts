import { type Cluster, FrontLedger, startCluster } from "../postgres/cluster.ts"
import { assemble, chanceOf, startLoad, verifyAll } from "./load.ts"
import { pause } from "./process.ts"
import { breachesOf, milliseconds, quantile, type Row, type Run } from "./row.ts"

/**
 * R13 on PostgreSQL: servers behind nginx on one database, restarted one after the other under load; every third is killed. What was
 * acknowledged holds however a server went; of one that is asked to stop no answer is cut, and nginx need not be told.
 */
export const rolling = async ({ times, seed, say }: Run, clients = 32, count = 4): Promise<Row> => {
  const chance = chanceOf(seed)
  const ledger = new FrontLedger()
  const problems: Array<string> = []
  const drains: Array<number> = []
  const cut = { asked: 0, killed: 0 }
  let requests = 0
  const cluster = await startCluster(count)
  try {
    const { setting, nginx, ports, servers, start } = cluster
    const actors = await assemble(ledger, clients, () => setting.url)
    ledger.forget()
    for (let round = 1; round <= times; round++) {
      const going = round % 3 === 0 ? "killed" : "asked"
      const [server, port] = [servers[round % count], ports[round % count]]
      if (server === undefined || port === undefined) throw new Error("there is no such server")
      ledger.cut = []
      const load = startLoad(actors, chance, { untilDown: false })
      await pause(150 + chance() * 250)
      const began = performance.now()
      const { code, signal } = await server.end(going === "killed" ? "SIGKILL" : "SIGTERM")
      if (going === "asked") drains.push(performance.now() - began)
      if (going === "asked" && (code !== 0 || signal !== null)) problems.push(`stopped with ${code ?? signal}`)
      servers[round % count] = await start(port)
      // The next one is not touched before this one has its part of the load again.
      await takenUp(cluster, port)
      load.stop()
      await load.ended
      cut[going] += ledger.cut.length
      if (going === "asked" && ledger.cut.length > 0) problems.push(...ledger.cut.slice(0, 3), ...nginx.faults().slice(-3))
      requests += ledger.entries.length
      if (round % 6 === 0 || round === times) {
        await verifyAll(actors, { chance, replayed: 0.4, dead: 1 })
        say(`${round} restarts, ${JSON.stringify(cut)} cut, ${ledger.facts} facts looked at, ${ledger.breaches.length} breaches`)
      }
      ledger.forget()
    }
    problems.push(...(await unspread(cluster)))
  } finally {
    await cluster.end()
  }
  return {
    fault: "R13, PostgreSQL",
    done: `${count} servers behind nginx on one PostgreSQL, restarted in turn under ${clients} clients: SIGTERM, and every third kill -9`,
    times,
    lost: ledger.breaches.length,
    figures: {
      requests,
      "answers cut by SIGTERM": cut.asked,
      "by kill -9": cut.killed,
      "refused with 503": ledger.refused.length,
      "drain p50": milliseconds(quantile(drains, 0.5)),
      "spent twice": ledger.breaches.filter(({ rule }) => rule === "double").length,
      "facts looked at": ledger.facts,
    },
    problems: [...problems, ...breachesOf(ledger)],
  }
}

/** Waits until nginx sends requests to a server again. */
const takenUp = async ({ nginx }: Cluster, port: number): Promise<void> => {
  const before = nginx.passed().length
  for (let tries = 0; tries < 200; tries++) {
    await pause(100)
    const since = nginx.passed().slice(before)
    if (since.some(({ ports, status }) => status < 500 && ports.at(-1) === port)) return
  }
  throw new Error(`nginx sends nothing to the server on ${port}`)
}

/** Tells if some server got no part of the load. */
const unspread = async ({ nginx, ports }: Cluster): Promise<ReadonlyArray<string>> => {
  const met = new Set(nginx.passed().flatMap((each) => each.ports))
  return ports.filter((port) => !met.has(port)).map((port) => `the server on ${port} was asked nothing`)
}
