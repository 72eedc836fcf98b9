import { defaultFeatures } from "@postern/core"
import { type Confirmation, readHandle } from "@postern/core/model"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Feature } from "../../packages/core/src/features/feature.ts"
import { defineExtension } from "../../packages/core/src/features/token/extension.ts"
import { token as tokenEndpoint } from "../../packages/core/src/features/token/index.ts"
import type { Bound, Grant } from "../../packages/core/src/issuance/index.ts"
import { ask, echoing } from "../cases/extensionGrants.ts"
import { basic, claimsOf, codeFor, post, redeem, refresh, signedIn, token, userinfo } from "../support/flows.ts"
import type { Said } from "../support/visitor.ts"
import { type World, clients, password, world } from "../support/world.ts"

/** A world in which every token request has proved what `proved` says, as a feature of sender constraint would find it to have. */
const confirming = async () => {
  const now: { proved: Bound } = { proved: "none" }
  const bound = (grant: Grant): Grant => ({
    ...grant,
    attempt: (seen, inquiry) => grant.attempt({ ...seen, confirmation: now.proved }, inquiry),
  })
  const features = defaultFeatures.map((each): Feature => {
    if (each.name !== "token") return each
    return {
      ...each,
      endpoints: ({ grants, extensionGrants }) => [tokenEndpoint([...grants, ...extensionGrants.map(defineExtension)].map(bound), [])],
    }
  })
  const opaque = { access_token_format: "reference" } as const
  const spa = clients.find(({ client_id }) => client_id === "spa")
  const w = await world({
    clients: [...(echoing.clients ?? []), { ...spa, client_id: "native", ...opaque, redirect_uris: ["http://127.0.0.1/cb"] }].filter(
      ({ client_id }, at, all) => all.findLastIndex((each) => each.client_id === client_id) === at,
    ),
    more: { features, ...echoing.more },
  })
  return { w, now }
}

/** Everything that gives tokens at the token endpoint: to public and confidential clients, as JWTs and references. */
const ways: Readonly<Record<string, { readonly clientId: string; readonly get: (w: World) => Promise<Said> }>> = {
  "a code": { clientId: "web", get: async (w) => redeem(w, await codeFor(w, "web", { scope })) },
  "a code, reference tokens": { clientId: "opaque", get: async (w) => redeem(w, await codeFor(w, "opaque", { scope }), "opaque") },
  "a code, public client": { clientId: "spa", get: async (w) => redeem(w, await codeFor(w, "spa", { scope }), "spa") },
  "a code, public client, reference tokens": {
    clientId: "native",
    get: async (w) => redeem(w, await codeFor(w, "native", { scope, redirect_uri: "http://127.0.0.1/cb" }), "native"),
  },
  "a password": {
    clientId: "ropc",
    get: (w) => token(w, "ropc", { grant_type: "password", username: "alice", password, scope: "openid api.read offline_access" }),
  },
  "a device code": {
    clientId: "tv",
    get: async (w) => {
      const { json } = await post(w, "/connect/deviceauthorization", "tv", { scope: "openid api.read offline_access" })
      const visitor = await signedIn(w)
      const shown = await visitor.get(`/device?user_code=${String(json?.["user_code"])}`)
      await visitor.submit(shown.page, [["decision", "allow"]])
      return token(w, "tv", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: String(json?.["device_code"]) })
    },
  },
  "client credentials": { clientId: "web", get: (w) => token(w, "web", { grant_type: "client_credentials", scope: "api.read" }) },
  "client credentials, reference tokens": {
    clientId: "opaque",
    get: (w) => token(w, "opaque", { grant_type: "client_credentials", scope: "api.read" }),
  },
  "an extension grant": {
    clientId: "echo",
    get: (w) => ask(w, { subject: "sub-alice", scope: ["api.read", "offline_access"], refreshToken: true }),
  },
  "an extension grant for the client, reference tokens": {
    clientId: "echo-opaque",
    get: (w) => ask(w, { scope: ["api.read"] }, {}, "echo-opaque"),
  },
}
const scope = "openid offline_access api.read"
const isPublic = (clientId: string): boolean => ["spa", "native", "tv"].includes(clientId)

