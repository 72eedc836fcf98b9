import { type ClientMetadata, type OutboundAnswer, secretOf } from "@postern/core"
import { tokenExchange, tokenExchangeGrantType } from "@postern/core/grants"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { authorize, claimsOf, post, redeem, refresh, signIn, token, userinfo } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, issuer, password } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"
import { patient } from "./arbitraries.ts"
import { quickWorld } from "./quickWorld.ts"

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

const shape = fc.record({
  sector: fc.constantFrom("host", "uri"),
  format: fc.constantFrom("jwt" as const, "reference" as const),
  responseType: fc.constantFrom("code", "code id_token", "code id_token token", "code token"),
  userClaims: fc.boolean(),
  alone: fc.boolean(),
})
type Shape = typeof shape extends fc.Arbitrary<infer A> ? A : never

const uriOf = (id: string): string => `https://${id}.example/cb`

const clientOf = (id: string, { sector, format, userClaims }: Shape): ClientMetadata => ({
  client_id: id,
  client_secret: `secret of ${id}`,
  subject_type: "pairwise",
  redirect_uris: [uriOf(id)],
  ...(sector === "uri" ? { sector_identifier_uri: `https://sector-of-${id}.example/list` } : {}),
  grant_types: ["authorization_code", "implicit", "refresh_token", "password", deviceGrant, tokenExchangeGrantType],
  response_types: ["code", "code id_token", "code id_token token", "code token", "id_token"],
  scope: "openid email offline_access api.read",
  require_consent: false,
  access_token_format: format,
  id_token_user_claims: userClaims,
  grant_policies: { [tokenExchangeGrantType]: { clients: [id], impersonation: true } },
})

/** Every text and number that a client can read out of an answer: members of JSON, parameters, and what JWTs among them say. */
const read = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(read)
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(read)
  if (typeof value !== "string") return typeof value === "number" ? [String(value)] : []
  // A jti is made of parts, each of which could tell something.
  return value.startsWith("eyJ")
    ? [value, ...read(claimsOf(value))]
    : [value, ...(/^\w{16}\./.test(value) ? value.split(".").filter((part) => part !== "id") : [])]
}
const told = ({ json, params }: Said): ReadonlyArray<string> => [...read(json), ...read(params)]

/** All that one client is told of a person who is signed in, by every way there is. */
const everything = async (w: World, visitor: Visitor, id: string, { responseType, alone }: Shape): Promise<ReadonlyArray<string>> => {
  const request = { redirect_uri: uriOf(id), response_type: responseType, nonce: `nonce of ${id}`, state: `state of ${id}` }
  const front = await authorize(visitor, id, { ...request, scope: "openid email offline_access api.read" })
  const back = await redeem(w, front.params["code"] ?? "", id, { redirect_uri: uriOf(id) })
  expect(back.status).toBe(200)
  const access = String(back.json?.["access_token"])
  const identity = alone ? [await authorize(visitor, id, { ...request, response_type: "id_token", scope: "openid email" })] : []
  const started = await post(w, "/connect/deviceauthorization", id, { scope: "openid" })
  const asked = await visitor.get("/device", { user_code: String(started.json?.["user_code"]) })
  await visitor.submit(asked.page, [["decision", "allow"]])
  const answers = [
    front,
    back,
    ...identity,
    await refresh(w, String(back.json?.["refresh_token"]), id),
    await post(w, "/connect/introspect", id, { token: access }),
    await post(w, "/connect/introspect", id, { token: String(back.json?.["refresh_token"]) }),
    await userinfo(w, access),
    started,
    await token(w, id, { grant_type: deviceGrant, device_code: String(started.json?.["device_code"]) }),
    await token(w, id, { grant_type: "password", username: "alice", password, scope: "openid api.read" }),
    await token(w, id, {
      grant_type: tokenExchangeGrantType,
      subject_token: access,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      scope: "api.read",
    }),
  ]
  return answers.flatMap(told)
}

/** Tells if a value may be equal: the provider's own, the time and way of the sign-in, and claims that the person lets both clients know. */
const isPublic = (w: World, value: string): boolean =>
  [issuer, "https://api.example", "alice@example.com", "pwd", "Bearer", "RS256", "JWT", "at+jwt", "refresh_token"].includes(value) ||
  value.startsWith("urn:ietf:params:") ||
  value.startsWith("urn:postern:") ||
  value.startsWith(`${issuer}/`) ||
  /^(?:(?:openid|email|offline_access|api\.read) ?)+$/.test(value) ||
  (/^\d+$/.test(value) && (Number(value) < 10_000_000 || Math.abs(Number(value) - w.now()) <= 31_536_000))

describe("two sectors", () => {
  test("OpenID Connect Core §8.1: nothing that two are told of one person and session is equal, but what is public", patient, async () => {
    await fc.assert(
      fc.asyncProperty(shape, shape, async (one, two) => {
        const listing: OutboundAnswer = {
          _tag: "Fetched",
          status: 200,
          contentType: "application/json",
          body: JSON.stringify([uriOf("one"), uriOf("two")]),
        }
        const w = quickWorld({
          clients: [clientOf("one", one), clientOf("two", two)],
          more: {
            pairwiseSalt: secretOf("a salt of thirty-two characters, at least"),
            outbound: { fetch: () => listing },
            grants: [tokenExchange()],
          },
        })
        const visitor = w.visitor()
        await signIn(visitor)
        const left = new Set(await everything(w, visitor, "one", one))
        const both = (await everything(w, visitor, "two", two)).filter((value) => left.has(value) && !isPublic(w, value))
        expect(both).toEqual([])
        // And neither is told what the provider itself calls them.
        const [session] = await w.tokens.sessionsOf("sub-alice")
        for (const secret of ["sub-alice", session?.locator ?? ""]) expect([...left].filter((value) => value.includes(secret))).toEqual([])
      }),
      { numRuns: runs(200) },
    )
  })
})
