import { createHash } from "node:crypto"
import { expect, test } from "vitest"
import { authorize, claimsOf, redeem, signedIn, userinfo } from "../support/flows.ts"
import { world } from "../support/world.ts"

const half = (value: string): string => createHash("sha256").update(value).digest().subarray(0, 16).toString("base64url")

const hybrid = async (response_type: string, scope = "openid email") => {
  const w = await world()
  const { params } = await authorize(await signedIn(w), "hybrid", { response_type, scope, nonce: "n" })
  return { w, params, claims: params["id_token"] === undefined ? {} : claimsOf(params["id_token"]) }
}

test("OpenID Connect Core §3.3.2.11: c_hash and at_hash bind what comes with the ID token", async () => {
  const { params, claims } = await hybrid("code id_token token")
  expect(claims).toMatchObject({ c_hash: half(params["code"] ?? ""), at_hash: half(params["access_token"] ?? ""), nonce: "n" })
})

test("OpenID Connect Core §3.2.2.10: at_hash, and no c_hash, where no code came", async () => {
  const { params, claims } = await hybrid("id_token token")
  expect(claims).toMatchObject({ at_hash: half(params["access_token"] ?? "") })
  expect(claims).not.toHaveProperty("c_hash")
})

test("OpenID Connect Core §5.4: claims go to userinfo where an access token came, and not into the ID token", async () => {
  const { w, params, claims } = await hybrid("id_token token")
  expect(claims).not.toHaveProperty("email")
  expect((await userinfo(w, params["access_token"])).json).toMatchObject({ sub: claims["sub"], email: "alice@example.com" })
})

test("OpenID Connect Core §3.3.3.6: both ID tokens of the hybrid flow name the same iss, sub and nonce", async () => {
  const { w, params, claims } = await hybrid("code id_token")
  const answer = await redeem(w, params["code"] ?? "", "hybrid")
  const second = claimsOf(String(answer.json?.["id_token"]))
  for (const name of ["iss", "sub", "nonce", "sid"]) expect(second[name]).toEqual(claims[name])
})

test("RFC 6749 §4.1.2: a replayed code of the hybrid flow revokes the access token that came with it", async () => {
  const { w, params } = await hybrid("code token")
  await redeem(w, params["code"] ?? "", "hybrid")
  await redeem(w, params["code"] ?? "", "hybrid")
  expect((await userinfo(w, params["access_token"])).status).toBe(401)
})
