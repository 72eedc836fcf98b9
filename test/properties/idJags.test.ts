import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { scopeWords } from "@postern/core"
import { claimsOf, tokensFor } from "../support/flows.ts"
import { ask, assertion, asserting, crossing, redeem, todo, todoServer } from "../support/idJags.ts"
import { peerClaims, peerSigned } from "../support/peer.ts"
import { issuer, world } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"
import { patient } from "./arbitraries.ts"

const some = (values: ReadonlyArray<string>, minLength = 0) => fc.subarray([...values], { minLength })
const maybe = <A>(value: fc.Arbitrary<A>) => fc.option(value, { nil: undefined })
const seldom = <A>(value: fc.Arbitrary<A>) => fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
const there = ["todo.read", "todo.write", "todo.admin"]
const places = ["https://api.todo.example", "https://files.todo.example"]
const clientIds = ["wiki", "gist"]

const asked = fc.record({
  server: some(there, 1),
  resources: maybe(some(places)),
  /** The clients that may ask, and what each may have. */
  clients: fc.dictionary(
    fc.constantFrom(...clientIds),
    fc.record({ clientId: fc.constantFrom("w1", "g1"), scope: maybe(some(there)), resources: maybe(some(places)) }),
  ),
  signedInto: fc.constantFrom(...clientIds),
  by: fc.constantFrom(...clientIds),
  scope: maybe(some(there, 1)),
  resource: maybe(fc.constantFrom(...places)),
  byRefresh: fc.boolean(),
})

const names = ["openid", "email", "api.read", "api.write", "billing", "offline_access"]
const resources = ["https://api.example", "https://billing.example", "https://unknown.example"]

const presented = fc.record({
  client: some(names, 1),
  policy: seldom(some(names)),
  scope: maybe(some(names)),
  resource: fc.option(some(resources), { nil: undefined, freq: 1 }),
  asked: seldom(some(names, 1)),
  target: seldom(fc.constantFrom(...resources)),
  meant: fc.constantFrom(...clientIds),
  by: fc.constantFrom(...clientIds),
})

