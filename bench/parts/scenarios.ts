import { basename } from "node:path"
import { measure, type Round } from "../load/run.ts"
import type { Link } from "../load/wire.ts"
import type { Options } from "../options.ts"
import type { Results, ScenarioResult } from "../results.ts"
import type { Prepared, Scenario, Setting } from "../scenarios/scenario.ts"
import { floor } from "../servers/floor.ts"
import type { Server } from "../servers/launch.ts"
import { behindNginx, nginxInstalled } from "../servers/nginx.ts"
import { peer } from "../servers/peer.ts"
import { postern, type PosternOptions } from "../servers/postern.ts"
import { postgres } from "../servers/postgres.ts"
import { selfSigned } from "../servers/tls.ts"
import { type Ground, grounded, progress } from "./part.ts"

/** The servers that take part beside Postern. */
export interface Field {
  /** If set, oidc-provider takes part. */
  readonly peer?: boolean
  /** If set, the floor takes part. */
  readonly floor?: boolean
  /** The file of another bundle of the command, which takes part as `beside`. */
  readonly beside?: string | undefined
  /** If set, each Postern is on a PostgreSQL of its own, so that the CPU of both can be told apart. */
  readonly postgres?: boolean
}

/** Options of a measurement. */
export type Measuring = Pick<Options, "rounds" | "seconds" | "warmup" | "connections"> & {
  /** Number of operations that warm each server at least; none when not given. */
  readonly warmOperations?: number
}

type Started = (setting: Setting | undefined) => Promise<Server>

/** Measures scenarios at Postern and its field: all that a scenario needs are up at once, rounds go in turn, one server at a time is under load. */
export const measureScenarios = (
  chosen: ReadonlyArray<Scenario>,
  options: Measuring,
  field: Field = { peer: true, floor: true },
): Promise<Results["scenarios"]> =>
  grounded(async (ground) => {
    const command =
      (own: Pick<PosternOptions, "name" | "file">): Start =>
      async (options) => {
        if (field.postgres !== true) return postern({ ...own, ...options })
        const database = await postgres(ground.folder(`${basename(options.folder)}-postgres`), "0-1")
        ground.atEnd(database.stop)
        return { ...(await postern({ ...own, ...options, data: database.url })), database: database.pids }
      }
    const { beside: file } = field
    const ours = inSettings(ground, "postern", command({}))
    const beside = file === undefined ? [] : [inSettings(ground, "beside", command({ name: "beside", file }))]
    // It hashes nothing in any setting.
    const other =
      field.peer === true
        ? [inSettings(ground, "peer", ({ unhashed: _unhashed, certificates: _certificates, ...options }) => peer(options))]
        : []
    const least = field.floor === true ? await ground.keep(floor({ folder: ground.folder("floor") })) : undefined
    const scenarios: Array<ScenarioResult> = []
    for (const scenario of chosen) {
      if (scenario.setting === "nginx" && !nginxInstalled) {
        progress(`${scenario.id}: left out, since there is no nginx here`)
        continue
      }
      const servers = []
      // The peer takes no certificate from a header.
      const others = scenario.setting === "certificates" ? [] : other
      for (const start of [ours, ...beside, ...others]) servers.push(await start(scenario.setting))
      scenarios.push(await measured(scenario, [...servers, ...(scenario.floor && least !== undefined ? [least] : [])], options))
    }
    return { seconds: options.seconds, connections: options.connections, scenarios }
  })

type Start = (options: Pick<PosternOptions, "folder" | "issuer" | "tls" | "unhashed" | "certificates">) => Promise<Server>

/** Starts a server in each setting when a scenario first asks for it. */
const inSettings = ({ folder, keep }: Ground, name: string, start: Start): Started => {
  const running = new Map<string, Promise<Server>>()
  const started: Started = (setting) => {
    const home = folder(`${name}-${setting ?? "usual"}`)
    if (setting === "tls") return start({ folder: home, tls: selfSigned(home) })
    if (setting === "nginx") return behindNginx(home, selfSigned(home), (issuer) => start({ folder: home, issuer }))
    return start({ folder: home, unhashed: setting === "unhashed", certificates: setting === "certificates" })
  }
  return (setting) => {
    const key = setting ?? "usual"
    const server = running.get(key) ?? keep(started(setting))
    running.set(key, server)
    return server
  }
}

const measured = async (
  scenario: Scenario,
  servers: ReadonlyArray<Server>,
  { rounds, seconds, warmup, warmOperations = 0, connections: usually }: Measuring,
): Promise<ScenarioResult> => {
  const { id, title, requests = 1, goal = {}, connections = usually } = scenario
  const way = { link: scenario.link, perSecond: scenario.perSecond?.() }
  const entries = servers.map((server) => ({ server, ready: undefined as Prepared | undefined, last: 0, rounds: [] as Array<Round> }))
  const told = { id, title, requests, goal }
  try {
    for (const entry of entries) {
      progress(`${id}: ${entry.server.name} gets ready`)
      entry.ready = await scenario.prepare(entry.server, connections)
      // At full load, also before part of it: a server of a deployment has compiled what it runs long ago.
      let warmed = 0
      do {
        const done = await round(
          { ...entry, ready: entry.ready, ...way, perSecond: undefined },
          Math.max(1500, entry.last) * warmup * 1.4,
          warmup,
        )
        entry.last = done.perSecond
        warmed += done.operations
      } while (warmed < warmOperations)
    }
    for (let at = 0; at < rounds; at++) {
      // Each server is the first of a round in its turn.
      for (const entry of [...entries.slice(at % entries.length), ...entries.slice(0, at % entries.length)]) {
        if (entry.ready === undefined) continue
        const done = await round({ ...entry, ready: entry.ready, ...way }, entry.last * seconds * 1.4, seconds)
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

interface Running {
  readonly server: Server
  readonly ready: Prepared
  readonly link: Link | undefined
  readonly perSecond: number | undefined
}

const round = async ({ server, ready, link, perSecond }: Running, likely: number, seconds: number): Promise<Round> => {
  const { operations, refill, examine } = ready
  await refill?.(Math.ceil(likely))
  const done = await measure({ places: [server], pids: server.pids, database: server.database, operations, seconds, link, perSecond })
  if (done.operations === 0) throw new Error(`${server.name} answered nothing`)
  await examine?.()
  return done
}
