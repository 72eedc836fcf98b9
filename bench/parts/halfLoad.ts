import { spawn } from "node:child_process"
import { once } from "node:events"
import type { Conversation } from "../load/conversation.ts"
import { hold, measure } from "../load/run.ts"
import type { HalfLoadResult } from "../results.ts"
import { issuing, oneToken } from "../scenarios/clientCredentials.ts"
import { refreshing, signedIn, signingIn } from "../scenarios/people.ts"
import { each } from "../scenarios/scenario.ts"
import { introspecting, userinfoOf } from "../scenarios/tokens.ts"
import { onCore, type Server } from "../servers/launch.ts"
import { postern, posternArgs } from "../servers/postern.ts"
import { grounded, progress } from "./part.ts"
import { expired, seed, withDatabase } from "./stored.ts"

/** Settings of the measurement. */
export interface HalfLoadOptions {
  readonly seconds: number
  readonly connections: number
  /** Number of expired tokens to sweep. */
  readonly toSweep: number
}

const burst = 16

/** So many times more connections carry half the load: what is due finds one that is free, as it would with people who do not know of each other. */
const spread = 3

/**
 * Measures answer times at half of the server's capacity, in a mixture of tokens, refreshes, introspection and userinfo: first undisturbed,
 * then, at the same rate, while it sweeps, its keys are rotated from another process, and sixteen people at once send their passwords, again and again.
 */
export const measureHalfLoad = ({ seconds, connections, toSweep }: HalfLoadOptions): Promise<HalfLoadResult> =>
  grounded(async ({ folder, keep }) => {
    const home = folder("postern")
    const first = await keep(postern({ folder: home }))
    const people = await Promise.all(each(connections * spread, (connection) => signedIn(first, connection)))
    const machine = await oneToken(first, "reference")
    const spare = (await signedIn(first, 0)).tokens
    const kinds = [
      () => issuing(first, "reference", () => undefined),
      (at: number) => refreshing(first, people[at]?.tokens.refreshToken ?? ""),
      () => introspecting(first, machine, true),
      (at: number) => userinfoOf(first, people[at]?.tokens.accessToken ?? ""),
    ]
    const all = each(connections * spread, (at): (() => Conversation) => (kinds[at % kinds.length] ?? issuingNothing)(at))
    const load = { places: [first], operations: all.slice(0, connections), seconds }
    const warmth = Math.max(1, seconds / 4)
    await measure({ ...load, pids: first.pids, seconds: warmth })
    const peak = await measure({ ...load, pids: first.pids, seconds: warmth })
    const half = { ...load, operations: all, perSecond: peak.perSecond / 2 }
    const quiet = await measure({ ...half, pids: first.pids })
    progress(`half load: ${Math.round(half.perSecond)}/s of ${Math.round(peak.perSecond)}/s, p99 ${quiet.p99.toFixed(1)} ms undisturbed`)
    await first.stop()

    progress(`half load: ${toSweep} expired tokens to sweep`)
    const model = { accessToken: machine, refreshToken: spare.refreshToken }
    withDatabase(home, (database) => seed(database, { ...model, accessTokens: toSweep, refreshTokens: 0, keep: -1 }))
    const server = await keep(postern({ folder: home, port: first.port }))
    // As warm as the first one was.
    for (let times = 0; times < 2; times++) {
      await measure({ ...load, pids: server.pids, seconds: warmth })
      await signInTogether(server)
    }
    const before = expired(home)
    const disturbing = disturb(server, home, seconds)
    const busy = await measure({ ...half, pids: server.pids })
    const disturbed = await disturbing
    const swept = before - expired(home)
    progress(`half load: p99 ${busy.p99.toFixed(1)} ms meanwhile; ${swept} rows swept, ${disturbed.verified} passwords verified`)
    return { peakPerSecond: peak.perSecond, quiet, busy, swept, ...disturbed }
  })

const issuingNothing = (): never => {
  throw new Error("no such kind of operation")
}

/** Sixteen people send their passwords at once. */
const signInTogether = async (server: Server): Promise<void> => {
  await Promise.all(each(burst, async (at) => hold(server, signingIn(server, 16 + at)())))
}

/** Rotates the keys once, and lets people sign in, sixteen at a time, every two seconds. */
const disturb = async (server: Server, home: string, seconds: number): Promise<{ readonly verified: number; readonly rotated: number }> => {
  const until = performance.now() + seconds * 1000
  const [command, args] = onCore(0, posternArgs(home, "keys", "rotate"))
  const rotation = spawn("/usr/bin/nice", [command, ...args], { stdio: ["ignore", "ignore", "inherit"] })
  const rotated = once(rotation, "exit").then(([code]) => (code === 0 ? 1 : 0))
  let verified = 0
  while (performance.now() < until - 1500) {
    await signInTogether(server)
    verified += burst
    await new Promise((resolve) => setTimeout(resolve, 1500))
  }
  return { verified, rotated: await rotated }
}
