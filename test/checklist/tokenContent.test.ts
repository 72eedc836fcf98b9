import { createPublicKey, verify } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import type { Surfer } from "../support/surfer.ts"
import { ask, claimsOf, codeFor, config, halfHash, headOf, redeem, send, signedIn, token, tokensFor } from "./setting.ts"

let server: RunningServer
let alice: Surfer
beforeAll(async () => {
  server = await serve(config)
  alice = await signedIn(server)
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const now = (): number => Math.floor(Date.now() / 1000)

/** Checks a signature against the published keys (RS256). */
const isSigned = async (jwt: string): Promise<boolean> => {
  const { json } = await send(server, "GET", "/.well-known/openid-configuration/jwks")
  const key = (json["keys"] as ReadonlyArray<Record<string, string>>).find(({ kid }) => kid === headOf(jwt)["kid"])
  if (key === undefined) return false
  const [head = "", payload = "", signature = ""] = jwt.split(".")
  const publicKey = createPublicKey({ key, format: "jwk" })
  return verify("sha256", Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(signature, "base64url"))
}

test("security-checklist, Token: the ID token has iss exact, aud, exp, iat, and a sub of at most 255 ASCII characters (OpenID Connect Core §2)", async () => {
  const { id } = await tokensFor(server, alice)
  const { iss, aud, exp, iat, sub } = claimsOf(id)
  expect([iss, aud, sub, Number(exp) - Number(iat)]).toEqual([server.url, "web", "sub-alice", 300])
  expect(Math.abs(Number(iat) - now())).toBeLessThan(10)
  expect(sub).toMatch(/^[\x21-\x7e]{1,255}$/)
  expect(await isSigned(id)).toBe(true)
})

test("security-checklist, Token: nonce is echoed byte for byte, 2 KB and unicode too; without one there is none (OpenID Connect Core §3.1.3.7)", async () => {
  for (const nonce of ["n", "x".repeat(2048), `日本 "\\</script> \u0000\u2028é`, "null", "0", " a "]) {
    const { json } = await redeem(server, await codeFor(server, alice, "web", { nonce }))
    expect(claimsOf(String(json["id_token"]))["nonce"]).toBe(nonce)
  }
  const { json } = await redeem(server, await codeFor(server, alice))
  expect(claimsOf(String(json["id_token"]))).not.toHaveProperty("nonce")
})

test("security-checklist, Token: kid of the ID token is in the JWKS and its typ is not an access token's (RFC 8725 §3.11)", async () => {
  const { id, access } = await tokensFor(server, alice)
  expect([await isSigned(id), await isSigned(access)]).toEqual([true, true])
  expect(headOf(id)["typ"]).not.toBe("at+jwt")
})

test("security-checklist, Token: a JWT access token has typ at+jwt, iss, exp, aud, sub, client_id, iat, jti (RFC 9068 §2.2)", async () => {
  const [first, second] = [await tokensFor(server, alice), await tokensFor(server, alice)]
  expect(headOf(first.access)).toMatchObject({ typ: "at+jwt", alg: "RS256" })
  const claims = claimsOf(first.access)
  expect(claims).toMatchObject({ iss: server.url, sub: "sub-alice", client_id: "web", scope: "openid offline_access" })
  expect(Number(claims["exp"]) - Number(claims["iat"])).toBe(3600)
  expect(claims["jti"]).not.toBe(claimsOf(second.access)["jti"])
  for (const name of ["email", "name", "phone_number", "nonce"]) expect(claims).not.toHaveProperty(name)
})

test("security-checklist, Token: aud is only what was asked and granted (RFC 9068 §3, RFC 8707 §2.2)", async () => {
  const audienceOf = async (scope: string, resource?: string) => {
    const { json } = await redeem(server, await codeFor(server, alice, "web", { scope }), "web", { resource })
    const { aud, scope: given } = claimsOf(String(json["access_token"]))
    return [aud, given]
  }
  expect(await audienceOf("openid")).toEqual([server.url, "openid"])
  expect(await audienceOf("openid api.read")).toEqual(["https://api.example", "openid api.read"])
  expect(await audienceOf("openid api.read", "https://api.example")).toEqual(["https://api.example", "api.read"])
  const { json } = await token(server, "machine", { grant_type: "client_credentials", scope: "api.read" })
  expect(claimsOf(String(json["access_token"]))["aud"]).toBe("https://api.example")
})

for (const response_type of ["code id_token", "code token", "code id_token token", "id_token token", "id_token"])
  test(`security-checklist, Authorize: ${response_type}: c_hash with a code, at_hash with a token, and neither without (OpenID Connect Core §3.2.2.10, §3.3.2.11)`, async () => {
    const { params, mark } = await ask(server, alice, { response_type, nonce: "n" }, "hybrid")
    expect(mark).toBe("#")
    const { code, access_token, id_token } = params
    expect([code !== undefined, access_token !== undefined, id_token !== undefined]).toEqual(
      ["code", "token", "id_token"].map((word) => response_type.split(" ").includes(word)),
    )
    expect(params["refresh_token"]).toBeUndefined()
    if (id_token === undefined) return
    expect(await isSigned(id_token)).toBe(true)
    const claims = claimsOf(id_token)
    expect([claims["c_hash"], claims["at_hash"], claims["nonce"]]).toEqual([
      code === undefined ? undefined : halfHash(code),
      access_token === undefined ? undefined : halfHash(access_token),
      "n",
    ])
  })

test("security-checklist, Authorize: at_hash comes with the ID token of the token endpoint, and sub, iss and nonce agree with the front channel's (OpenID Connect Core §3.3.3.6)", async () => {
  const { params } = await ask(server, alice, { response_type: "code id_token", nonce: "n" }, "hybrid")
  const { json } = await redeem(server, params["code"] ?? "", "hybrid")
  const claims = claimsOf(String(json["id_token"]))
  const { iss, sub, nonce } = claimsOf(params["id_token"] ?? "")
  expect(claims).toMatchObject({ iss, sub, nonce, at_hash: halfHash(String(json["access_token"])) })
})

test("security-checklist, Authorize: implicit and hybrid answers never carry a refresh token, offline_access or not (RFC 6749 §4.2.2)", async () => {
  for (const response_type of ["code token", "code id_token token", "id_token token"]) {
    const { params } = await ask(server, alice, { response_type, nonce: "n", scope: "openid offline_access" }, "hybrid")
    expect([Object.keys(params).includes("refresh_token"), params["state"]]).toEqual([false, "st"])
  }
})

test("security-checklist, Token: user claims stay out of tokens unless they are asked for (OpenID Connect Core §5.4)", async () => {
  const { id } = await tokensFor(server, alice, "web", "openid email profile offline_access")
  for (const name of ["email", "name", "phone_number"]) expect(claimsOf(id)).not.toHaveProperty(name)
  const { params } = await ask(server, alice, { response_type: "id_token", nonce: "n", scope: "openid email" }, "hybrid")
  expect(claimsOf(params["id_token"] ?? "")).toMatchObject({ email: "alice@example.com" })
  expect(claimsOf(params["id_token"] ?? "")).not.toHaveProperty("phone_number")
})
