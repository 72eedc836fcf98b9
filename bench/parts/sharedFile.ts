import { measure, type Round } from "../load/run.ts"
import type { SharedFileResult } from "../results.ts"
import { refreshing, signedIn } from "../scenarios/people.ts"
import { eachInTurn } from "../scenarios/scenario.ts"
import type { Server } from "../servers/launch.ts"
import { peer } from "../servers/peer.ts"
import { postern } from "../servers/postern.ts"
import { type Ground, grounded, progress } from "./part.ts"

/** Settings of the measurement. */
export interface SharedFileOptions {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

/** Two processes on one SQLite file beside one, at the same number of connections: the cost of a refresh, which has to write. */
export const measureSharedFile = (options: SharedFileOptions): Promise<SharedFileResult> =>
  grounded(async (ground) => {
    const servers = []
    for (const { name, pair } of [
      { name: "Postern", pair: await posterns(ground) },
      { name: "oidc-provider", pair: await peers(ground) },
    ]) {
      const [one, two]: [Array<Round>, Array<Round>] = [[], []]
      const operations = await refreshes(pair, options.connections)
      for (let at = -1; at < options.rounds; at++)
        for (const [among, rounds] of [
          [pair.slice(0, 1), one],
          [pair, two],
        ] as const) {
          const done = await measure({ places: among, pids: among.flatMap(({ pids }) => pids), operations, seconds: options.seconds })
          // The first of each warms up.
          if (at >= 0) rounds.push(done)
          progress(`shared file: ${name}, ${among.length} processes: ${done.cpu.toFixed(0)} µs, ${Math.round(done.perSecond)}/s`)
        }
      servers.push({ server: name, one, two })
    }
    return { servers }
  })

const refreshes = ([first]: ReadonlyArray<Server>, connections: number) =>
  eachInTurn(connections, async (at) => {
    if (first === undefined) throw new Error("there is no server")
    return refreshing(first, (await signedIn(first, at)).tokens.refreshToken)
  })

const posterns = async ({ folder, keep }: Ground): Promise<ReadonlyArray<Server>> => {
  const first = await keep(postern({ folder: folder("one"), data: folder("shared") }))
  return [first, await keep(postern({ folder: folder("two"), data: folder("shared"), issuer: first.issuer }))]
}

const peers = async ({ folder, keep }: Ground): Promise<ReadonlyArray<Server>> => {
  const first = await keep(peer({ folder: folder("peer-one"), data: folder("peer-shared") }))
  return [first, await keep(peer({ folder: folder("peer-two"), data: folder("peer-shared"), issuer: first.issuer }))]
}
