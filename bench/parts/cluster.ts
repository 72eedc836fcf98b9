import { cpus } from "node:os"
import { openDatabase } from "@postern/adapter-postgres"
import { cpuOf, cpuOfEnded } from "../load/accounts.ts"
import type { Conversation } from "../load/conversation.ts"
import { measure, type Round } from "../load/run.ts"
import type { ClusterResult } from "../results.ts"
import { issuing } from "../scenarios/clientCredentials.ts"
import { refreshing, signedIn, signingIn } from "../scenarios/people.ts"
import type { Server } from "../servers/launch.ts"
import { type Postgres, postgres } from "../servers/postgres.ts"
import { postern } from "../servers/postern.ts"
import { share } from "../servers/share.ts"
import { type Ground, grounded, progress } from "./part.ts"

/** Settings of the measurement. */
export interface ClusterOptions {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

/** Share of a core that a process has on a machine with too few of them. */
const part = 0.2

/**
 * Two server processes on one PostgreSQL beside one. With four cores or more each process has one of its own, PostgreSQL the rest but the
 * load's. With fewer, each process is held to a fifth of a core: then two of them leave PostgreSQL and the load what they need, and what
 * keeps them from doing twice as much is what they share, the database.
 */
export const measureCluster = ({ rounds, seconds, connections }: ClusterOptions): Promise<ClusterResult> =>
  grounded(async (ground) => {
    const many = cpus().length >= 4
    progress("cluster: PostgreSQL starts")
    const database = await postgres(ground.folder("postgres"), many ? `3-${Math.max(3, cpus().length - 1)}` : "0-1")
    ground.atEnd(database.stop)
    const servers = await twoServers(ground, database.url, many)
    const both = Array.from({ length: connections }, (_, at) => servers[at % 2])
    const people = await Promise.all(both.map(async (server, at) => (server === undefined ? undefined : signedIn(server, at))))
    const kinds = [
      {
        id: "reference",
        title: "client_credentials, reference token",
        make: (server: Server) => issuing(server, "reference", () => undefined),
      },
      {
        id: "es256",
        title: "client_credentials, JWT ES256",
        make: (server: Server) => issuing(server, "es256", () => undefined),
      },
      {
        id: "refresh",
        title: "refresh rotation",
        make: (server: Server, at: number) => refreshing(server, people[at]?.tokens.refreshToken ?? ""),
      },
      { id: "signin", title: "full sign-in with consent, hashing excluded", make: signingIn },
    ]
    const asking = await openDatabase(database.url)
    ground.atEnd(async () => asking.close())
    const logged = async (): Promise<number> => {
      const [[bytes] = []] = await asking.read("measure", "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8")
      return Number(bytes)
    }
    const ready = kinds.map(({ make, ...kind }) => ({
      ...kind,
      operations: both.map((server, at) => (server === undefined ? () => undefined : make(server, at))),
    }))
    // Before they are held: a fifth of a core would take minutes to get warm.
    const pids = servers.map(({ pid }) => pid)
    for (const { id, operations } of ready) {
      const warm = await measure({ places: servers, pids, operations, seconds: seconds * 1.5 })
      progress(`cluster, ${id}: ${Math.round(warm.perSecond)}/s while getting warm`)
    }
    const shared = many || servers.every((server) => held(ground, server))
    const placing = many
      ? "each process on a core of its own"
      : shared
        ? `each process held to ${part * 100} % of a core`
        : "all on the same two cores, with nothing that keeps them apart"
    const scenarios = []
    for (const { id, title, operations } of ready)
      scenarios.push({ id, title, ...(await alternated({ id, servers, database, logged, operations, rounds, seconds })) })
    return { placing, scenarios }
  })

const twoServers = async ({ folder, keep }: Ground, data: string, many: boolean): Promise<ReadonlyArray<Server>> => {
  const first = await keep(postern({ name: "one", folder: folder("one"), data, unhashed: true }))
  const issuer = `http://127.0.0.1:${first.port}`
  return [first, await keep(postern({ name: "two", folder: folder("two"), data, issuer, unhashed: true, core: many ? 2 : 1 }))]
}

const held = ({ atEnd }: Ground, { pid, stop }: Server): boolean => {
  const given = share("postern-bench", pid, part)
  if (given === undefined) return false
  // A group can be removed once the process is gone.
  atEnd(async () => {
    await stop()
    given.release()
  })
  return true
}

interface Alternation {
  readonly id: string
  readonly servers: ReadonlyArray<Server>
  readonly database: Postgres
  readonly logged: () => Promise<number>
  readonly operations: ReadonlyArray<() => Conversation | undefined>
  readonly rounds: number
  readonly seconds: number
}

/** One process and two in turn, with as many connections for each process. */
const alternated = async ({ id, servers, database, logged: log, operations, rounds, seconds }: Alternation) => {
  const [one, two, partly]: [Array<Round>, Array<Round>, Array<Round>] = [[], [], []]
  const [costs, logged]: [Array<number>, Array<number>] = [[], []]
  const spent = (): number => {
    const [first = 0, ...rest] = database.pids()
    // A connection that ends in between takes its account along.
    return rest.reduce((sum, pid) => sum + cpuOf(pid), cpuOf(first) + cpuOfEnded(first))
  }
  const run = async (count: number, perSecond?: number): Promise<Round> => {
    const chosen = servers.slice(0, count)
    const mine = count === 1 ? operations.filter((_, at) => at % 2 === 0) : operations
    const [before, logBefore] = [spent(), await log()]
    const done = await measure({ places: chosen, pids: chosen.map(({ pid }) => pid), operations: mine, seconds, perSecond })
    if (perSecond !== undefined) {
      costs.push((spent() - before) / done.operations)
      logged.push(((await log()) - logBefore) / done.operations)
    }
    return done
  }
  for (let round = 0; round < rounds; round++) {
    const [alone, together] = [await run(1), await run(2)]
    progress(`cluster, ${id}: ${Math.round(alone.perSecond)}/s alone, ${Math.round(together.perSecond)}/s together`)
    one.push(alone)
    two.push(together)
    // As most of a deployment's day is: what a request costs when it comes alone.
    partly.push(await run(2, together.perSecond / 3))
  }
  return { one, two, part: partly, database: costs, logged }
}
