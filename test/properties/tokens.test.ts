import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { ClientMetadata } from "@postern/core"
import { claimsOf, signIn, userinfo, verifier } from "../support/flows.ts"
import type { Said } from "../support/visitor.ts"
import { type World, known } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"
import { patient } from "./arbitraries.ts"
import { type Round, as, authorize, round, subset, within, withdraw, words } from "./journeys.ts"
import { quickWorld } from "./quickWorld.ts"
import { clientMetadata } from "./requests.ts"

const generated = clientMetadata("app").chain((metadata) => {
  const client = { ...metadata, disabled: false }
  return fc.record({ client: fc.constant(client), rounds: fc.array(round(client, words(client.scope)), { minLength: 1, maxLength: 2 }) })
})

/** Tokens say of themselves, to userinfo and to introspection nothing beyond their scope. */
const expectHonest = async (w: World, client: ClientMetadata, json: Readonly<Record<string, unknown>>): Promise<void> => {
  const scope = words(json["scope"])
  const access = String(json["access_token"])
  if (client.access_token_format === "jwt") {
    expect(words(claimsOf(access)["scope"])).toEqual(scope)
    const owners = scope.flatMap((name) => known.owners.get(name) ?? [])
    within([claimsOf(access)["aud"] ?? []].flat().map(String), owners.length === 0 ? ["https://op.example"] : owners)
  }
  if (client.token_endpoint_auth_method !== "none") {
    const told = await as(w, client, "/connect/introspect", { token: access })
    expect([told.json?.["active"], words(told.json?.["scope"])]).toEqual([true, scope])
  }
  const told = await userinfo(w, access)
  expect(told.status).toBe(scope.includes("openid") ? 200 : 403)
  if (told.status === 200) within(Object.keys(told.json ?? {}), ["sub", ...scope.flatMap((name) => known.identity.get(name)?.claims ?? [])])
}

/** Refreshes along a chain; no link may give what the first did not. */
const expectNoWider = async (w: World, client: ClientMetadata, first: Said, chain: Round["chain"]): Promise<number> => {
  const granted = words(first.json?.["scope"])
  let refresh = first.json?.["refresh_token"]
  if (refresh === undefined) return 0
  for (const asked of chain) {
    const answer = await as(w, client, "/connect/token", {
      grant_type: "refresh_token",
      refresh_token: String(refresh),
      scope: (asked ?? []).join(" "),
    })
    const wanted = asked === undefined || asked.length === 0 ? granted : asked
    if (wanted.some((name) => !granted.includes(name))) {
      expect([answer.status, answer.json?.["error"]]).toEqual([400, "invalid_scope"])
      continue
    }
    expect([answer.status, words(answer.json?.["scope"])]).toEqual([200, wanted])
    await expectHonest(w, client, answer.json ?? {})
    refresh = answer.json?.["refresh_token"]
  }
  return chain.length
}

describe("scopes", () => {
  test(
    "RFC 6749 §3.3, §6, OpenID Connect Core §3.1.2.4: no token says more than the client may have, was asked for and the person allowed, along any chain of refreshes",
    patient,
    async () => {
      const seen = { codes: 0, front: 0, refreshes: 0, narrowed: 0 }
      await fc.assert(
        fc.asyncProperty(generated, async ({ client, rounds }) => {
          const w = quickWorld({ clients: [client] })
          const visitor = w.visitor()
          await signIn(visitor)
          const allowed = new Set<string>()
          for (const each of rounds) {
            if (each.withdraw) {
              await withdraw(visitor)
              allowed.clear()
            }
            const answer = await authorize(visitor, client, each, allowed)
            const { access_token, code } = answer.params
            if (access_token !== undefined) {
              within(words(answer.params["scope"]), each.asked)
              if (client.require_consent === true) within(words(answer.params["scope"]), [...allowed])
              await expectHonest(w, client, answer.params)
              seen.front++
            }
            if (code === undefined) continue
            const tokens = await as(w, client, "/connect/token", {
              grant_type: "authorization_code",
              code,
              code_verifier: verifier,
              redirect_uri: client.redirect_uris?.[0] ?? "",
            })
            const granted = words(tokens.json?.["scope"])
            expect([tokens.status, granted.length > 0]).toEqual([200, true])
            within(granted, words(client.scope))
            within(granted, each.asked)
            if (client.require_consent === true) within(granted, [...allowed])
            const mayRefresh = granted.includes("offline_access") && client.grant_types?.includes("refresh_token") === true
            expect([tokens.json?.["refresh_token"] !== undefined, tokens.json?.["id_token"] !== undefined]).toEqual([
              mayRefresh,
              granted.includes("openid"),
            ])
            await expectHonest(w, client, tokens.json ?? {})
            seen.codes++
            seen.narrowed += granted.length < each.asked.length ? 1 : 0
            seen.refreshes += await expectNoWider(w, client, tokens, each.chain)
          }
        }),
        { numRuns: runs(1000) },
      )
      for (const count of Object.values(seen)) expect(count).toBeGreaterThan(runs(10, -1))
    },
  )

  test(
    "RFC 6749 §4.4, specification §4 rule 8: a client's own token has resource scopes it was given, never a person's, and no refresh token",
    patient,
    async () => {
      const client = clientMetadata("app").map((each) => ({
        ...each,
        disabled: false,
        grant_types: ["authorization_code", "client_credentials"],
      }))
      let given = 0
      await fc.assert(
        fc.asyncProperty(client, fc.option(subset, { nil: undefined }), async (each, asked) => {
          const w = quickWorld({ clients: [each] })
          const answer = await as(w, each, "/connect/token", {
            grant_type: "client_credentials",
            ...(asked === undefined ? {} : { scope: asked.join(" ") }),
          })
          const own = words(each.scope).filter((name) => known.resource.has(name))
          const wanted = asked === undefined || asked.length === 0 ? own : asked
          const may = each.token_endpoint_auth_method !== "none" && wanted.length > 0 && wanted.every((name) => own.includes(name))
          expect(answer.status).toBe(may ? 200 : 400)
          if (!may) return
          given++
          expect(Object.keys(answer.json ?? {})).toEqual(["access_token", "token_type", "expires_in", "scope"])
          expect(words(answer.json?.["scope"])).toEqual(wanted)
        }),
        { numRuns: runs(2000) },
      )
      expect(given).toBeGreaterThan(runs(100, 5))
    },
  )
})