const thumbprint = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("base64url"))
const confirmation: fc.Arbitrary<Confirmation> = fc.oneof(
  thumbprint.map((jkt) => ({ jkt })),
  thumbprint.map((digest) => ({ "x5t#S256": digest })),
)

const introspected = async (w: World, value: unknown) =>
  (await post(w, "/connect/introspect", undefined, { token: String(value) }, { authorization: basic("api") })).json

const kept = async (w: World, refreshToken: unknown) => {
  const locator = readHandle("r", String(refreshToken))?.locator
  return locator === undefined ? undefined : (await w.tokens.findRefreshToken(locator))?.token.confirmation
}

/** Expects that an answer's access token says what it is bound to, in itself and at introspection; undefined for a bearer's. */
const expectBound = async (w: World, { status, json }: Said, cnf: Confirmation | undefined) => {
  expect([status, json?.["error_description"]]).toEqual([200, undefined])
  const value = String(json?.["access_token"])
  const type = cnf !== undefined && "jkt" in cnf ? "DPoP" : "Bearer"
  expect(json?.["token_type"]).toBe(type)
  const told = await introspected(w, value)
  expect([told?.["active"], told?.["cnf"], told?.["token_type"]]).toEqual([true, cnf, type])
  if (value.split(".").length === 3) expect(claimsOf(value)["cnf"]).toEqual(cnf)
}

describe.each(Object.entries(ways))("what is issued for %s", (_, { clientId, get }) => {
  test("RFC 9449 §5, §6, RFC 8705 §3: is bound in every form to what the request has proved, and stays so", async () => {
    const { w, now } = await confirming()
    await fc.assert(
      fc.asyncProperty(confirmation, confirmation, async (cnf, other) => {
        now.proved = cnf
        const first = await get(w)
        await expectBound(w, first, cnf)
        const refreshToken = first.json?.["refresh_token"]
        if (typeof refreshToken !== "string") return
        expect(await kept(w, refreshToken)).toEqual(isPublic(clientId) ? cnf : undefined)
        if (isPublic(clientId)) {
          for (const wrong of ["none", other] as const) {
            now.proved = wrong
            expect((await refresh(w, refreshToken, clientId)).json?.["error"]).toBe("invalid_grant")
          }
        }
        now.proved = cnf
        const next = await refresh(w, refreshToken, clientId)
        await expectBound(w, next, cnf)
        expect(await kept(w, next.json?.["refresh_token"])).toEqual(isPublic(clientId) ? cnf : undefined)
      }),
      { numRuns: 3 },
    )
  })

  test("RFC 6750: is a bearer token's where nothing was proved", async () => {
    const { w } = await confirming()
    const first = await get(w)
    await expectBound(w, first, undefined)
    expect(await kept(w, first.json?.["refresh_token"])).toBeUndefined()
  })
})

test("RFC 9449 §5: a public client's refresh token that was a bearer's is bound once a request has proved a key", async () => {
  const { w, now } = await confirming()
  const first = await redeem(w, await codeFor(w, "spa", { scope }), "spa")
  now.proved = { jkt: "k".repeat(43) }
  const next = await refresh(w, String(first.json?.["refresh_token"]), "spa")
  await expectBound(w, next, now.proved)
  expect(await kept(w, next.json?.["refresh_token"])).toEqual(now.proved)
})

test("RFC 9449 §7.1, RFC 8705 §3: userinfo takes no bound token as a bearer's", async () => {
  const { w, now } = await confirming()
  now.proved = { "x5t#S256": "c".repeat(43) }
  for (const clientId of ["web", "opaque"]) {
    const { json } = await redeem(w, await codeFor(w, clientId, { scope }), clientId)
    const answer = await userinfo(w, String(json?.["access_token"]))
    expect([answer.status, answer.json?.["error"]]).toEqual([401, "invalid_token"])
  }
})
