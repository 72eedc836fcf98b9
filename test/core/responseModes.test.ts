import { defaultFeatures, defineClient } from "@postern/core"
import { type ResponseMode, defineFeature, member, values } from "@postern/core/features"
import { memoryTokenStore } from "@postern/core/memory"
import type { SignerPort } from "@postern/core/ports"
import { describe, expect, test } from "vitest"
import { claimsOf, request, signedIn } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import { clients, world } from "../support/world.ts"

/** The response in a page that a script of the client's window reads. */
const window: ResponseMode = {
  name: "web_message",
  carriesTokens: true,
  deliver: (fields, { redirectUri, client }) => ({
    page: { _tag: "FormPost", action: redirectUri, fields, clientName: `window of ${client.clientId}` },
  }),
}

const lifetime = member("response_lifetime", values.seconds, 600, "Seconds for which a signed response is good. Default: 600.")

/** The response as a JWT in the query (JARM §2.3.1), and in the fragment where a token is asked for. */
const signing = (name: string, mark: "?" | "#", withTokens?: ResponseMode): ResponseMode => ({
  name,
  carriesTokens: true,
  ...(withTokens === undefined ? {} : { withTokens }),
  sign: (params, { client, issuer, now }) => ({
    alg: "RS256",
    typ: "JWT",
    contentType: "application/jwt",
    encryption: undefined,
    claims: { ...Object.fromEntries(params), iss: issuer, aud: client.clientId, exp: now + lifetime.of(client) },
  }),
  deliver: (params, { redirectUri }) => ({
    uri: `${redirectUri}${mark}${new URLSearchParams(params.map(([...pair]) => pair)).toString()}`,
  }),
})
const jwt = signing("jwt", "?", signing("fragment.jwt", "#"))

/** The usual features but the one that signs responses itself. */
const unsigning = defaultFeatures.filter(({ name }) => name !== "jarm")

const features = [...unsigning, defineFeature({ name: "modes", responseModes: [window, jwt], clientMetadata: [lifetime] })]

const hybrid = clients.find(({ client_id }) => client_id === "hybrid") ?? { client_id: "hybrid" }

const asked = async (changes: Readonly<Record<string, string>>, more = {}) => {
  const w = await world({ more: { features }, clients: [hybrid], ...more })
  const visitor = await signedIn(w)
  return { w, ...(await visitor.get("/connect/authorize", request("hybrid", { nonce: "n", ...changes }))) }
}

describe("a response mode is a feature", () => {
  test("OAuth 2.0 Multiple Response Types §2.1: a mode of a feature delivers the response in its own way, and errors too", async () => {
    const { page, params } = await asked({ response_mode: "web_message" })
    expect(page).toMatchObject({ _tag: "FormPost", action: "https://app.example/cb", clientName: "window of hybrid" })
    expect(params).toMatchObject({ state: "st", iss: "https://op.example" })
    expect(params["code"]).toMatch(/^c_/)
    expect((await asked({ response_mode: "web_message", prompt: "oracle" })).page).toMatchObject({
      clientName: "window of hybrid",
      fields: [["error", "invalid_request"], expect.anything(), ["state", "st"], expect.anything()],
    })
  })

  test("JARM §2.3: a mode that signs sends one JWT, which holds every parameter, and the tokens where they are asked for", async () => {
    const code = await asked({ response_mode: "jwt" })
    expect(Object.keys(code.params)).toEqual(["response"])
    expect(code.header("location")).toMatch(/^https:\/\/app\.example\/cb\?response=/)
    expect(claimsOf(code.params["response"] ?? "")).toMatchObject({
      code: expect.stringMatching(/^c_/),
      state: "st",
      aud: "hybrid",
      iss: "https://op.example",
    })
    const token = await asked({ response_mode: "jwt", response_type: "code id_token" })
    expect(token.header("location")).toMatch(/^https:\/\/app\.example\/cb#response=/)
    const claims = claimsOf(token.params["response"] ?? "")
    expect(claimsOf(String(claims["id_token"]))).toMatchObject({ nonce: "n", c_hash: expect.any(String) })
  })

  test("JARM §2.1: an error is signed too, a failure of a port among them; where nothing can be signed it is told on a page", async () => {
    const refused = await asked({ response_mode: "jwt", scope: "nothing" })
    expect(claimsOf(refused.params["response"] ?? "")).toMatchObject({ error: "invalid_scope", state: "st" })
    const store = memoryTokenStore()
    let down = false
    const tokens = {
      ...store,
      commit: (...given: Parameters<typeof store.commit>) => (down ? Promise.reject(new Error("away")) : store.commit(...given)),
    }
    const signer = (port: SignerPort): SignerPort => ({
      ...port,
      sign: (jwt) => (down && jwt.claims["code"] !== undefined ? Promise.reject(new Error("away")) : port.sign(jwt)),
    })
    const w = await world({ more: { features }, clients: [hybrid], tokens, signer })
    const visitor = await signedIn(w)
    down = true
    const failed = await visitor.get(
      "/connect/authorize",
      request("hybrid", { response_mode: "jwt", response_type: "id_token", nonce: "n" }),
    )
    expect([failed.status, claimsOf(failed.params["response"] ?? "")]).toMatchObject([
      303,
      { error: "temporarily_unavailable", state: "st" },
    ])
    const dead = await world({
      more: { features },
      clients: [hybrid],
      signer: (port) => ({ ...port, sign: () => Promise.reject(new Error("away")) }),
    })
    const page = await (await signedIn(dead)).get("/connect/authorize", request("hybrid", { response_mode: "jwt" }))
    expect([page.status, page.page?.["_tag"]]).toEqual([503, "Error"])
  })

  test("RFC 8414 §2: discovery states the modes of every feature, and a provider without them knows none", async () => {
    const w = await world({ more: { features } })
    const { json } = said(await w.send({ path: "/.well-known/openid-configuration" }))
    expect(json?.["response_modes_supported"]).toEqual(["query", "fragment", "form_post", "web_message", "jwt"])
    const without = await (
      await signedIn(await world({ more: { features: unsigning } }))
    ).get("/connect/authorize", request("web", { response_mode: "jwt" }))
    expect(without.params).toMatchObject({ error: "invalid_request", error_description: "The response_mode is not supported." })
  })

  test("OAuth 2.0 Multiple Response Types §5: a mode that carries no token refuses one, by the name it was asked by", async () => {
    const poor = defineFeature({ name: "poor", responseModes: [{ ...window, name: "poor", carriesTokens: false }] })
    const w = await world({ more: { features: [...features, poor] } })
    const answer = await (
      await signedIn(w)
    ).get("/connect/authorize", request("hybrid", { nonce: "n", response_mode: "poor", response_type: "id_token" }))
    expect(answer.params).toMatchObject({ error: "invalid_request", error_description: "The response_mode poor cannot carry a token." })
    expect(() =>
      defineClient({ client_id: "app", redirect_uris: ["https://app.example/cb"], response_lifetime: 0 } as never, { features }),
    ).toThrow("response_lifetime")
  })
})
