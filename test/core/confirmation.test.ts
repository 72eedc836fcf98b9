import { compose } from "@postern/core"
import { type Confirmation, readHandle } from "@postern/core/model"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ask, echoing } from "../cases/extensionGrants.ts"
import { endpointsOf } from "../../packages/core/src/provider/composition.ts"
import { lastRefusal } from "../cases/case.ts"
import { confirmingFeatures, proving } from "../support/confirming.ts"
import { basic, claimsOf, codeFor, post, redeem, refresh, request, signedIn, token } from "../support/flows.ts"
import { type Said, said } from "../support/visitor.ts"
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

/** The usual client, and one whose tokens must be bound that may use everything there is. */
const bindingWorld = () => {
  const features = [...confirmingFeatures, ...(echoing.more?.grants ?? [])]
  const composition = compose({ features })
  const web = clients.find(({ client_id }) => client_id === "web")
  const every = {
    ...web,
    client_id: "web",
    grant_types: composition.grantTypes,
    response_types: composition.responseTypes,
    tokens_must_be_bound: true,
  }
  return { composition, made: world({ clients: [every], more: { features } }) }
}

test("RFC 9449 §5.2, RFC 8705 §3.4: no grant and no response type gives an unbound token to a client whose tokens must be bound", async () => {
  const { composition, made } = bindingWorld()
  const w = await made
  const asked = [...composition.grants.map(({ grantType }) => grantType), ...composition.extensionGrants.map(({ name }) => name)]
  expect(asked.length).toBeGreaterThan(5)
  for (const grant_type of asked) {
    const { status, json } = await token(w, "web", { grant_type })
    expect([grant_type, status, json?.["error"], lastRefusal(w)]).toEqual([grant_type, 400, "invalid_request", "token.confirmation"])
  }
  const visitor = await signedIn(w)
  for (const response_type of composition.responseTypes) {
    const { params } = await visitor.get("/connect/authorize", request("web", { response_type, nonce: "n", scope: "openid" }))
    expect([response_type, params["access_token"]]).toEqual([response_type, undefined])
    if (response_type.split(" ").includes("token")) expect([response_type, params["error"]]).toEqual([response_type, "unauthorized_client"])
  }
})

test("RFC 9449 §7.1, RFC 8705 §3: no endpoint takes a bound token that nothing was proved of, unless its client proves itself there", async () => {
  const w = await confirming()
  const first = await redeem(w, await codeFor(w, "web", { scope }), "web", proving({ jkt: "k".repeat(43) }))
  const bound = String(first.json?.["access_token"])
  const bearer = String((await redeem(w, await codeFor(w, "web", { scope }), "web")).json?.["access_token"])
  const taking: Array<string> = []
  for (const { path, methods, tables = [] } of endpointsOf(compose({ features: confirmingFeatures }))) {
    if (tables.some(({ name }) => name === "client-authentication")) continue
    for (const method of methods) {
      const send = async (value: string, way: "Bearer" | "DPoP" | "form") => {
        const body = way === "form" ? new URLSearchParams({ access_token: value, token: value }).toString() : ""
        const headers = { "content-type": "application/x-www-form-urlencoded" }
        const { status, json } = said(
          await w.send({ path, method, body, headers: way === "form" ? headers : { ...headers, authorization: `${way} ${value}` } }),
        )
        return JSON.stringify([status, status < 300 ? json : json?.["error"]])
      }
      for (const way of ["Bearer", "DPoP", "form"] as const)
        expect([path, method, way, await send(bound, way)]).toEqual([path, method, way, await send("nonsense", way)])
      if ((await send(bearer, "Bearer")) !== (await send("nonsense", "Bearer"))) taking.push(path)
    }
  }
  // Shown to look at those that do take one.
  expect([...new Set(taking)]).toEqual(["/connect/userinfo"])
})
