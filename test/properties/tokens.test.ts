import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { patient } from "./arbitraries.ts"
import type { ClientMetadata } from "@postern/core"
import { claimsOf, follow, request, signIn, userinfo, verifier } from "../support/flows.ts"
import { type Said, type Visitor, said } from "../support/visitor.ts"
import { type World, known } from "../support/world.ts"
import { quickWorld } from "./quickWorld.ts"
import { clientMetadata, scopes } from "./requests.ts"

const words = (scope: unknown): ReadonlyArray<string> =>
  String(scope)
    .split(" ")
    .filter((word) => word !== "")
const within = (inner: ReadonlyArray<string>, outer: ReadonlyArray<string>): void =>
  expect(inner.filter((word) => !outer.includes(word))).toEqual([])

/** How a person answers the consent page, if it is shown. */
interface Answer {
  readonly allow: boolean
  readonly ticked: ReadonlyArray<string>
}

interface Round {
  readonly asked: ReadonlyArray<string>
  readonly answer: Answer
  readonly withdraw: boolean
  readonly prompt: string | undefined
  /** What each refresh of the chain asks for; undefined asks for nothing. */
  readonly chain: ReadonlyArray<ReadonlyArray<string> | undefined>
}

const subset = fc.subarray([...scopes])
const round = (own: ReadonlyArray<string>): fc.Arbitrary<Round> =>
  fc.record({
    asked: fc.oneof({ weight: 4, arbitrary: fc.constant(own) }, { weight: 6, arbitrary: fc.subarray([...own], { minLength: 1 }) }, subset),
    answer: fc.record({ allow: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)), ticked: subset }),
    withdraw: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    prompt: fc.option(fc.constantFrom("consent", "login", "none"), { nil: undefined }),
    chain: fc.array(fc.option(fc.oneof(fc.subarray([...own]), subset), { nil: undefined }), { maxLength: 3 }),
  })
const generated = clientMetadata("app").chain((metadata) => {
  const client = { ...metadata, disabled: false }
  return fc.record({ client: fc.constant(client), rounds: fc.array(round(words(client.scope)), { minLength: 1, maxLength: 2 }) })
})

/** Calls an endpoint as the client, the way it authenticates. */
const as = (w: World, client: ClientMetadata, path: string, fields: Readonly<Record<string, string>>): Promise<Said> => {
  const proof = client.token_endpoint_auth_method === "none" ? { client_id: "app" } : { client_id: "app", client_secret: "secret of app" }
  const body = new URLSearchParams({ ...fields, ...proof }).toString()
  return w.send({ method: "POST", path, body, headers: { "content-type": "application/x-www-form-urlencoded" } }).then(said)
}

/** Goes through login and consent as often as asked; what the consent page lets through is added to what the person allowed. */
const authorize = async (
  visitor: Visitor,
  client: ClientMetadata,
  { asked, answer, prompt }: Round,
  allowed: Set<string>,
): Promise<Said> => {
  const [redirect_uri = ""] = client.redirect_uris ?? []
  let shown = await follow(
    visitor,
    await visitor.get("/connect/authorize", request("app", { redirect_uri, scope: asked.join(" "), prompt })),
  )
  for (let page = 0; page < 4 && shown.page !== undefined; page++) {
    if (shown.page["_tag"] === "Login")
      shown = await follow(
        visitor,
        await visitor.submit(shown.page, [
          ["username", "alice"],
          ["password", "correct horse"],
        ]),
      )
    if (shown.page?.["_tag"] !== "Consent") continue
    const offered = shown.page["scopes"] as ReadonlyArray<{ name: string; required: boolean }>
    expect(offered.map(({ name }) => name).sort()).toEqual([...new Set(asked)].sort())
    within(
      offered.map(({ name }) => name),
      words(client.scope),
    )
    if (answer.allow)
      for (const { name, required } of offered) void (required || answer.ticked.includes(name) ? allowed.add(name) : allowed.delete(name))
    const ticks = answer.ticked.map((name) => ["scope", name] as const)
    shown = await follow(visitor, await visitor.submit(shown.page, [["decision", answer.allow ? "allow" : "deny"], ...ticks]))
  }
  return shown
}

const withdraw = async (visitor: Visitor): Promise<void> => {
  const { page } = await visitor.get("/")
  await visitor.submit(page, [["client_id", "app"]], "withdrawConsent")
}

/** Tokens say of themselves, to userinfo and to introspection nothing beyond their scope. */
const expectHonest = async (w: World, client: ClientMetadata, { json = {} }: Said): Promise<void> => {
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
    await expectHonest(w, client, answer)
    refresh = answer.json?.["refresh_token"]
  }
  return chain.length
}

describe("scopes", () => {
  test(
    "RFC 6749 §3.3, §6, OpenID Connect Core §3.1.2.4: no token says more than the client may have, was asked for and the person allowed, along any chain of refreshes",
    patient,
    async () => {
      const seen = { codes: 0, refreshes: 0, narrowed: 0 }
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
            const code = answer.params["code"]
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
            await expectHonest(w, client, tokens)
            seen.codes++
            seen.narrowed += granted.length < each.asked.length ? 1 : 0
            seen.refreshes += await expectNoWider(w, client, tokens, each.chain)
          }
        }),
        { numRuns: 1500 },
      )
      for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100)
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
        { numRuns: 2000 },
      )
      expect(given).toBeGreaterThan(100)
    },
  )
})
