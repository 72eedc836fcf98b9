import { fileURLToPath } from "node:url"
import { figure } from "./figures.ts"
import { measure, type Round } from "./load/run.ts"
import { grounded, progress } from "./parts/part.ts"
import { boundToKey, committingGrants } from "./scenarios/bound.ts"
import { clientCredentials } from "./scenarios/clientCredentials.ts"
import type { Scenario } from "./scenarios/scenario.ts"
import { pinSelf, type Server } from "./servers/launch.ts"
import { postern, usualClients } from "./servers/postern.ts"

// CPU for ES256 tokens that are bound to a key, beside those that are not: `node bench/bound.ts`. The goal is at most 1.35 times, with the
// verification of the proof counted apart: a second server is asked for the same and verifies no signature (`servers/unverified.mjs`), so
// what it saves is the cost of a verification amid everything else, which is more than in a loop of nothing else. Rounds go in turn.
// The first grant writes nothing unless its token is bound; the others commit in any case.

const [rounds, seconds, connections] = [40, 0.25, 16]

/** A scenario at a server, with the costs of its rounds so far. */
interface Entry {
  readonly name: string
  readonly run: (seconds: number) => Promise<Round>
  readonly costs: Array<number>
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
  return { name, run, costs: [] }
}

/** A tenth of the rounds cost less. */
const quiet = (costs: ReadonlyArray<number>): number =>
  [...costs].sort((left, right) => left - right)[Math.floor(costs.length / 10)] ?? Number.NaN

/** Median of the ratios, round by round, and the ratio of the rounds that were disturbed least. */
const rowOf = ({ name, costs }: Entry, unbound: Entry): string => {
  const times = figure(costs.map((cost, at) => cost / (unbound.costs[at] ?? Number.NaN))).median
  const cells = [
    figure(costs).median.toFixed(0),
    times.toFixed(2),
    quiet(costs).toFixed(0),
    (quiet(costs) / quiet(unbound.costs)).toFixed(2),
  ]
  return `| ${name} | ${cells.join(" | ")} |\n`
}

const [es256] = clientCredentials.filter(({ id }) => id === "es256")
if (es256 === undefined) throw new Error("there is no scenario es256")
const clients = usualClients.map((client) =>
  client.client_id === "web" ? { ...client, access_token_format: "jwt", access_token_signed_response_alg: "ES256" } : client,
)
pinSelf(1)
await grounded(async ({ folder, keep }) => {
  const without = ["--import", fileURLToPath(new URL("servers/unverified.mjs", import.meta.url))]
  const server = await keep(postern({ folder: folder("usual"), clients }))
  const unverified = await keep(postern({ folder: folder("unverified"), clients, flags: without }))
  const groups: Array<readonly [unbound: Entry, ...bound: ReadonlyArray<Entry>]> = []
  for (const [unbound, bound] of [[es256, boundToKey] as const, ...committingGrants])
    groups.push([
      await entry(unbound.title, server, unbound),
      await entry("the same, bound by DPoP", server, bound),
      await entry("the same, the signature of the proof not verified", unverified, bound),
    ])
  const entries = groups.flat()
  for (const { run } of entries) await run(3)
  for (let at = 0; at < rounds; at++) {
    // Each is the first of a round in its turn.
    const first = at % entries.length
    for (const { run, costs } of [...entries.slice(first), ...entries.slice(0, first)]) costs.push((await run(seconds)).cpu)
    progress(`round ${at + 1} of ${rounds}: ${entries.map(({ costs }) => (costs.at(-1) ?? 0).toFixed(0)).join(", ")} µs`)
  }
  process.stdout.write("| scenario | CPU µs | times | quiet rounds, µs | times |\n| --- | --: | --: | --: | --: |\n")
  for (const group of groups) for (const each of group) process.stdout.write(rowOf(each, group[0]))
  process.stdout.write("goal: 1.35 times, the proof not verified\n")
})
