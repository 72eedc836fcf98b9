import { flame, flames } from "./flame/flame.ts"
import { profileMachine } from "./machine/profile.ts"
import { misused, options } from "./options.ts"
import { measureClients } from "./parts/clients.ts"
import { measureCluster } from "./parts/cluster.ts"
import { measureGrowth } from "./parts/growth.ts"
import { measureHalfLoad } from "./parts/halfLoad.ts"
import { measureHashing } from "./parts/hashing.ts"
import { progress } from "./parts/part.ts"
import { measureScenarios } from "./parts/scenarios.ts"
import { measureSharedFile } from "./parts/sharedFile.ts"
import { measureStartup } from "./parts/startup.ts"
import { measureWorkers } from "./parts/workers.ts"
import { conditionTables } from "./report/conditions.ts"
import { clusterTable, growthTable, halfLoadTable, machineLine, scenarioTables } from "./report/tables.ts"
import { machineTable, sharedFileTable, startupTable } from "./report/surroundings.ts"
import { workersTable } from "./report/workers.ts"
import { writePages } from "./report/pages.ts"
import { aboutNow, merged, type Results, store } from "./results.ts"
import { allScenarios, scenarios } from "./scenarios/all.ts"
import { conditions } from "./scenarios/conditions.ts"
import type { Scenario } from "./scenarios/scenario.ts"
import { pinSelf } from "./servers/launch.ts"
import { commandName } from "./servers/postern.ts"

// The benchmark: see docs/performance.md. Tables go to stdout, progress to stderr.
const asked = options(process.argv.slice(2))
const { quick, only, connections, rounds, write, sizes } = asked
const about = aboutNow(commandName)
const say = (text: string): void => void process.stdout.write(`${text}\n\n`)

interface Part {
  readonly id: string
  /** Names in it that `--only` may give. */
  readonly within: ReadonlyArray<string>
  readonly run: () => Promise<void>
}

const part = <Id extends keyof Results>(
  id: Id,
  measure: () => Promise<Results[Id]>,
  table: (results: Results[Id]) => string = () => "",
  within: ReadonlyArray<string> = [],
): Part => ({
  id,
  within,
  run: async () => {
    const results = await measure()
    if ("scenarios" in results && results.scenarios.some((each) => "failed" in each)) process.exitCode = 1
    say(table(results))
    if (write) store(id, about, results)
  },
})

/** Scenarios that `--only` names, or all of them where it names their part. */
const chosen = (id: "scenarios" | "conditions", all: ReadonlyArray<Scenario>, how = asked): Promise<Results[typeof id]> => {
  const wanted = all.filter((each) => only.length === 0 || only.includes(id) || only.includes(each.id))
  return measureScenarios(wanted, how).then((measured) => (wanted.length === all.length ? measured : merged(id, measured)))
}

const seconds = asked.seconds / 2
const ids = (of: ReadonlyArray<Scenario>): ReadonlyArray<string> => of.map(({ id }) => id)
const parts: ReadonlyArray<Part> = [
  part("machine", profileMachine, machineTable),
  part("scenarios", () => chosen("scenarios", scenarios), scenarioTables, ids(scenarios)),
  part("conditions", () => chosen("conditions", conditions, { ...asked, seconds }), conditionTables, ids(conditions)),
  part(
    "clients",
    () => measureClients({ count: quick ? 100 : 500, rounds: quick ? 1 : rounds, warmup: asked.warmup / 2, connections }),
    conditionTables,
  ),
  part("startup", () => measureStartup(quick ? 1 : 7, [5, 500, 5000]), startupTable),
  part("shared-file", () => measureSharedFile({ rounds, seconds, connections }), sharedFileTable),
  part("half-load", () => measureHalfLoad({ seconds: quick ? 4 : 12, connections, toSweep: quick ? 100_000 : 1_000_000 }), halfLoadTable),
  part("cluster", () => measureCluster({ rounds: quick ? 2 : rounds, seconds: quick ? 1 : 2, connections }), clusterTable),
  part("workers", () => measureWorkers({ rounds: quick ? 2 : rounds, seconds: quick ? 1 : 2, connections }), workersTable),
  part("hashing", measureHashing),
  part("growth", () => measureGrowth({ sizes, rounds, seconds: quick ? 1 : 3, connections }), growthTable),
]

/** Drawn where results are kept. */
const drawing = { id: "flame", run: () => flames(connections) }

const named = [...parts.flatMap(({ id, within }) => [...within, id]), drawing.id]
const unknown = only.find((each) => !named.includes(each))
if (unknown !== undefined) misused(`There is nothing called ${unknown} to measure. There are: ${named.join(", ")}.`)
const wanted = ({ id, within }: Part): boolean =>
  only.length === 0 ? !quick || id !== "growth" : [id, ...within].some((each) => only.includes(each))

pinSelf(1)
if (asked.flame !== undefined) {
  if (!allScenarios.some(({ id }) => id === asked.flame)) misused(`There is no scenario ${asked.flame}.`)
  await flame(asked.flame, connections)
} else {
  say(machineLine(about))
  for (const each of asked.profileMachine ? parts.slice(0, 1) : parts.filter(wanted)) await each.run()
  if (write) {
    if (only.length === 0 || only.includes(drawing.id)) await drawing.run()
    writePages()
    progress("docs/performance.md and docs/capacity.md are written anew")
  }
}