describe("identity assertion JWT authorization grants", () => {
  test(
    "ID-JAG §4.3.3, §5: none is issued but to the client of the sign-in, for what the operator lets it have there",
    patient,
    async () => {
      let given = 0
      await fc.assert(
        fc.asyncProperty(asked, async (x) => {
          const serverOf = (clients: typeof x.clients) => todo({ scope: x.server, resources: x.resources, clients })
          // No provider is made with a client for which no scope is left.
          const fit = Object.entries(x.clients).filter(([, { scope }]) => scope?.every((name) => !x.server.includes(name)) !== true)
          const clients = Object.fromEntries(fit)
          if (fit.length < Object.keys(x.clients).length)
            expect(() => crossing({ authorizationServers: [serverOf(x.clients)] })).toThrow("scope: has none of the server's scopes")
          const w = await world(crossing({ authorizationServers: [serverOf(clients)] }))
          const { id_token, refresh_token } = await tokensFor(w, x.signedInto, "openid offline_access")
          const answer = await ask(
            w,
            x.byRefresh ? refresh_token : id_token,
            {
              scope: x.scope?.join(" "),
              resource: x.resource,
              subject_token_type: `urn:ietf:params:oauth:token-type:${x.byRefresh ? "refresh_token" : "id_token"}`,
            },
            x.by,
          )
          const own = Object.hasOwn(clients, x.by) ? clients[x.by] : undefined
          const most = x.server.filter((name) => own?.scope?.includes(name) !== false && x.scope?.includes(name) !== false)
          const mayName = (x.resources ?? []).filter((each) => own?.resources?.includes(each) !== false)
          const allowed =
            x.by === x.signedInto && own !== undefined && most.length > 0 && (x.resource === undefined || mayName.includes(x.resource))
          expect(answer.status).toBe(allowed ? 200 : 400)
          if (!allowed) return
          given++
          const claims = claimsOf(String(answer.json?.["access_token"]))
          expect(scopeWords(String(claims["scope"])).toSorted()).toEqual(most.toSorted())
          expect(claims).toMatchObject({ aud: todoServer, client_id: own?.clientId, sub: "sub-alice" })
          expect(claims["resource"]).toBe(x.resource)
        }),
        { numRuns: runs(400) },
      )
      expect(given).toBeGreaterThan(runs(20, -1))
    },
  )

  test(
    "ID-JAG §4.4.1: none is taken but from the client that it names, and no scope or resource comes to be that it does not",
    patient,
    async () => {
      let given = 0
      await fc.assert(
        fc.asyncProperty(presented, async (x) => {
          const w = await world(crossing({ identityProviders: [asserting({ scope: x.policy })] }, { scope: x.client.join(" ") }))
          const jag = await assertion({ client_id: x.meant, scope: x.scope?.join(" "), resource: x.resource })
          const fields = {
            ...(x.asked === undefined ? {} : { scope: x.asked.join(" ") }),
            ...(x.target === undefined ? {} : { resource: x.target }),
          }
          const answer = await redeem(w, jag, fields, x.by)
          if (answer.status !== 200) {
            expect(["invalid_grant", "invalid_scope", "invalid_target"]).toContain(answer.json?.["error"])
            return
          }
          given++
          expect(x.by).toBe(x.meant)
          const scope = scopeWords(String(answer.json?.["scope"]))
          const mayHave = (name: string): boolean =>
            x.scope?.includes(name) === true &&
            x.policy?.includes(name) !== false &&
            x.asked?.includes(name) !== false &&
            (x.by !== "wiki" || x.client.includes(name))
          expect(scope.filter((name) => !mayHave(name))).toEqual([])
          expect(answer.json?.["refresh_token"]).toBe(undefined)
          const { aud } = claimsOf(String(answer.json?.["access_token"]))
          if (x.resource !== undefined && x.resource.length > 0)
            expect([aud].flat().filter((each) => !x.resource?.includes(String(each)))).toEqual([])
        }),
        { numRuns: runs(400) },
      )
      expect(given).toBeGreaterThan(runs(20, -1))
    },
  )

  test(
    "ID-JAG §3.1, §4.4.1: a grant whose claims are any JSON is taken or refused, and taken only where each says what it must",
    patient,
    async () => {
      const w = await world(crossing({ identityProviders: [asserting({ reusable: true })] }))
      const odd = fc.dictionary(
        fc.constantFrom(
          "aud",
          "client_id",
          "jti",
          "iat",
          "exp",
          "nbf",
          "scope",
          "resource",
          "cnf",
          "tenant",
          "act",
          "authorization_details",
          "email",
          "auth_time",
          "acr",
          "amr",
        ),
        fc.oneof(
          fc.jsonValue({ maxDepth: 2 }),
          fc.constantFrom(
            issuer,
            [issuer],
            "wiki",
            ["wiki"],
            w.now(),
            w.now() + 60,
            "api.read",
            "https://api.example",
            ["https://api.example"],
            {},
          ),
        ),
        { maxKeys: 4 },
      )
      let taken = 0
      await fc.assert(
        fc.asyncProperty(odd, async (changes) => {
          const claims = { ...peerClaims({ client_id: "wiki", jti: "j1", scope: "api.read" }), ...JSON.parse(JSON.stringify(changes)) }
          const answer = await redeem(w, await peerSigned(claims, "oauth-id-jag+jwt"))
          expect([200, 400]).toContain(answer.status)
          if (answer.status !== 200) return
          taken++
          expect([claims["aud"]].flat()).toEqual([issuer])
          expect(claims["client_id"]).toBe("wiki")
          expect(typeof claims["jti"]).toBe("string")
          expect(typeof claims["iat"]).toBe("number")
          expect(claims["scope"]).toContain("api.read")
          expect([claims["cnf"], claims["tenant"], claims["authorization_details"] ?? []]).toEqual([undefined, undefined, []])
          const told = claimsOf(String(answer.json?.["access_token"]))
          expect([told["auth_time"], told["acr"]]).toEqual([
            claims["auth_time"] && Math.min(Math.floor(claims["auth_time"]), w.now()),
            claims["acr"],
          ])
        }),
        { numRuns: runs(2000) },
      )
      expect(taken).toBeGreaterThan(runs(20, -1))
    },
  )
})
