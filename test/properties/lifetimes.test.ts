import { type ClientMetadata, ciba, defaultFeatures, rowKindsOf } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { assertionOf, carrying, jwks } from "../support/assertions.ts"
import { accountKey, ask, decide, poll, tills } from "../support/asking.ts"
import {
  authorize,
  claimsOf,
  codeFor,
  post,
  redeem,
  refresh,
  request,
  signedIn,
  token,
  tokensFor,
  userinfo,
  verifier,
} from "../support/flows.ts"
import { proof, prove } from "../support/proofs.ts"
import type { Said } from "../support/visitor.ts"
import { type World, clients as usual, password } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"
import { patient } from "./arbitraries.ts"
import { quickWorld } from "./quickWorld.ts"

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
const machine = { grant_type: "client_credentials", scope: "api.read" }

/** Lifetimes that are told apart by their numbers. */
const lifetimes = {
  access_token_lifetime: 47,
  authorization_code_lifetime: 61,
  refresh_token_sliding_lifetime: 71,
  refresh_token_absolute_lifetime: 101,
  device_code_lifetime: 83,
}

/** A client whose profile allows codes of 60 s, whatever its own say. */
const bank: ClientMetadata = {
  client_id: "bank",
  profile: "fapi2-security",
  token_endpoint_auth_method: "private_key_jwt",
  jwks,
  redirect_uris: ["https://app.example/cb"],
  scope: "openid",
  require_consent: false,
  id_token_signed_response_alg: "ES256",
  access_token_format: "reference",
  authorization_code_lifetime: 600,
}

/** A client that signs assertions. */
const signs: ClientMetadata = {
  client_id: "signs",
  token_endpoint_auth_method: "private_key_jwt",
  jwks,
  grant_types: ["client_credentials"],
  response_types: [],
  scope: "api.read",
}

const clients = [...[...usual, ...tills].map((each) => ({ ...each, ...lifetimes })), bank, signs]
const features = [...defaultFeatures, ciba()]

const begin = (settings: Readonly<Record<string, boolean>> = {}): World =>
  quickWorld({
    clients,
    tokens: memoryTokenStore(rowKindsOf({ features })),
    more: { features, accountKey, sessionLifetime: 97, interactionLifetime: 53, settings },
  })

/** Sends a request of the bank, with a fresh assertion and a fresh proof. */
const asBank = async (w: World, path: string, fields: Readonly<Record<string, string>>): Promise<Said> =>
  post(w, path, undefined, { ...fields, ...carrying(await assertionOf(w, "bank")) }, { dpop: proof(w.now(), "POST", path) })

const isGood = ({ status }: Said): boolean => status === 200

/** The JSON of an answer that states the lifetime itself. */
const stated = ({ json }: Said, life: number): Record<string, unknown> => {
  expect(json?.["expires_in"]).toBe(life)
  return json ?? {}
}

/** A value that a request issues for some seconds, and a request that uses it. */
interface Kind {
  readonly name: string
  readonly life: number
  /** Issues it, and returns a use of it that answers whether it is still good. */
  readonly issue: (w: World) => Promise<() => Promise<boolean>>
}

