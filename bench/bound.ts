import { fileURLToPath } from "node:url"
import { figure } from "./figures.ts"
import { measure, type Round } from "./load/run.ts"
import { grounded, progress } from "./parts/part.ts"
import { boundToKey } from "./scenarios/bound.ts"
import { clientCredentials } from "./scenarios/clientCredentials.ts"
import type { Scenario } from "./scenarios/scenario.ts"
import { pinSelf, type Server } from "./servers/launch.ts"
import { postern } from "./servers/postern.ts"

// CPU for an ES256 token that is bound to a key, beside one that is not: `node bench/bound.ts`. The goal is at most 1.35 times, with the
// verification of the proof counted apart: a second server is asked for the same and verifies no signature (`servers/unverified.mjs`), so
// what it saves is the cost of a verification amid everything else, which is more than in a loop of nothing else. Rounds go in turn.

const [rounds, seconds, connections] = [30, 0.4, 16]

/** A scenario at a server, with its rounds so far. */
interface Entry {
  readonly name: string
  readonly run: (seconds: number) => Promise<Round>
  readonly rounds: Array<number>
}

const entry = async (name: string, server: Server, scenario: Scenario): Promise<Entry> => {
  const { operations, refill, examine } = await scenario.prepare(server, connections)
  let last = 2_000
  const run = async (time: number): Promise<Round> => {
    await refill?.(Math.ceil(last * time * 1.4))
    const done = await measure({ places: [server], pids: server.pids, operations, seconds: time })
    await examine?.()
    last = done.perSecond
    return done
  }
  return { name, run, rounds: [] }
}

const [unbound] = clientCredentials.filter(({ id }) => id === "es256")
if (unbound === undefined) throw new Error("there is no scenario es256")
pinSelf(1)
await grounded(async ({ folder, keep }) => {
  const without = ["--import", fileURLToPath(new URL("servers/unverified.mjs", import.meta.url))]
  const server = await keep(postern({ folder: folder("usual") }))
  const unverified = await keep(postern({ folder: folder("unverified"), flags: without }))
  const [plain, bound, saved] = await Promise.all([
    entry("unbound", server, unbound),
    entry("bound by DPoP", server, boundToKey),
    entry("bound by DPoP, its proof not verified", unverified, boundToKey),
  ])
  const entries = [plain, bound, saved]
  for (const each of entries) await each.run(4)
  for (let at = 0; at < rounds; at++) {
    // Each is the first of a round in its turn.
    for (const each of [...entries.slice(at % 3), ...entries.slice(0, at % 3)]) each.rounds.push((await each.run(seconds)).cpu)
    progress(`round ${at + 1} of ${rounds}: ${entries.map((each) => (each.rounds.at(-1) ?? 0).toFixed(0)).join(", ")} µs`)
  }
  /** Median of the ratios, round by round, and the ratio of the rounds that were disturbed least. */
  const times = ({ rounds: own }: Entry): string => {
    const median = figure(own.map((cost, at) => cost / (plain.rounds[at] ?? Number.NaN))).median
    return `${median.toFixed(2)} times the unbound one, ${(quiet(own) / quiet(plain.rounds)).toFixed(2)} in the quiet rounds`
  }
  for (const each of entries) process.stdout.write(`${each.name}: ${figure(each.rounds).median.toFixed(1)} µs of CPU; ${times(each)}\n`)
  process.stdout.write("goal: 1.35 times, the proof not verified\n")
})

/** A tenth of the rounds cost less. */
function quiet(costs: ReadonlyArray<number>): number {
  return [...costs].sort((left, right) => left - right)[Math.floor(costs.length / 10)] ?? Number.NaN
}
