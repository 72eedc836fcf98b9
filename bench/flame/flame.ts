import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { measure } from "../load/run.ts"
import { grounded, progress } from "../parts/part.ts"
import { allScenarios } from "../scenarios/all.ts"
import { postern } from "../servers/postern.ts"
import { flameGraph } from "./graph.ts"
import { type Profile, treeOf } from "./profile.ts"

const [warmup, seconds] = [3, 6]

/** Draws the scenarios whose graphs docs/performance.md shows. */
export const flames = async (connections: number): Promise<void> => {
  for (const id of ["reference", "es256", "rs256", "signin", "es256-part", "es256-connection", "refresh"]) await flame(id, connections)
}

/**
 * Runs Postern's sources, whose names say more than a bundle's, under the profiler of V8 with the load of one scenario, and draws where its threads' time goes once it is warm, as
 * `docs/performance-flame-SCENARIO.svg`.
 */
export const flame = (id: string, connections: number): Promise<void> =>
  grounded(async ({ folder, keep }) => {
    const scenario = allScenarios.find((each) => each.id === id)
    if (scenario === undefined) throw new Error(`there is no scenario ${id}: ${allScenarios.map((each) => each.id).join(", ")}`)
    const profiles = folder("profiles")
    const flags = ["--cpu-prof", `--cpu-prof-dir=${profiles}`, "--cpu-prof-interval=400"]
    const server = await keep(postern({ folder: folder("postern"), flags, fromSources: true, unhashed: scenario.setting === "unhashed" }))
    const { operations, refill } = await scenario.prepare(server, scenario.connections ?? connections)
    await refill?.(20_000)
    const { link, perSecond } = scenario
    const load = { places: [server], pids: server.pids, operations, link, perSecond: perSecond?.() }
    await measure({ ...load, seconds: warmup })
    // V8's profiler stamps by the same clock.
    const from = Number(process.hrtime.bigint() / 1000n)
    const done = await measure({ ...load, seconds })
    const until = Number(process.hrtime.bigint() / 1000n)
    await server.stop()
    // A file's name ends in the thread's number, a count and the kind.
    const read = readdirSync(profiles).map(
      (name) => ({ ...JSON.parse(readFileSync(join(profiles, name), "utf8")), thread: Number(name.split(".").at(-3)) }) as Profile,
    )
    const out = fileURLToPath(new URL(`../../docs/performance-flame-${id}.svg`, import.meta.url))
    const title = `${scenario.title}: ${done.cpu.toFixed(0)} µs of CPU for each operation, ${Math.round(done.perSecond).toLocaleString("en")}/s while profiled`
    writeFileSync(out, flameGraph(title, treeOf(read, from, until)))
    progress(`${out}: ${title}`)
  })
