import { readFileSync } from "node:fs"
import { cpus } from "node:os"
import { measure, type Round } from "../load/run.ts"
import type { WorkersResult } from "../results.ts"
import { scenarios as all } from "../scenarios/all.ts"
import type { Server } from "../servers/launch.ts"
import { postern } from "../servers/postern.ts"
import { share } from "../servers/share.ts"
import { type Ground, grounded, progress } from "./part.ts"

/** Settings of the measurement. */
export interface WorkersOptions {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

/** Share of a core that a process has on a machine with too few of them. */
const part = 0.2

/** Scenarios that scale with the cores, and those that share a writer. */
const measuredIds = ["discovery", "es256", "userinfo", "introspection", "reference", "refresh"]

/** A server under measurement, of one process or several. */
interface Kind {
  readonly id: keyof WorkersResult["scenarios"][number]["rounds"]
  /** Addresses that its connections go to, in turn. */
  readonly servers: ReadonlyArray<Server>
  readonly pids: ReadonlyArray<number>
}

/**
 * A server of one process, one of two workers, and two servers of one process on one database file, all on SQLite. With four cores or more
 * they have as many as they like but the load's. With fewer, each process is held to a fifth of a core, the workers' main process
 * too, so that the load gets what it needs: what keeps two from doing twice as much is what they share.
 */
export const measureWorkers = ({ rounds, seconds, connections }: WorkersOptions): Promise<WorkersResult> =>
  grounded(async (ground) => {
    const many = cpus().length >= 4
    const kinds = await started(ground, many)
    const chosen = all.filter(({ id }) => measuredIds.includes(id))
    const ready: Array<{ readonly id: string; readonly title: string; readonly run: (kind: Kind) => Promise<Round> }> = []
    for (const { id, title, prepare } of chosen) {
      const operations = new Map<Kind, ReadonlyArray<Awaited<ReturnType<typeof prepare>>["operations"][number]>>()
      for (const kind of kinds) {
        const each = await Promise.all(kind.servers.map((server) => prepare(server, connections)))
        const mixed = Array.from({ length: connections }, (_, at) => each[at % each.length]?.operations[at] ?? (() => undefined))
        operations.set(kind, mixed)
        const warm = await measure({ places: kind.servers, pids: kind.pids, operations: mixed, seconds: seconds * 1.5 })
        progress(`workers, ${id}, ${kind.id}: ${Math.round(warm.perSecond)}/s while getting warm`)
      }
      const run = (kind: Kind) => measure({ places: kind.servers, pids: kind.pids, operations: operations.get(kind) ?? [], seconds })
      ready.push({ id, title, run })
    }
    // Before they are held: a fifth of a core would take minutes to get warm.
    const isHeld = many || kinds.every(({ pids }) => pids.every((pid) => held(ground, pid)))
    const scenarios = []
    for (const { id, title, run } of ready) {
      const measured: Record<Kind["id"], Array<Round>> = { one: [], workers: [], pair: [] }
      for (let round = 0; round < rounds; round++)
        for (const at of kinds.keys()) {
          const kind = kinds[(at + round) % kinds.length]
          if (kind !== undefined) measured[kind.id].push(await run(kind))
        }
      const at = (kind: Kind["id"]): string =>
        `${kind} ${measured[kind].map(({ perSecond, cpu }) => `${Math.round(perSecond)}/s ${Math.round(cpu)} µs`).join(", ")}`
      progress(`workers, ${id}: ${kinds.map((kind) => at(kind.id)).join("; ")}`)
      scenarios.push({ id, title, rounds: measured })
    }
    return {
      placing: many
        ? "as many cores as they like"
        : isHeld
          ? `each process held to ${part * 100} % of a core`
          : "all on the same two cores",
      scenarios,
    }
  })

const started = async ({ folder, keep }: Ground, many: boolean): Promise<ReadonlyArray<Kind>> => {
  const last = cpus().length - 1
  const [one, two] = many ? [`2-${last}`, `2-${last}`] : ["0-1", "0-1"]
  const single = await keep(postern({ name: "one", folder: folder("single"), core: one, unhashed: true }))
  const workers = await keep(postern({ name: "workers", folder: folder("workers"), core: two, workers: 2, unhashed: true }))
  const first = await keep(postern({ name: "first", folder: folder("pair"), core: one, unhashed: true }))
  const data = `${folder("pair")}/data`
  const second = await keep(
    postern({ name: "second", folder: folder("pair-2"), core: one, data, issuer: `http://127.0.0.1:${first.port}`, unhashed: true }),
  )
  return [
    { id: "one", servers: [single], pids: [single.pid] },
    { id: "workers", servers: [workers], pids: [workers.pid, ...childrenOf(workers.pid)] },
    { id: "pair", servers: [first, second], pids: [first.pid, second.pid] },
  ]
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number)

const held = ({ atEnd }: Ground, pid: number): boolean => {
  const given = share("postern-bench", pid, part)
  if (given === undefined) return false
  // A group can be removed once its process is gone, and that is when the servers have stopped.
  atEnd(async () => {
    for (let tries = 0; tries < 100; tries++) {
      try {
        return given.release()
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  })
  return true
}
