import { defaultFeatures, defineClient } from "@postern/core"
import { describe, expect, test } from "vitest"
import { certificates } from "../../examples/certificates.ts"
import { basic } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import { type World, clients, world } from "../support/world.ts"

const features = [...defaultFeatures, certificates]
const own = Uint8Array.of(1, 2, 3)
const registered_certificate = Buffer.from(own).toString("base64url")
const robot = {
  client_id: "robot",
  token_endpoint_auth_method: "certificate",
  grant_types: ["client_credentials"],
  response_types: [],
  scope: "api.read",
  registered_certificate,
}
const machine = clients.find(({ client_id }) => client_id === "machine") ?? { client_id: "machine" }

const certified = () => world({ more: { features }, clients: [robot, machine] })

const asked = async (w: World, der: Uint8Array | undefined, client_id = "robot", more: Readonly<Record<string, string>> = {}) => {
  const { authorization, ...fields } = more
  const answer = await w.send({
    method: "POST",
    path: "/connect/token",
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "api.read", client_id, ...fields }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...(authorization === undefined ? {} : { authorization }) },
    ...(der === undefined ? {} : { peerCertificate: { der, verified: true } }),
  })
  const { status, json } = said(answer)
  return { status, error: json?.["error"], refused: w.trails.at(-1)?.steps.find(({ refused }) => refused !== undefined)?.refused }
}

describe("a way of client authentication is a value of a feature (architecture law 10)", () => {
  test("RFC 8705 §2: a client shows what it is registered with, and gets its token; it shows nothing or another, and gets none", async () => {
    const w = await certified()
    expect(await asked(w, own)).toMatchObject({ status: 200 })
    const [none, other] = [await asked(w, undefined), await asked(w, Uint8Array.of(9))]
    expect(none).toMatchObject({ status: 401, error: "invalid_client", refused: { rule: "certificates.shown", cites: "RFC 8705 §2" } })
    expect(other).toMatchObject({ status: 401, error: "invalid_client", refused: { rule: "certificates.own" } })
  })

  test("RFC 7591 §2: a client authenticates by its own method alone, whatever certificate its connection has", async () => {
    const w = await certified()
    expect(await asked(w, own, "robot", { client_secret: "x" })).toMatchObject({ status: 401, refused: { rule: "client.method" } })
    expect(await asked(w, own, "machine")).toMatchObject({ status: 401, refused: { rule: "client.secret-present" } })
    expect(await asked(w, own, "machine", { authorization: basic("machine") })).toMatchObject({ status: 200 })
    const without = await world({ clients: [robot] })
    expect(await asked(without, own)).toMatchObject({ status: 401, refused: { rule: "client.secret-present" } })
  })

  test("RFC 8414 §2: discovery names the way wherever clients authenticate", async () => {
    const { json } = said(await (await certified()).send({ path: "/.well-known/openid-configuration" }))
    for (const endpoint of ["token", "introspection", "revocation"])
      expect(json?.[`${endpoint}_endpoint_auth_methods_supported`]).toContain("certificate")
    expect(json?.["token_endpoint_auth_signing_alg_values_supported"]).toContain("ES256")
  })

  test("RFC 7591 §2: it is registered by the rules of its feature, has no secret, and is refused where the feature is not", () => {
    const { registered_certificate: _given, scope: _scope, ...bare } = robot
    const whole = { ...bare, registered_certificate }
    expect(defineClient(whole, { features }).tokenEndpointAuthMethod).toBe("certificate")
    expect(() => defineClient(bare, { features })).toThrow("registered_certificate: is missing")
    expect(() => defineClient({ ...whole, token_endpoint_auth_signing_alg: "ES256" }, { features })).toThrow("signs no assertions")
    expect(() => defineClient(bare, {})).toThrow("certificate is not a way of client authentication of this provider")
  })

  test("RFC 6749 §2.3: a way that proves nothing makes no provider: it would let everybody in", async () => {
    const open = { name: "mine", clientAuthentication: [{ method: "trust_me" }] }
    await expect(world({ more: { features: [...defaultFeatures, open] } })).rejects.toThrow(
      "features: the way of client authentication trust_me has no prove",
    )
  })

  test("architecture 10: two ways of one name make no provider", async () => {
    const twice = { name: "mine", clientAuthentication: [{ method: "none" }] }
    await expect(world({ more: { features: [...defaultFeatures, twice] } })).rejects.toThrow(
      "there is a way of client authentication named none already",
    )
  })
})