/** Every lifetime that is counted from a request. */
const kinds: ReadonlyArray<Kind> = [
  {
    name: "an authorization code (RFC 6749 §4.1.2)",
    life: 61,
    issue: async (w) => {
      const code = await codeFor(w)
      return async () => isGood(await redeem(w, code))
    },
  },
  {
    name: "an authorization code that a profile limits (FAPI 2.0 Security Profile §5.3.2.1, 11)",
    life: 60,
    issue: async (w) => {
      const visitor = await signedIn(w)
      const pushed = await asBank(w, "/connect/par", request("bank"))
      const query = { client_id: "bank", request_uri: String(pushed.json?.["request_uri"]) }
      const { params } = await visitor.get("/connect/authorize", query)
      const fields = { grant_type: "authorization_code", redirect_uri: "https://app.example/cb", code_verifier: verifier }
      return async () => isGood(await asBank(w, "/connect/token", { ...fields, code: params["code"] ?? "" }))
    },
  },
  {
    name: "a request_uri (RFC 9126 §2.2)",
    life: 60,
    issue: async (w) => {
      const visitor = await signedIn(w)
      const answer = await post(w, "/connect/par", "web", request("web", { client_id: undefined }))
      const query = { client_id: "web", request_uri: String(stated(answer, 60)["request_uri"]) }
      return async () => "code" in (await visitor.get("/connect/authorize", query)).params
    },
  },
  {
    name: "a device code (RFC 8628 §3.2)",
    life: 83,
    issue: async (w) => {
      const { device_code } = stated(await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" }), 83)
      return async () => {
        const { json } = await token(w, "tv", { grant_type: deviceGrant, device_code: String(device_code) })
        expect(json?.["error"]).toMatch(/^(authorization_pending|expired_token)$/)
        return json?.["error"] === "authorization_pending"
      }
    },
  },
  {
    name: "a user code (RFC 8628 §3.2)",
    life: 83,
    issue: async (w) => {
      const visitor = await signedIn(w)
      const { user_code } = stated(await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" }), 83)
      return async () => (await visitor.get(`/device?user_code=${String(user_code)}`)).page?.["_tag"] === "DeviceConfirm"
    },
  },
  {
    name: "an auth_req_id (CIBA Core §7.3)",
    life: 37,
    issue: async (w) => {
      const asked = await ask(w, "till", { requested_expiry: "37" })
      stated(asked, 37)
      await decide(w, asked)
      return async () => isGood(await poll(w, asked))
    },
  },
  {
    name: "an access token that is a JWT (RFC 6749 §5.1, RFC 7519 §4.1.4)",
    life: 47,
    issue: async (w) => {
      const access = String(stated(await redeem(w, await codeFor(w)), 47)["access_token"])
      const { exp, iat } = claimsOf(access)
      expect([iat, exp]).toEqual([w.now(), w.now() + 47])
      return async () => isGood(await userinfo(w, access))
    },
  },
  {
    name: "an access token that is a reference (RFC 6749 §5.1)",
    life: 47,
    issue: async (w) => {
      const access = String(stated(await redeem(w, await codeFor(w, "opaque"), "opaque"), 47)["access_token"])
      return async () => isGood(await userinfo(w, access))
    },
  },
  {
    name: "an access token, as introspection tells (RFC 7662 §2.2)",
    life: 47,
    issue: async (w) => {
      const { access_token } = stated(await token(w, "machine", machine), 47)
      return async () => {
        const { json } = await post(w, "/connect/introspect", "machine", { token: String(access_token) })
        return json?.["active"] === true
      }
    },
  },
  {
    name: "a refresh token that is not used (RFC 6749 §6)",
    life: 71,
    issue: async (w) => {
      const { refresh_token } = await tokensFor(w)
      return async () => isGood(await refresh(w, refresh_token))
    },
  },
  {
    name: "a session (behaviour, lifetimes)",
    life: 97,
    issue: async (w) => {
      const visitor = await signedIn(w)
      return async () => "code" in (await visitor.get("/connect/authorize", request("web", { prompt: "none" }))).params
    },
  },
  {
    name: "a request that waits for its person (behaviour, lifetimes)",
    life: 53,
    issue: async (w) => {
      const visitor = w.visitor()
      const { page } = await authorize(visitor)
      const credentials = [
        ["username", "alice"],
        ["password", password],
      ] as const
      return async () => (await visitor.submit(page, credentials)).status === 303
    },
  },
]

/** A moment within a second, and one that lies between two bounds after it, or near them, in milliseconds. */
const moments = (least: number, most: number) =>
  fc.record({
    begun: fc.oneof(fc.integer({ min: 0, max: 999 }), fc.constantFrom(0, 1, 999)),
    after: fc.oneof(
      fc.integer({ min: Math.max(0, least - 50), max: most + 50 }),
      fc.constantFrom(least, least + 1, most - 1, most),
      fc.integer({ min: 0, max: most + 50 }),
    ),
  })

describe("a lifetime of N seconds is counted from the whole second of the request that issues it, as iat and exp are (RFC 7519 §2)", () => {
  test.each(kinds)("$name is good for more than N - 1 seconds, and never for more than N", patient, async ({ life, issue }) => {
    const seen = { good: 0, over: 0 }
    await fc.assert(
      fc.asyncProperty(moments((life - 1) * 1000, life * 1000), async ({ begun, after }) => {
        const w = begin()
        w.pass(begun / 1000)
        const stillGood = await issue(w)
        w.pass(after / 1000)
        const good = await stillGood()
        seen[good ? "good" : "over"]++
        if (after <= (life - 1) * 1000) expect(good).toBe(true)
        if (after >= life * 1000) expect(good).toBe(false)
        // The exact end is the Nth beginning of a second, so that a row, an exp and what the client was told agree.
        expect(good).toBe(begun + after < life * 1000)
      }),
      { numRuns: runs(400) },
    )
    expect(Math.min(seen.good, seen.over)).toBeGreaterThan(runs(40, 4))
  })
})

/** A time limit of what a client makes or waits for, which it counts by its own clock. */
interface Limit {
  readonly name: string
  /** The most milliseconds after which it surely holds. */
  readonly least: number
  /** The milliseconds after which it surely holds no more. */
  readonly most: number
  readonly begin: (w: World) => Promise<() => Promise<boolean>>
}

const noncesRequired = { require_dpop_nonces: true }

const limits: ReadonlyArray<Limit> = [
  {
    name: "an assertion is good until its exp (RFC 7523 §3, 4)",
    least: 59_000,
    most: 60_000,
    begin: async (w) => {
      const fields = carrying(await assertionOf(w, "signs"))
      return async () => isGood(await post(w, "/connect/token", undefined, { ...machine, ...fields }))
    },
  },
  {
    name: "a proof is good for at least 60 s (RFC 9449 §11.1)",
    least: 60_000,
    most: 61_000,
    begin: async (w) => {
      const dpop = proof(w.now(), "POST", "/connect/token")
      return async () => isGood(await token(w, "machine", machine, { dpop }))
    },
  },
  {
    name: "a nonce is good for at least 60 s, and for at most twice that (RFC 9449 §8.2)",
    least: 60_000,
    most: 120_000,
    begin: async (w) => {
      const nonce = (await prove(w, "/connect/token", "machine", machine)).header("dpop-nonce")
      expect(nonce).toBeDefined()
      return async () => isGood(await prove(w, "/connect/token", "machine", machine, { claims: { nonce } }))
    },
  },
  {
    name: "a device that waits less than its interval by a second is too fast (RFC 8628 §3.5)",
    least: 4000,
    most: 5000,
    begin: async (w) => {
      const { json } = await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })
      const send = () => token(w, "tv", { grant_type: deviceGrant, device_code: String(json?.["device_code"]) })
      await send()
      return async () => (await send()).json?.["error"] === "slow_down"
    },
  },
  {
    name: "a till that waits less than its interval by a second is too fast (CIBA Core §7.3)",
    least: 4000,
    most: 5000,
    begin: async (w) => {
      const asked = await ask(w)
      await poll(w, asked)
      return async () => (await poll(w, asked)).json?.["error"] === "slow_down"
    },
  },
]

