import { openDatabase as openPostgres, postgresTokenStore } from "@postern/adapter-postgres"
import { sqliteTokenStore } from "@postern/adapter-sqlite"
import { toldLogout } from "@postern/core"
import { outbox, reviveMessage } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { quickSigner } from "../properties/quickWorld.ts"
import { authorize, redeem, signedIn } from "../support/flows.ts"
import { type LogoutRound, answering, logoutRound, waitingLogouts } from "../support/logouts.ts"
import { closing, postgresServer } from "../support/postgres.ts"
import { clients, type World, world } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"
import { temporaryDatabase, temporaryPath } from "./support.ts"

vi.setConfig({ testTimeout: 600_000 })

const server = postgresServer()

/** Each store, and the runs on it: 1,000 on each in the full tier, fewer on the one behind a socket in the standard tier. */
const stores: Readonly<Record<string, readonly [numRuns: number, open: () => Promise<TokenStorePort>]>> = {
  SQLite: [runs(1000, 50), async () => sqliteTokenStore(temporaryDatabase(temporaryPath()))],
  PostgreSQL: [runs(1000, 25), async () => postgresTokenStore(closing(await openPostgres(await (await server()).database())))],
}

const told = ["web", "other", "spa"] as const
type Told = (typeof told)[number]

/** Each attempt at a client: how it answers, and if the process dies before the outcome is written down. */
const attempt = fc.record({ status: fc.constantFrom(200, 204, 400, 404, 429, 500, 503, 0), dies: fc.boolean() })
type Attempt = typeof attempt extends fc.Arbitrary<infer A> ? A : never

const scenario = fc.record({
  clients: fc.subarray([...told], { minLength: 1 }),
  everywhere: fc.boolean(),
  attempts: fc.array(attempt, { maxLength: 40 }),
})

/** Signs alice in to clients, and out of them. */
const leave = async (w: World, used: ReadonlyArray<Told>, everywhere: boolean): Promise<void> => {
  const visitor = await signedIn(w)
  for (const id of used) {
    const { params } = await authorize(visitor, id)
    await redeem(w, params["code"] ?? "", id)
  }
  if (everywhere) await w.provider.signOut("sub-alice")
  else await visitor.submit((await visitor.get("/logout")).page)
}

class Died extends Error {}

describe.each(Object.entries(stores))("logout tokens in %s (OpenID Connect Back-Channel Logout §2.5)", (_, [numRuns, open]) => {
  it("every client of an ended session is told, refuses, or is given up and kept, however receivers answer and whenever the server dies", async () => {
    const tokens = await open()
    const metadata = clients.map((each) => ({
      ...each,
      ...(told.some((id) => id === each.client_id) ? { backchannel_logout_uri: `https://${each.client_id}.example/out` } : {}),
    }))
    await fc.assert(
      fc.asyncProperty(scenario, async ({ clients: used, everywhere, attempts }) => {
        const w = await world({ tokens, clients: metadata, signer: () => quickSigner })
        const deadBefore = (await tokens.list(outbox, "dead", {})).map(({ locator }) => locator)
        await leave(w, used, everywhere)
        const written = await waitingLogouts(w)
        expect(written.map((message) => toldLogout(message).clientId).toSorted()).toEqual([...used].toSorted())
        const delivered = new Map<string, number>()
        const refused = new Set<string>()
        const left: Array<Attempt> = [...attempts]
        // Each round makes an attempt at everything that is due; a process that dies leaves the rest of the round, and its claim, behind.
        for (let round = 0; (await waitingLogouts(w)).length > 0; round++) {
          expect(round).toBeLessThan(200)
          const dying = round % 2 === 0 && left.some(({ dies }) => dies)
          await logoutRound(w, (url) => {
            const { status, dies } = left.shift() ?? { status: 200, dies: false }
            const client = /\/\/(\w+)\./.exec(url)?.[1] ?? ""
            if (status === 200 || status === 204) delivered.set(client, (delivered.get(client) ?? 0) + 1)
            if (status === 400 || status === 404) refused.add(client)
            if (dies && dying) throw new Died("killed")
            return status === 0 ? { _tag: "Unfetched", reason: "no answer" } : answering(status)
          }).catch((error: unknown): LogoutRound => {
            if (!(error instanceof Died)) throw error
            return { sent: [], outcomes: [], audited: [] }
          })
          w.pass(3700)
        }
        const dead = (await tokens.list(outbox, "dead", {})).filter(({ locator }) => !deadBefore.includes(locator))
        for (const client of used) {
          const givenUp = dead.filter(({ payload }) => payload["client_id"] === client)
          // One of the three, and no more than one dead letter.
          expect(givenUp.length).toBeLessThanOrEqual(1)
          expect(delivered.has(client) || refused.has(client) || givenUp.length === 1, client).toBe(true)
          if (refused.has(client) && !delivered.has(client)) expect(givenUp).toHaveLength(1)
        }
        // Dead letters are swept in their own time; here they make room for the next run.
        for (const { locator } of dead) await tokens.commit([reviveMessage(locator, 0)])
        await logoutRound(w)
        expect(await waitingLogouts(w)).toEqual([])
      }),
      { numRuns },
    )
  })
})
