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
import { flame } from "./flame/flame.ts"
import {
  clusterTable,
  conditionTables,
  growthTable,
  halfLoadTable,
  machineLine,
  scenarioTables,
  sharedFileTable,
  startupTable,
} from "./report/tables.ts"
import { writePages } from "./report/pages.ts"
import { aboutNow, type Results, store } from "./results.ts"
import { allScenarios, scenarios } from "./scenarios/all.ts"
import { conditions } from "./scenarios/conditions.ts"
import { pinSelf } from "./servers/launch.ts"
import { commandName } from "./servers/postern.ts"

// The benchmark: see docs/performance.md. Tables go to stdout, progress to stderr.
const asked = options(process.argv.slice(2))
const { quick, only, connections, rounds, write, sizes } = asked
const about = aboutNow(commandName)
const say = (text: string): void => void process.stdout.write(`${text}\n\n`)
let wrong = false

const keep = <Part extends keyof Results>(part: Part, results: Results[Part]): Results[Part] => {
  if (write) store(part, about, results)
  return results
}
const wanted = (part: string): boolean => only.length === 0 || only.includes(part)

const parts = [
  ...allScenarios.map(({ id }) => id),
  "conditions",
  "clients",
  "startup",
  "shared-file",
  "half-load",
  "cluster",
  "hashing",
  "growth",
  "flame",
]
const unknown = only.find((part) => !parts.includes(part))
if (unknown !== undefined) misused(`There is nothing called ${unknown} to measure. There are: ${parts.join(", ")}.`)

pinSelf(1)
if (asked.flame !== undefined) {
  await flame(asked.flame, connections)
} else {
  say(machineLine(about))
  const chosen = scenarios.filter(({ id }) => wanted(id))
  if (chosen.length > 0) {
    const measured = keep("scenarios", await measureScenarios(chosen, asked))
    wrong = measured.scenarios.some(({ failed }) => failed !== undefined)
    say(scenarioTables(measured))
  }
  const under = only.includes("conditions") ? conditions : conditions.filter(({ id }) => wanted(id))
  if (under.length > 0) {
    const measured = keep("conditions", await measureScenarios(under, { ...asked, seconds: asked.seconds / 2, warmup: asked.warmup / 2 }))
    wrong ||= measured.scenarios.some(({ failed }) => failed !== undefined)
    say(conditionTables(measured))
  }
  if (wanted("clients")) {
    const shape = { count: quick ? 100 : 500, rounds: quick ? 1 : rounds, warmup: asked.warmup / 3, connections }
    say(conditionTables(keep("clients", await measureClients(shape))))
  }
  if (wanted("startup")) say(startupTable(keep("startup", await measureStartup(quick ? 1 : 7, [5, 500, 5000]))))
  if (wanted("shared-file"))
    say(sharedFileTable(keep("shared-file", await measureSharedFile({ rounds, seconds: asked.seconds / 2, connections }))))
  if (wanted("half-load"))
    say(
      halfLoadTable(
        keep("half-load", await measureHalfLoad({ seconds: quick ? 4 : 12, connections, toSweep: quick ? 100_000 : 1_000_000 })),
      ),
    )
  if (wanted("cluster"))
    say(clusterTable(keep("cluster", await measureCluster({ rounds: quick ? 2 : rounds, seconds: quick ? 1 : 5, connections }))))
  if (wanted("hashing")) keep("hashing", await measureHashing())
  if (wanted("growth") && (!quick || only.includes("growth")))
    say(growthTable(keep("growth", await measureGrowth({ sizes, rounds, seconds: quick ? 1 : 3, connections }))))
  if (write) {
    if (wanted("flame")) for (const id of ["reference", "es256", "rs256", "signin"]) await flame(id, connections)
    writePages()
    progress("docs/performance.md and docs/capacity.md are written anew")
  }
}
process.exitCode = wrong ? 1 : 0
