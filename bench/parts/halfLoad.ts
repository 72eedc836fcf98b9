import { spawn } from "node:child_process"
import { once } from "node:events"
import type { Conversation } from "../load/conversation.ts"
import { hold, measure } from "../load/run.ts"
import type { HalfLoadResult } from "../results.ts"
import { issuing, oneToken } from "../scenarios/clientCredentials.ts"
import { refreshing, signedIn, signingIn } from "../scenarios/people.ts"
import { each } from "../scenarios/scenario.ts"
import { introspecting, userinfoOf } from "../scenarios/tokens.ts"
import type { Server } from "../servers/launch.ts"
import { postern, posternArgs } from "../servers/postern.ts"
import { grounded, progress } from "./part.ts"
import { expired, seed, withDatabase } from "./stored.ts"

/** How it is measured. */
export interface HalfLoadOptions {
  readonly seconds: number
  readonly connections: number
  /** How many expired tokens there are to sweep. */
  readonly toSweep: number
}

const burst = 16

/**
 * How long answers take at half of what the server can do, in a mixture of tokens, refreshes, introspection and userinfo: first undisturbed,
 * then while it sweeps, its keys are rotated from another process, and sixteen people at once send their passwords, again and again.
 */
export const measureHalfLoad = ({ seconds, connections, toSweep }: HalfLoadOptions): Promise<HalfLoadResult> =>
  grounded(async ({ folder, keep }) => {
    const home = folder("postern")
    const first = await keep(postern({ folder: home }))
    const people = await Promise.all(each(connections, (connection) => signedIn(first, connection)))
    const machine = await oneToken(first, "reference")
    const model = { accessToken: machine, refreshToken: people[0]?.tokens.refreshToken ?? "" }
    await first.stop()
    progress(`half load: ${toSweep} expired tokens to sweep`)
    withDatabase(home, (database) => seed(database, { ...model, accessTokens: toSweep, refreshTokens: 0, keep: -1 }))

    const server = await keep(postern({ folder: home, port: first.port }))
    const kinds = [
      () => issuing(server, "reference", () => undefined),
      (at: number) => refreshing(server, people[at]?.tokens.refreshToken ?? ""),
      () => introspecting(server, machine, true),
      (at: number) => userinfoOf(server, people[at]?.tokens.accessToken ?? ""),
    ]
    const operations = each(connections, (at): (() => Conversation) => (kinds[at % kinds.length] ?? issuingNothing)(at))
    const load = { ports: [server.port], pids: [server.pid], operations }
    const peak = await measure({ ...load, seconds: Math.max(2, seconds / 4) })
    const half = { ...load, seconds, perSecond: peak.perSecond / 2 }
    progress(`half load: ${Math.round(peak.perSecond / 2)}/s of ${Math.round(peak.perSecond)}/s`)

    const before = expired(home)
    const disturbing = disturb(server, home, seconds)
    const busy = await measure(half)
    const disturbed = await disturbing
    const swept = before - expired(home)
    progress(`half load, busy: p99 ${busy.p99.toFixed(1)} ms; ${swept} rows swept, ${disturbed.verified} passwords verified`)
    await sweptAll(home)
    const quiet = await measure(half)
    progress(`half load, quiet: p99 ${quiet.p99.toFixed(1)} ms`)
    return { peakPerSecond: peak.perSecond, quiet, busy, swept, ...disturbed }
  })

const issuingNothing = (): never => {
  throw new Error("no such kind of operation")
}

/** Rotates the keys once, and lets people sign in, sixteen at a time, every two seconds. */
const disturb = async (server: Server, home: string, seconds: number): Promise<{ readonly verified: number; readonly rotated: number }> => {
  const until = performance.now() + seconds * 1000
  const args = [process.execPath, ...posternArgs(home, "keys", "rotate")]
  const rotation = spawn("/usr/bin/nice", args, { stdio: ["ignore", "ignore", "inherit"] })
  const rotated = once(rotation, "exit").then(([code]) => (code === 0 ? 1 : 0))
  let verified = 0
  while (performance.now() < until - 1500) {
    await Promise.all(each(burst, async (at) => hold(server.port, signingIn(server, 16 + at)())))
    verified += burst
    await new Promise((resolve) => setTimeout(resolve, 1500))
  }
  return { verified, rotated: await rotated }
}

const sweptAll = async (home: string): Promise<void> => {
  for (let tries = 0; tries < 120 && expired(home) > 0; tries++) await new Promise((resolve) => setTimeout(resolve, 500))
}