describe("what a client counts by its own clock, it may count in fractions of a second", () => {
  test.each(limits)("$name, and the other way from the next second on", patient, async ({ name, least, most, begin: first }) => {
    const seen = { before: 0, over: 0 }
    await fc.assert(
      fc.asyncProperty(moments(least, most), async ({ begun, after }) => {
        const w = begin(name.startsWith("a nonce") ? noncesRequired : {})
        w.pass(begun / 1000)
        const holds = await first(w)
        w.pass(after / 1000)
        const held = await holds()
        seen[held ? "before" : "over"]++
        if (after <= least) expect(held).toBe(true)
        if (after >= most) expect(held).toBe(false)
      }),
      { numRuns: runs(400) },
    )
    expect(Math.min(seen.before, seen.over)).toBeGreaterThan(runs(20, 2))
  })

  test("a clock that is ahead by 10 s makes proofs that are good, and one by 11 s none (FAPI 2.0 Security Profile §5.3.2.1, 13)", async () => {
    await fc.assert(
      fc.asyncProperty(moments(10_000, 11_000), async ({ begun, after }) => {
        const w = begin()
        w.pass(begun / 1000)
        const ahead = Math.floor((begun + after) / 1000)
        const answer = await prove(w, "/connect/token", "machine", machine, { claims: { iat: w.now() + ahead } })
        if (after <= 10_000) expect(answer.status).toBe(200)
        if (after >= 11_000) expect(answer.json?.["error"]).toBe("invalid_dpop_proof")
      }),
      { numRuns: runs(400) },
    )
  })
})
