import { childrenOf } from "../workers/serving.ts"
import { integrityOf } from "./kill.ts"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf, startLoad, verifyAll } from "./load.ts"
import { pause, serveIn, type Serving } from "./process.ts"
import { breachesOf, type Row, type Run } from "./row.ts"
import { makeSetting } from "./setting.ts"

const workers = 3

/** Counts the workers that a server has started again, from now on. */
const startedAgain = ({ child }: Serving): (() => number) => {
  let count = 0
  let rest = ""
  child.stdout?.on("data", (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString()}`.split("\n")
    rest = lines.pop() ?? ""
    count += lines.filter((line) => line.includes('"message":"worker started again"')).length
  })
  return () => count
}

/** Waits until a server has all of its workers, and each was told what to serve. */
const whole = async (server: Serving, started: () => number, revived: number): Promise<void> => {
  const began = performance.now()
  while (childrenOf(server.pid).length < workers || started() < revived) {
    if (performance.now() - began > 60_000) throw new Error(`a worker was not started again: ${server.output().slice(-2000)}`)
    await pause(20)
  }
}

/** Tells if any process of a list is left. */
const left = (pids: ReadonlyArray<number>): boolean =>
  pids.some((pid) => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  })

/**
 * R1: `kill -9` of a worker under load, while the others go on, and in every third of the main process, which writes for all of them; then
 * everything acknowledged is looked at.
 */
export const killWorkers = async ({ times, seed, say }: Run, clients = 48): Promise<Row> => {
  const chance = chanceOf(seed)
  const setting = await makeSetting({ workers })
  const ledger = new Ledger()
  const problems: Array<string> = []
  let [requests, unanswered, ofMain, revived] = [0, 0, 0, 0]
  try {
    let server = await serveIn(setting)
    let started = startedAgain(server)
    const actors = await assemble(ledger, clients, () => setting.url)
    for (let crash = 1; crash <= times; crash++) {
      const load = startLoad(actors, chance, { untilDown: false })
      await pause(100 + chance() * 900)
      const children = childrenOf(server.pid)
      if (crash % 3 === 0) {
        ofMain++
        load.stop()
        await server.end("SIGKILL")
        await load.ended
        for (let tries = 0; left(children); tries++) {
          if (tries > 500) throw new Error("a worker outlived its main process")
          await pause(20)
        }
        server = await serveIn(setting)
        started = startedAgain(server)
        revived = 0
      } else {
        const victim = children[Math.floor(chance() * children.length)]
        if (victim !== undefined) process.kill(victim, "SIGKILL")
        revived++
        await pause(300 + chance() * 300)
        load.stop()
        await load.ended
        await whole(server, started, revived)
      }
      requests += ledger.entries.length
      unanswered += ledger.entries.filter(({ status }) => status === undefined).length
      await verifyAll(actors, { chance, replayed: 0.4, dead: 1 })
      const integrity = integrityOf(setting.database)
      if (integrity !== "ok") problems.push(`crash ${crash}: integrity_check says ${integrity}`)
      ledger.forget()
      if (crash % 10 === 0 || crash === times)
        say(`${crash} kills, ${ofMain} of the main process, ${ledger.facts} facts looked at, ${ledger.breaches.length} breaches`)
    }
    const { code } = await server.end("SIGTERM")
    if (code !== 0) problems.push(`it ended with ${code}`)
  } finally {
    setting.remove()
  }
  return {
    fault: "R1",
    done: `kill -9 of one of ${workers} workers, and in every third of their main process, under ${clients} clients mixing code, refresh, device, revocation, consent and sign-out; then every fact looked at and integrity_check`,
    times,
    lost: ledger.breaches.length,
    figures: {
      "of the main process": ofMain,
      "requests before a kill": requests,
      unanswered,
      "facts looked at": ledger.facts,
      "spent twice": ledger.breaches.filter(({ rule }) => rule === "double").length,
    },
    problems: [...problems, ...breachesOf(ledger)],
  }
}
