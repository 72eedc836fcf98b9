import { parseArgs } from "node:util"
import { cpu, figureOf, ratioOf } from "./figures.ts"
import type { Round } from "./load/run.ts"
import type { ScenarioResult } from "./results.ts"
import { measureScenarios } from "./parts/scenarios.ts"
import { allScenarios } from "./scenarios/all.ts"
import { pinSelf } from "./servers/launch.ts"

// CPU for an operation of these sources beside that of another bundle of the command, round by round on the same core. Shows the cost of a
// change, or the gain of a trick with a bundle that goes without it: `node bench/beside.ts OTHER/main.js reference refresh --rounds 100`.
// With `--postgres` each bundle serves from a PostgreSQL of its own, whose CPU for an operation is told too.
// `node -p 'import("./scripts/command.mjs").then((c) => console.log(c.command(process.execPath)))'` bundles a checkout and prints the file.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "100" },
    seconds: { type: "string", default: "0.25" },
    connections: { type: "string", default: "16" },
    postgres: { type: "boolean", default: false },
  },
})
const [beside, ...only] = positionals

/** A tenth of the rounds cost less: on a busy machine they are disturbed least. */
const quietOf = ({ measured: all }: ScenarioResult, server: string, pick: (round: Round) => number = cpu): number => {
  const sorted = (all.find((each) => each.server === server)?.rounds ?? []).map(pick).sort((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 10)] ?? Number.NaN
}

pinSelf(1)
const chosen = allScenarios.filter(({ id }) => only.includes(id))
const options = { rounds: Number(values.rounds), seconds: Number(values.seconds), warmup: 2, connections: Number(values.connections) }
const measured = await measureScenarios(chosen, options, { beside, postgres: values.postgres })
for (const result of measured.scenarios) {
  const ratio = ratioOf(result, "Postern", "beside", cpu)
  if (ratio === undefined) throw new Error(`${result.id}: ${result.failed ?? "not measured"}`)
  const quiet = quietOf(result, "Postern") / quietOf(result, "beside")
  const [memory, others] = ["Postern", "beside"].map((server) => figureOf(result, server, (round) => round.memory)?.median.toFixed(0))
  process.stdout.write(
    `${result.id}: ${ratio.median.toFixed(3)} times the CPU of the other bundle, ${quiet.toFixed(3)} in its quiet rounds; ${memory} MB against ${others}\n`,
  )
  if (!values.postgres) continue
  const behind = (round: Round): number => round.database ?? Number.NaN
  const shown = (pick: (round: Round) => number): string =>
    ["Postern", "beside"].map((server) => `${quietOf(result, server, pick).toFixed(0)} µs`).join(" against ")
  const stored = ratioOf(result, "Postern", "beside", behind)?.median.toFixed(3)
  process.stdout.write(`${result.id}: ${shown(cpu)}; the database ${stored} times, ${shown(behind)}\n`)
}
