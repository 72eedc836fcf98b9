import { measure, type Round } from "../load/run.ts"
import type { Options } from "../options.ts"
import type { Results, ScenarioResult } from "../results.ts"
import type { Prepared, Scenario } from "../scenarios/scenario.ts"
import { floor } from "../servers/floor.ts"
import type { Server } from "../servers/launch.ts"
import { peer } from "../servers/peer.ts"
import { postern, type PosternOptions } from "../servers/postern.ts"
import { grounded, progress } from "./part.ts"

/** The servers that take part beside Postern. */
export interface Field {
  /** Where set, oidc-provider takes part. */
  readonly peer?: boolean
  /** Where set, the floor takes part. */
  readonly floor?: boolean
  /** The file of another bundle of the command, which takes part as `beside`. */
  readonly beside?: string | undefined
}

/** Measures scenarios at Postern and its field: all are up at once, rounds go in turn, one server at a time is under load. */
export const measureScenarios = (
  chosen: ReadonlyArray<Scenario>,
  options: Pick<Options, "rounds" | "seconds" | "warmup" | "connections">,
  field: Field = { peer: true, floor: true },
): Promise<Results["scenarios"]> =>
  grounded(async ({ folder, keep }) => {
    const ofCommand = async (own: Pick<PosternOptions, "name" | "file">, named: string): Promise<(scenario: Scenario) => Server> => {
      const hashed = await keep(postern({ ...own, folder: folder(named) }))
      const unhashed = chosen.some((scenario) => scenario.unhashed === true)
        ? await keep(postern({ ...own, folder: folder(`${named}-unhashed`), unhashed: true }))
        : hashed
      return (scenario) => (scenario.unhashed === true ? unhashed : hashed)
    }
    const ours = await ofCommand({}, "postern")
    const beside = field.beside === undefined ? undefined : await ofCommand({ name: "beside", file: field.beside }, "beside")
    const other = field.peer === true ? [await keep(peer({ folder: folder("peer") }))] : []
    const least = field.floor === true ? [await keep(floor({ folder: folder("floor") }))] : []
    const scenarios: Array<ScenarioResult> = []
    for (const scenario of chosen) {
      const servers = [ours(scenario), ...(beside === undefined ? [] : [beside(scenario)]), ...other, ...(scenario.floor ? least : [])]
      scenarios.push(await measured(scenario, servers, options))
    }
    return { seconds: options.seconds, connections: options.connections, scenarios }
  })

const measured = async (
  scenario: Scenario,
  servers: ReadonlyArray<Server>,
  { rounds, seconds, warmup, connections }: Pick<Options, "rounds" | "seconds" | "warmup" | "connections">,
): Promise<ScenarioResult> => {
  const { id, title, requests = 1, goal = {} } = scenario
  const entries = servers.map((server) => ({ server, ready: undefined as Prepared | undefined, last: 0, rounds: [] as Array<Round> }))
  const told = { id, title, requests, goal }
  try {
    for (const entry of entries) {
      progress(`${id}: ${entry.server.name} gets ready`)
      entry.ready = await scenario.prepare(entry.server, connections)
      entry.last = (await round(entry.server, entry.ready, 1500 * warmup, warmup)).perSecond
    }
    for (let at = 0; at < rounds; at++) {
      // Each server is the first of a round in its turn.
      for (const entry of [...entries.slice(at % entries.length), ...entries.slice(0, at % entries.length)]) {
        if (entry.ready === undefined) continue
        const done = await round(entry.server, entry.ready, entry.last * seconds * 1.4, seconds)
        entry.last = done.perSecond
        entry.rounds.push(done)
      }
      progress(
        `${id}: round ${at + 1} of ${rounds}: ${entries.map((entry) => `${entry.server.name} ${Math.round(entry.last)}/s`).join(", ")}`,
      )
    }
    return { ...told, measured: entries.map((entry) => ({ server: entry.server.name, rounds: entry.rounds })) }
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error)
    progress(`${id}: ended: ${failed}`)
    return { ...told, measured: [], failed }
  }
}

const round = async (server: Server, { operations, refill, examine }: Prepared, likely: number, seconds: number): Promise<Round> => {
  await refill?.(Math.ceil(likely))
  const done = await measure({ ports: [server.port], pids: [server.pid], operations, seconds })
  if (done.operations === 0) throw new Error(`${server.name} answered nothing`)
  await examine?.()
  return done
}
