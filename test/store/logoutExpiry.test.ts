import { openDatabase as openPostgres, postgresTokenStore } from "@postern/adapter-postgres"
import { sqliteTokenStore } from "@postern/adapter-sqlite"
import { logoutMessage, toldLogout } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import { type Command, type Instant, type OutboxMessage, outbox, rowPut } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { quickSigner } from "../properties/quickWorld.ts"
import { authorize, claimsOf, redeem, signInAgain, signedIn } from "../support/flows.ts"
import { logoutRound, waitingLogouts } from "../support/logouts.ts"
import { closing, postgresServer } from "../support/postgres.ts"
import { beginning, clients, type World, world } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"
import { temporaryDatabase, temporaryPath } from "./support.ts"

vi.setConfig({ testTimeout: 600_000 })

const server = postgresServer()

type Swept = TokenStorePort & { readonly sweep: (now: Instant) => { readonly more: boolean } | Promise<{ readonly more: boolean }> }

/**
 * Each store twice, as two processes have it: both look for sessions that ended, and both sweep. What is looked for is the core's; that each store comes to the rows of the one in memory
 * is tried by models of their own, so that the one behind a socket has a quarter of the runs.
 */
const stores: Readonly<Record<string, readonly [numRuns: number, open: () => Promise<readonly [Swept, Swept]>]>> = {
  memory: [
    runs(1000),
    async () => {
      const one = memoryTokenStore()
      return [one, one]
    },
  ],
  SQLite: [
    runs(1000, 50),
    async () => {
      const path = temporaryPath()
      return [sqliteTokenStore(temporaryDatabase(path)), sqliteTokenStore(temporaryDatabase(path))]
    },
  ],
  PostgreSQL: [
    runs(250),
    async () => {
      const url = await (await server()).database()
      return [postgresTokenStore(closing(await openPostgres(url))), postgresTokenStore(closing(await openPostgres(url)))]
    },
  ],
}

const told = ["web", "other", "spa"] as const

const lifetime = 36_000

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Use" as const), browser: fc.nat(1), client: fc.constantFrom(...told) }) },
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("Pass" as const), seconds: fc.constantFrom(60, 4000, 20_000, lifetime) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Leave" as const), browser: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("SignIn" as const), browser: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Sweep" as const), store: fc.nat(1) }) },
  // A look that dies has done its commit, or not, and settles nothing.
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Look" as const), workers: fc.integer({ min: 1, max: 3 }), dies: fc.boolean() }) },
)

class Died extends Error {}

describe.each(Object.entries(stores))(
  "sessions that run out, in %s (OpenID Connect Back-Channel Logout §2.5, reference B-10)",
  (_, [numRuns, open]) => {
    it("each client of each session is told exactly once of its end, by sign-out or by time, however many look, sweep or die", async () => {
      const [one, other] = await open()
      const metadata = clients.map((each) => ({
        ...each,
        ...(told.some((id) => id === each.client_id) ? { backchannel_logout_uri: `https://${each.client_id}.example/out` } : {}),
      }))
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          // The clock of each run begins anew: tries at passwords that were counted in the future would keep people out.
          while ((await one.sweep(beginning + 9e8)).more);
          /** Logout tokens that were written, by session and client. */
          const written = new Map<string, number>()
          const noting = (store: TokenStorePort): TokenStorePort => ({
            ...store,
            commit: async (commands: ReadonlyArray<Command>) => {
              const result = await store.commit(commands)
              if (result === "Conflict") return result
              for (const message of commands.flatMap((command) => rowPut<OutboxMessage>(outbox, command) ?? [])) {
                if (message.kind !== logoutMessage) continue
                const { sid, clientId } = toldLogout(message)
                written.set(`${sid} ${clientId}`, (written.get(`${sid} ${clientId}`) ?? 0) + 1)
              }
              return result
            },
          })
          const w = await world({
            tokens: noting(one),
            clients: metadata,
            signer: () => quickSigner,
            more: { settings: { backchannel_logout_on_expiry: true } },
          })
          const there: World = { ...w, tokens: noting(other) }
          const used = new Set<string>()
          const note = ({ id_token = "" }: Record<string, string>, client: string) =>
            used.add(`${String(claimsOf(id_token)["sid"])} ${client}`)
          const browsers = [await signedIn(w), await signedIn(w)] as const
          const browserOf = (at: number) => browsers[at] ?? browsers[0]
          const look = async (workers: number, dies: boolean): Promise<void> => {
            const looks = Array.from({ length: workers }, (_each, at) =>
              logoutRound(at % 2 === 0 ? w : there, () => {
                if (dies) throw new Died("killed")
                return { _tag: "Fetched", status: 200, body: "" }
              }).catch((error: unknown) => {
                if (!(error instanceof Died)) throw error
              }),
            )
            await Promise.all(looks)
          }
          for (const each of steps)
            switch (each._tag) {
              case "Use": {
                const { params } = await authorize(browserOf(each.browser), each.client)
                if (params["code"] === undefined) break
                note((await redeem(w, params["code"], each.client)).json as Record<string, string>, each.client)
                break
              }
              case "Pass":
                w.pass(each.seconds)
                break
              case "Leave": {
                const { page } = await browserOf(each.browser).get("/logout")
                if (page?.["form"] !== undefined) await browserOf(each.browser).submit(page)
                break
              }
              case "SignIn":
                note(await signInAgain(w, browserOf(each.browser)), "web")
                break
              case "Sweep":
                while ((await (each.store === 0 ? one : other).sweep(w.now())).more);
                break
              case "Look":
                await look(each.workers, each.dies)
            }
          for (let round = 0; (await waitingLogouts(w)).length > 0; round++) {
            expect(round).toBeLessThan(50)
            w.pass(lifetime)
            await look(2, false)
          }
          expect(Object.fromEntries(written)).toEqual(Object.fromEntries([...used].map((each) => [each, 1])))
        }),
        { numRuns },
      )
    })
  },
)
