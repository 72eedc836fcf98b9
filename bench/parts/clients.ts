import { measure, type Round } from "../load/run.ts"
import type { ScenarioResult, ScenarioResults } from "../results.ts"
import { issuing } from "../scenarios/clientCredentials.ts"
import { each } from "../scenarios/scenario.ts"
import { many, manyAt } from "../servers/clients.ts"
import type { Server } from "../servers/launch.ts"
import { peer } from "../servers/peer.ts"
import { postern, usualClients } from "../servers/postern.ts"
import { grounded, progress } from "./part.ts"

/** Settings of the measurement. */
export interface ClientsOptions {
  /** Number of clients that ask for a token each. */
  readonly count: number
  readonly rounds: number
  /** Seconds of tokens for one other client, after each start. */
  readonly warmup: number
  readonly connections: number
}

/**
 * A token of each of many clients, first when none of them has asked before, and then again. The server is started anew for each round, and is warm from one other
 * client's tokens: what is cold is what it knows of the clients.
 */
export const measureClients = ({ count, rounds, warmup, connections }: ClientsOptions): Promise<ScenarioResults> =>
  grounded(async ({ folder, keep }) => {
    const clients = [...usualClients, ...many(count)]
    const field = [
      { name: "Postern", start: postern, home: folder("postern") },
      { name: "oidc-provider", start: peer, home: folder("peer") },
    ].map((each) => ({ ...each, cold: [] as Array<Round>, warm: [] as Array<Round> }))
    // The first start writes the clients down, as it does once in the life of a deployment.
    for (const { start, home } of field) await (await keep(start({ folder: home, clients }))).stop()
    for (let at = 0; at < rounds; at++)
      for (const { name, start, home, cold, warm } of field) {
        const server = await keep(start({ folder: home, clients }))
        const usual = each(connections, () => issuing(server, "es256", () => undefined))
        await measure({ places: [server], pids: server.pids, operations: usual, seconds: warmup })
        const [first, again] = [await once(server, count, connections), await once(server, count, connections)]
        cold.push(first)
        warm.push(again)
        await server.stop()
        progress(
          `${count} clients: round ${at + 1} of ${rounds}: ${name} ${first.cpu.toFixed(0)} µs for a first token, ${again.cpu.toFixed(0)} for a second`,
        )
      }
    const result = (id: string, title: string, pick: (each: (typeof field)[number]) => ReadonlyArray<Round>): ScenarioResult => ({
      id,
      title: `${title} of each of ${count} clients, JWT ES256`,
      requests: 1,
      goal: { peerCpu: 2 },
      measured: field.map((each) => ({ server: each.name, rounds: pick(each) })),
    })
    const scenarios = [
      result("clients-cold", "first token", ({ cold }) => cold),
      result("clients-warm", "second token", ({ warm }) => warm),
    ]
    return { seconds: 0, connections, scenarios }
  })

/** Each client asks once. */
const once = (server: Server, count: number, connections: number): Promise<Round> => {
  let next = 0
  const operations = each(connections, () => () => (next < count ? issuing(server, manyAt(next++), () => undefined)() : undefined))
  return measure({ places: [server], pids: server.pids, operations, seconds: 600 })
}
