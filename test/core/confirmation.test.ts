import { type Confirmation, readHandle } from "@postern/core/model"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ask, echoing } from "../cases/extensionGrants.ts"
import { confirmingFeatures, proving } from "../support/confirming.ts"
import { basic, claimsOf, codeFor, post, redeem, refresh, signedIn, token } from "../support/flows.ts"
import type { Said } from "../support/visitor.ts"
import { type World, clients, password, world } from "../support/world.ts"

/** A world in which every token request says what it has proved. */
const confirming = (): Promise<World> => {
  const spa = clients.find(({ client_id }) => client_id === "spa")
  const native = { ...spa, client_id: "native", access_token_format: "reference", redirect_uris: ["http://127.0.0.1/cb"] } as const
  return world({
    clients: [...(echoing.clients ?? []).filter(({ client_id }) => client_id !== "native"), native],
    more: { features: confirmingFeatures, ...echoing.more },
  })
}

type Fields = Readonly<Record<string, string>>

/** Everything that gives tokens at the token endpoint: to public and confidential clients, as JWTs and references. */
const ways: Readonly<Record<string, { readonly clientId: string; readonly get: (w: World, proof: Fields) => Promise<Said> }>> = {
  "a code": { clientId: "web", get: async (w, proof) => redeem(w, await codeFor(w, "web", { scope }), "web", proof) },
  "a code, reference tokens": {
    clientId: "opaque",
    get: async (w, proof) => redeem(w, await codeFor(w, "opaque", { scope }), "opaque", proof),
  },
  "a code, public client": { clientId: "spa", get: async (w, proof) => redeem(w, await codeFor(w, "spa", { scope }), "spa", proof) },
  "a code, public client, reference tokens": {
    clientId: "native",
    get: async (w, proof) => redeem(w, await codeFor(w, "native", { scope, redirect_uri: "http://127.0.0.1/cb" }), "native", proof),
  },
  "a password": {
    clientId: "ropc",
    get: (w, proof) =>
      token(w, "ropc", { grant_type: "password", username: "alice", password, scope: "openid api.read offline_access", ...proof }),
  },
  "a device code": {
    clientId: "tv",
    get: async (w, proof) => {
      const { json } = await post(w, "/connect/deviceauthorization", "tv", { scope: "openid api.read offline_access" })
      const visitor = await signedIn(w)
      const shown = await visitor.get(`/device?user_code=${String(json?.["user_code"])}`)
      await visitor.submit(shown.page, [["decision", "allow"]])
      const device_code = String(json?.["device_code"])
      return token(w, "tv", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code, ...proof })
    },
  },
  "client credentials": {
    clientId: "web",
    get: (w, proof) => token(w, "web", { grant_type: "client_credentials", scope: "api.read", ...proof }),
  },
  "client credentials, reference tokens": {
    clientId: "opaque",
    get: (w, proof) => token(w, "opaque", { grant_type: "client_credentials", scope: "api.read", ...proof }),
  },
  "an extension grant": {
    clientId: "echo",
    get: (w, proof) => ask(w, { subject: "sub-alice", scope: ["api.read", "offline_access"], refreshToken: true }, proof),
  },
  "an extension grant for the client, reference tokens": {
    clientId: "echo-opaque",
    get: (w, proof) => ask(w, { scope: ["api.read"] }, proof, "echo-opaque"),
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
    const w = await confirming()
    await fc.assert(
      fc.asyncProperty(confirmation, confirmation, async (cnf, other) => {
        const first = await get(w, proving(cnf))
        await expectBound(w, first, cnf)
        const refreshToken = first.json?.["refresh_token"]
        if (typeof refreshToken !== "string") return
        expect(await kept(w, refreshToken)).toEqual(isPublic(clientId) ? cnf : undefined)
        if (isPublic(clientId))
          for (const wrong of [undefined, other])
            expect((await refresh(w, refreshToken, clientId, proving(wrong))).json?.["error"]).toBe("invalid_grant")
        const next = await refresh(w, refreshToken, clientId, proving(cnf))
        await expectBound(w, next, cnf)
        expect(await kept(w, next.json?.["refresh_token"])).toEqual(isPublic(clientId) ? cnf : undefined)
      }),
      { numRuns: 3 },
    )
  })

  test("RFC 6750: is a bearer token's where nothing was proved", async () => {
    const w = await confirming()
    const first = await get(w, {})
    await expectBound(w, first, undefined)
    expect(await kept(w, first.json?.["refresh_token"])).toBeUndefined()
  })
})

test("RFC 9449 §5: a public client's refresh token that was a bearer's is bound once a request has proved a key", async () => {
  const w = await confirming()
  const cnf = { jkt: "k".repeat(43) }
  const first = await redeem(w, await codeFor(w, "spa", { scope }), "spa")
  const next = await refresh(w, String(first.json?.["refresh_token"]), "spa", proving(cnf))
  await expectBound(w, next, cnf)
  expect(await kept(w, next.json?.["refresh_token"])).toEqual(cnf)
})
