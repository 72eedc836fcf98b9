import { rowKindsOf } from "@postern/core"
import type { TokenStorePort } from "@postern/core/ports"
import { postgresStores } from "@postern/adapter-postgres"
import { sqliteStores } from "@postern/adapter-sqlite"
import { describe, expect, test } from "vitest"
import { lastRefusal } from "../cases/case.ts"
import { askWith, assertionOf, signingClients } from "../support/assertions.ts"
import { ask, askedClaims, asking, cibaGrant, decide, poll } from "../support/asking.ts"
import { post } from "../support/flows.ts"
import { peerIssuer, peerJwks, peerJwt } from "../support/peer.ts"
import { closing, postgresServer } from "../support/postgres.ts"
import { answeredByRule, polledAtOnce, polls } from "../support/polls.ts"
import { proof } from "../support/proofs.ts"
import { signed } from "../support/requestObjects.ts"
import type { Said } from "../support/visitor.ts"
import { type World, world } from "../support/world.ts"
import { cheap, emptyPath } from "../store/support.ts"

const ciba = asking({ loginHintTokenIssuers: [{ issuer: peerIssuer, jwks: peerJwks }] })
const kinds = rowKindsOf({ features: ciba.more?.features ?? [] })
const server = postgresServer()

const stores: Readonly<Record<string, () => Promise<TokenStorePort>>> = {
  SQLite: async () => closing(sqliteStores(emptyPath(), { hashing: cheap, kinds, thread: true })).tokens,
  PostgreSQL: async () => closing(await postgresStores(await (await server()).database(), { hashing: cheap, kinds })).tokens,
}

/** Makes a value that is good once, and sends a request with it. */
type Race = readonly [what: string, prepare: (w: World) => Promise<() => Promise<Said>>]

const races: ReadonlyArray<Race> = [
  [
    "RFC 9449 §11.1: one DPoP proof",
    async (w) => {
      const dpop = proof(w.now(), "POST", "/connect/token")
      return () => post(w, "/connect/token", "web", { grant_type: "client_credentials", scope: "api.read" }, { dpop })
    },
  ],
  [
    "RFC 7523 §3 (7): one assertion",
    async (w) => {
      const assertion = await assertionOf(w, "proves")
      return () => askWith(w, assertion)
    },
  ],
  [
    "CIBA Core §7.1.1: one signed request",
    async (w) => {
      const request = await signed(askedClaims("signs"))
      return () => post(w, "/connect/ciba", "signs", { request })
    },
  ],
  [
    "RFC 7523 §3 (7), CIBA Core §7.1: one login_hint_token",
    async (w) => {
      const login_hint_token = await peerJwt({ jti: "once" })
      return () => ask(w, "till", { login_hint: undefined, login_hint_token })
    },
  ],
  [
    "CIBA Core §11: one auth_req_id",
    async (w) => {
      const request = await ask(w)
      await decide(w, request)
      return () => poll(w, request)
    },
  ],
]

describe.each(Object.keys(stores))("sixteen requests at once, on %s", (name) => {
  test.each(races)("%s gets one of them an answer", { timeout: 60_000 }, async (_, prepare) => {
    const tokens = await stores[name]?.()
    if (tokens === undefined) throw new Error("no such store")
    const assertors = signingClients.filter(({ client_id }) => client_id === "signs").map((each) => ({ ...each, client_id: "proves" }))
    const w = await world({ ...ciba, clients: [...(ciba.clients ?? []), ...assertors], tokens })
    const send = await prepare(w)
    const answers = await Promise.all(Array.from({ length: 16 }, send))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    // Whoever came too late is refused, and nothing has broken; a poll that comes too soon after another is told so.
    expect(
      answers.every(({ status, json }) => status === 200 || status === 400 || (status === 401 && json?.["error"] === "invalid_client")),
    ).toBe(true)
    expect((await send()).status, `again: ${cibaGrant}`).not.toBe(200)
    expect([lastRefusal(w), w.reports]).toEqual([expect.any(String), []])
  })

  test.each(Object.keys(polls) as ReadonlyArray<keyof typeof polls>)(
    "a pending %s is answered by rule each time",
    { timeout: 60_000 },
    async (way) => {
      const tokens = await stores[name]?.()
      if (tokens === undefined) throw new Error("no such store")
      expect(await polledAtOnce(tokens, way)).toEqual(answeredByRule)
    },
  )
})
