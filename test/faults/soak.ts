import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import Sqlite from "better-sqlite3"
import { basic } from "./actor.ts"
import { integrityOf } from "./kill.ts"
import { Ledger } from "./ledger.ts"
import { Line, formPost } from "./lines.ts"
import { assemble, chanceOf, startLoad, verifyAll } from "./load.ts"
import { pause, serveIn } from "./process.ts"
import { breachesOf, type Row, type Run } from "./row.ts"
import { machine, makeSetting } from "./setting.ts"

/** State of a server at a moment. */
export interface Sample {
  /** Hours since it started. */
  readonly at: number
  /** Mebibytes of memory. */
  readonly memory: number
  readonly files: number
  /** Mebibytes of the log and of the database. */
  readonly log: number
  readonly database: number
  /** Seconds for which the row that is most overdue has been. */
  readonly overdue: number
}

const mebibytes = (bytes: number): number => bytes / 1024 / 1024
const sizeOf = (path: string): number => (existsSync(path) ? mebibytes(statSync(path).size) : 0)
const memoryOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

/** Computes the growth of values in percent of their mean in an hour, by the straight line that fits them best. */
export const slopeOf = (samples: ReadonlyArray<Sample>, value: (sample: Sample) => number): number => {
  const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length)
  const [x, y] = [mean(samples.map(({ at }) => at)), mean(samples.map(value))]
  const above = samples.reduce((sum, sample) => sum + (sample.at - x) * (value(sample) - y), 0)
  const below = samples.reduce((sum, sample) => sum + (sample.at - x) ** 2, 0)
  return below === 0 || y === 0 ? 0 : (above / below / y) * 100
}

const swept = ["access_tokens", "refresh_tokens", "codes", "interactions", "devices", "sessions", "grants"]

const overdueIn = (path: string): number => {
  const database = new Sqlite(path, { readonly: true, timeout: 5_000 })
  try {
    const firsts = swept.map(
      (table) => database.prepare<[], number | null>(`SELECT min(keep_until) FROM ${table}`).pluck().get() ?? Infinity,
    )
    return Math.max(0, Math.floor(Date.now() / 1000) - Math.min(...firsts))
  } finally {
    database.close()
  }
}

const ask = formPost("/connect/token", { grant_type: "client_credentials" }, { Authorization: basic(machine.id, machine.secret) })

/** Asks for so many tokens a second until told to stop; how many there were. */
const steadily = (port: number, perSecond: number): { readonly stop: () => Promise<number> } => {
  let going = true
  let got = 0
  const began = performance.now()
  const lines = Array.from({ length: 8 }, async () => {
    const line = new Line(port)
    for (let asked = 0; going; asked++) {
      const early = (asked * 8 * 1000) / perSecond - (performance.now() - began)
      if (early > 0) await pause(Math.min(early, 1000))
      if (going && (await line.ask(ask)).status === 200) got++
    }
    line.end()
  })
  return {
    stop: async () => {
      going = false
      await Promise.all(lines)
      return got
    },
  }
}

/** So much of the run, and no more minutes than that, belongs to the warm-up. */
const warmUp = { share: 0.25, minutes: 20 }

/** From this many minutes on a slope says something. */
const sloped = 30

/** R11: served for so many minutes, with everything short-lived. */
export const soak = async ({ times: minutes, seed, say, rate = 150 }: Run, clients = 8): Promise<Row> => {
  const chance = chanceOf(seed)
  // Tokens live for a minute or two, so that those that expire keep up with those that come.
  const setting = await makeSetting({
    lifetimes: {
      access_token_lifetime: 60,
      refresh_token_sliding_lifetime: 120,
      refresh_token_absolute_lifetime: 300,
      interaction_lifetime: 60,
    },
    log: { level: "warn" },
  })
  const ledger = new Ledger()
  const samples: Array<Sample> = []
  const problems: Array<string> = []
  let tokens = 0
  try {
    const server = await serveIn(setting)
    const actors = await assemble(ledger, clients, () => setting.url)
    const began = performance.now()
    const hours = (): number => (performance.now() - began) / 3_600_000
    const end = minutes / 60
    while (hours() < end && server.child.exitCode === null) {
      // Facts are looked at before they expire; what has expired is nobody's promise.
      const load = startLoad(actors, chance, { untilDown: false })
      const machines = steadily(setting.port, rate)
      await pause(Math.min(20_000, Math.max(0, (end - hours()) * 3_600_000)))
      load.stop()
      tokens += await machines.stop()
      await load.ended
      await verifyAll(actors, { chance, replayed: 0.4, dead: 1 })
      tokens += ledger.entries.filter(({ what, status }) => (what === "redeem" || what === "refresh") && status === 200).length
      for (const actor of actors) {
        actor.chains = []
        actor.sessions = []
      }
      ledger.forget()
      samples.push({
        at: hours(),
        memory: memoryOf(server.pid),
        files: readdirSync(`/proc/${server.pid}/fd`).length,
        log: sizeOf(`${setting.database}-wal`),
        database: sizeOf(setting.database),
        overdue: overdueIn(setting.database),
      })
      const last = samples.at(-1)
      if (samples.length % 6 === 1 && last !== undefined)
        say(
          `${Math.round(last.at * 60)} min: ${tokens} tokens, ${Math.round(last.memory)} MiB, ${last.files} files, log ${last.log.toFixed(1)} MiB, database ${last.database.toFixed(1)} MiB, overdue for ${last.overdue} s`,
        )
    }
    if (server.child.exitCode !== null) problems.push("the server is gone")
    await server.end("SIGTERM")
    const integrity = integrityOf(setting.database)
    if (integrity !== "ok") problems.push(`integrity_check says ${integrity}`)
  } finally {
    setting.remove()
  }
  const from = Math.min(minutes * warmUp.share, warmUp.minutes) / 60
  const warm = samples.filter(({ at }) => at >= from)
  const most = (value: (sample: Sample) => number, of = samples): number => Math.max(0, ...of.map(value))
  const memorySlope = slopeOf(warm, ({ memory }) => memory)
  const [early, late] = [warm.slice(0, Math.ceil(warm.length / 3)), warm.slice(-Math.ceil(warm.length / 3))]
  if (minutes >= sloped && memorySlope > 5) problems.push(`memory grows by ${memorySlope.toFixed(1)} % an hour`)
  if (minutes >= sloped && most(({ files }) => files, late) > most(({ files }) => files, early) + 8) problems.push("open files grow")
  if (most(({ log }) => log) > 64) problems.push(`the log reached ${most(({ log }) => log).toFixed(1)} MiB`)
  if (most(({ overdue }) => overdue) > 600) problems.push(`a row was overdue for ${most(({ overdue }) => overdue)} s`)
  return {
    fault: "R11",
    done: `served for ${minutes} minutes: ${clients} clients mixing everything, ${rate} tokens a second beside them, all of it expiring within minutes`,
    times: tokens,
    lost: ledger.breaches.length,
    figures: {
      "memory at the end": `${Math.round(samples.at(-1)?.memory ?? 0)} MiB`,
      "its slope": minutes >= sloped ? `${memorySlope.toFixed(1)} % an hour` : "not told of so short a run",
      "open files": `${most(({ files }) => files, early)} to ${most(({ files }) => files, late)}`,
      "log at most": `${most(({ log }) => log).toFixed(1)} MiB`,
      "database at most": `${most(({ database }) => database).toFixed(1)} MiB`,
      "overdue at most": `${most(({ overdue }) => overdue)} s`,
      "facts looked at": ledger.facts,
    },
    problems: [...problems, ...breachesOf(ledger)],
  }
}
