import { integrityOf } from "./kill.ts"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf, startLoad, verifyAll } from "./load.ts"
import { pause, serveIn, type Serving } from "./process.ts"
import { breachesOf, milliseconds, quantile, type Row, type Run } from "./row.ts"
import { makeSetting } from "./setting.ts"
import { freePort } from "../support/server.ts"

/** R13: two servers on one database, each asked to stop in turn under load, and started again. */
export const restart = async ({ times, seed, say }: Run, clients = 32): Promise<Row> => {
  const chance = chanceOf(seed)
  const setting = await makeSetting()
  const ledger = new Ledger()
  const problems: Array<string> = []
  const drains: Array<number> = []
  let cut = 0
  let requests = 0
  let refused = 0
  try {
    const ports = [setting.port, await freePort()]
    const servers: Array<Serving> = []
    for (const port of ports) servers.push(await serveIn(setting, { port }))
    // A load balancer sends nothing new to a server that is about to stop; so does this one.
    const up = new Set(servers.map(({ url }) => url))
    let turn = 0
    const next = (): string => {
      const urls = [...up]
      return urls[turn++ % urls.length] ?? setting.url
    }
    const actors = await assemble(ledger, clients, next)
    ledger.forget()
    for (let round = 1; round <= times; round++) {
      const at = round % 2
      const [server, port] = [servers[at], ports[at]]
      if (server === undefined || port === undefined) throw new Error("there is no such server")
      const load = startLoad(actors, chance, { untilDown: false })
      await pause(150 + chance() * 250)
      up.delete(server.url)
      // Requests are in the kernel's hands first: nothing answers a connection that is opened after the end.
      await pause(5)
      const began = performance.now()
      const { code, signal } = await server.end("SIGTERM")
      drains.push(performance.now() - began)
      if (code !== 0 || signal !== null) problems.push(`stopped with ${code ?? signal}`)
      await pause(100)
      servers[at] = await serveIn(setting, { port })
      up.add(server.url)
      await pause(150)
      load.stop()
      await load.ended
      const none = ledger.entries.filter(({ status }) => status === undefined)
      cut += none.length
      for (const each of none.slice(0, 2)) problems.push(`${each.what}: ${each.none ?? ""}`)
      requests += ledger.entries.length
      refused += ledger.entries.filter(({ status }) => status === 503).length
      if (round % 5 === 0 || round === times) {
        await verifyAll(actors, { chance, replayed: 0.4, dead: 1 })
        const integrity = integrityOf(setting.database)
        if (integrity !== "ok") problems.push(`integrity_check says ${integrity}`)
        say(`${round} restarts, ${cut} answers cut, ${ledger.breaches.length} breaches`)
      }
      ledger.forget()
    }
    await Promise.all(servers.map((server) => server.end("SIGTERM")))
  } finally {
    setting.remove()
  }
  return {
    fault: "R13",
    done: `SIGTERM in turn to two servers on one database under ${clients} clients that use both, and a start each time; codes and tokens raced between them`,
    times,
    lost: ledger.breaches.length,
    figures: {
      requests,
      "answers cut": cut,
      "refused with 503": refused,
      "drain p50": milliseconds(quantile(drains, 0.5)),
      "drain at most": milliseconds(Math.max(...drains)),
      "spent twice": ledger.breaches.filter(({ rule }) => rule === "double").length,
      "facts looked at": ledger.facts,
    },
    problems: [...problems, ...breachesOf(ledger)],
  }
}
