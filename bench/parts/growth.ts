import { closeSync, openSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Conversation } from "../load/conversation.ts"
import { measure, type Round } from "../load/run.ts"
import { cpuOf } from "../load/accounts.ts"
import type { GrowthResult } from "../results.ts"
import { issuing, oneToken } from "../scenarios/clientCredentials.ts"
import { refreshing, signedIn } from "../scenarios/people.ts"
import { each } from "../scenarios/scenario.ts"
import { introspecting } from "../scenarios/tokens.ts"
import type { Server } from "../servers/launch.ts"
import { postern } from "../servers/postern.ts"
import { type Ground, grounded, progress } from "./part.ts"
import { seed, type Seeded, withDatabase } from "./stored.ts"

/** Settings of the measurement. */
export interface GrowthOptions {
  /** Numbers of stored tokens, half of them access tokens, half refresh tokens with a grant each. */
  readonly sizes: ReadonlyArray<number>
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

/** Measures what operations cost with few and with many stored tokens; a Postern of each size is up, rounds go in turn. */
export const measureGrowth = ({ sizes, rounds, seconds, connections }: GrowthOptions): Promise<GrowthResult> =>
  grounded(async (ground) => {
    const grown = []
    for (const tokens of sizes) grown.push(await withTokens(ground, tokens, connections))
    const rows = grown.map(({ tokens, bytes }) => ({ tokens, bytes, measured: [] as Array<{ id: string; rounds: Array<Round> }> }))
    for (const id of ["issue", "introspect", "rotate"] as const)
      for (let round = 0; round <= rounds; round++)
        // The first to go changes each round, so that a machine that slows down or speeds up favors neither.
        for (const [at, { tokens, file, server, operations }] of round % 2 === 0 ? grown.entries() : [...grown.entries()].reverse()) {
          readThrough(file)
          const done = await measure({ places: [server], pids: server.pids, operations: operations[id], seconds })
          progress(`growth, ${tokens} tokens: ${id} ${round === 0 ? "(warming up)" : `round ${round}`}: ${done.cpu.toFixed(1)} µs`)
          if (round === 0) rows[at]?.measured.push({ id, rounds: [] })
          else rows[at]?.measured.at(-1)?.rounds.push(done)
        }
    return { rows }
  })

type Operations = ReadonlyArray<() => Conversation | undefined>

interface Grown {
  readonly tokens: number
  readonly file: string
  readonly bytes: number
  readonly server: Server
  readonly operations: Readonly<Record<"issue" | "introspect" | "rotate", Operations>>
}

const withTokens = async ({ folder, keep }: Ground, tokens: number, connections: number): Promise<Grown> => {
  const home = folder(`tokens-${tokens}`)
  const model = await keep(postern({ folder: home }))
  const { refreshToken } = (await signedIn(model, 0)).tokens
  const accessToken = await oneToken(model, "reference")
  await model.stop()
  progress(`growth: storing ${tokens} tokens`)
  const half = Math.floor(tokens / 2)
  const seeded = withDatabase(home, (database) =>
    seed(database, { accessToken, refreshToken, accessTokens: half, refreshTokens: half, keep: 2_592_000 }),
  )
  const file = join(home, "data", "postern.sqlite")
  const bytes = statSync(file).size
  const server = await keep(postern({ folder: home }))
  await settled(server)
  return { tokens, file, bytes, server, operations: operationsOn(server, seeded, half, connections) }
}

const operationsOn = (server: Server, seeded: Seeded, half: number, connections: number): Grown["operations"] => {
  // A stride that shares no factor with the number of tokens reaches each of them once, far from the one before.
  let drawn = 0
  const drawnAt = (): number => (drawn++ * 7_368_787) % half
  let chain = 0
  return {
    issue: each(connections, () => issuing(server, "reference", () => undefined)),
    introspect: each(connections, () => () => introspecting(server, seeded.accessToken(drawnAt()), true)()),
    rotate: each(connections, () => {
      // A chain starts at a stored token, and goes on as long as a person might be signed in for a day.
      let next: (() => Conversation) | undefined
      let left = 0
      return () => {
        if (next === undefined || (left-- === 0 && chain < half)) {
          next = refreshing(server, seeded.refreshToken((chain++ * 7_368_787) % half))
          left = 8
        }
        return next()
      }
    }),
  }
}

/** Has the system hold a file in memory, as it would if it had been in use all along: some systems soon let go of what nobody touches. */
const readThrough = (file: string): void => {
  const chunk = Buffer.allocUnsafe(1 << 20)
  const opened = openSync(file, "r")
  while (readSync(opened, chunk) > 0);
  closeSync(opened)
}

/** Waits until a started server has read its tables once, which its sweep does in the background. */
const settled = async (server: Server): Promise<void> => {
  // A slice of it every 50 ms is some milliseconds a second; a server with nothing to do takes less than two.
  for (let quiet = 0, tries = 0; quiet < 3 && tries < 900; tries++) {
    const before = cpuOf(server.pid)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    quiet = cpuOf(server.pid) - before < 2500 ? quiet + 1 : 0
  }
}
