import { createHash } from "node:crypto"
import { createLocalJWKSet, jwtVerify } from "jose"
import { expect, test } from "vitest"
import { authorize, claimsOf, codeFor, headerOf, post, redeem, refresh, signedIn, token, tokensFor, userinfo } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import { beginning, clients, issuer, world } from "../support/world.ts"

test("OpenID Connect Core §2: the ID token says iss, sub, aud, exp, iat, jti, auth_time, nonce, amr and sid, and is signed by a published key", async () => {
  const w = await world()
  const { json } = await redeem(w, await codeFor(w, "web", { nonce: "n-1" }))
  const keys = said(await w.send({ path: "/.well-known/openid-configuration/jwks" })).json as unknown as Parameters<
    typeof createLocalJWKSet
  >[0]
  const { payload, protectedHeader } = await jwtVerify(String(json?.["id_token"]), createLocalJWKSet(keys), {
    issuer,
    audience: "web",
    currentDate: new Date(beginning * 1000),
  })
  expect(protectedHeader).toMatchObject({ alg: "RS256", typ: "JWT", kid: expect.any(String) })
  expect(payload).toEqual({
    iss: issuer,
    sub: "sub-alice",
    aud: "web",
    exp: beginning + 300,
    iat: beginning,
    jti: expect.stringMatching(new RegExp(`^${String(claimsOf(String(json?.["access_token"]))["jti"]).split(".")[0]}[.]`)),
    auth_time: beginning,
    nonce: "n-1",
    amr: ["pwd"],
    acr: "urn:postern:password",
    sid: expect.any(String),
    at_hash: createHash("sha256").update(String(json?.["access_token"])).digest().subarray(0, 16).toString("base64url"),
  })
})

test.each(["short", "x".repeat(2048), "ünï©ødé 💙 &=#%+", '"\\<script>'])(
  "OpenID Connect Core §3.1.2.1: the nonce comes back byte for byte: %#",
  async (nonce) => {
    const w = await world()
    const { json } = await redeem(w, await codeFor(w, "web", { nonce }))
    expect(claimsOf(String(json?.["id_token"]))["nonce"]).toBe(nonce)
  },
)

test("OpenID Connect Core §5.4: user claims go to userinfo, not into the ID token, when an access token is issued", async () => {
  const w = await world()
  const { id_token, access_token } = await tokensFor(w, "web", "openid profile email")
  expect(claimsOf(id_token)).not.toHaveProperty("email")
  expect((await userinfo(w, access_token)).json).toMatchObject({ sub: claimsOf(id_token)["sub"], email: "alice@example.com" })
})

test("behaviour, tokens: a client may have user claims in its ID token", async () => {
  const w = await world({ clients: clients.map((each) => (each.client_id === "web" ? { ...each, id_token_user_claims: true } : each)) })
  expect(claimsOf((await tokensFor(w, "web", "openid email")).id_token)).toMatchObject({ email: "alice@example.com", sub: "sub-alice" })
})

test("RFC 9068 §2: a JWT access token has typ at+jwt and the claims of §2.2", async () => {
  const w = await world()
  const { access_token } = await tokensFor(w, "web", "openid api.read")
  expect(headerOf(access_token)).toMatchObject({ typ: "at+jwt", alg: "RS256" })
  expect(claimsOf(access_token)).toEqual({
    iss: issuer,
    sub: "sub-alice",
    aud: "https://api.example",
    client_id: "web",
    scope: "openid api.read",
    iat: beginning,
    exp: beginning + 3600,
    jti: expect.any(String),
    auth_time: beginning,
    amr: ["pwd"],
    acr: "urn:postern:password",
    sid: expect.any(String),
  })
})

test("RFC 9068 §2.2: every access token has its own jti", async () => {
  const w = await world()
  const made = await Promise.all(
    Array.from(
      { length: 50 },
      async () => claimsOf(String((await token(w, "machine", { grant_type: "client_credentials" })).json?.["access_token"]))["jti"],
    ),
  )
  expect(new Set(made).size).toBe(50)
})

test("RFC 7518 §3.4: a client may ask for ES256", async () => {
  const w = await world({
    clients: clients.map((each) =>
      each.client_id === "web"
        ? { ...each, id_token_signed_response_alg: "ES256" as const, access_token_signed_response_alg: "ES256" as const }
        : each,
    ),
  })
  const { id_token, access_token } = await tokensFor(w)
  expect([headerOf(id_token)["alg"], headerOf(access_token)["alg"]]).toEqual(["ES256", "ES256"])
})

const plainTyp = { clients: clients.map((each) => (each.client_id === "web" ? { ...each, access_token_typ: "jwt" as const } : each)) }

test("RFC 7519 §5.1: a client's access tokens have the typ JWT where its resource servers want it, and work as others do", async () => {
  const w = await world(plainTyp)
  const { access_token, refresh_token } = await tokensFor(w, "web", "openid offline_access api.read")
  expect(headerOf(access_token)["typ"]).toBe("JWT")
  expect((await userinfo(w, access_token)).json).toMatchObject({ sub: "sub-alice" })
  expect((await post(w, "/connect/introspect", "web", { token: access_token })).json).toMatchObject({ active: true, client_id: "web" })
  expect((await post(w, "/connect/revocation", "web", { token: access_token })).json).toMatchObject({ error: "unsupported_token_type" })
  expect(headerOf(String((await refresh(w, refresh_token)).json?.["access_token"]))["typ"]).toBe("JWT")
})

test("RFC 8725 §3.12: under one typ an ID token is no access token, nor an access token an ID token", async () => {
  const w = await world(plainTyp)
  const { id_token, access_token } = await tokensFor(w)
  expect(headerOf(id_token)["typ"]).toBe(headerOf(access_token)["typ"])
  expect((await userinfo(w, id_token)).status).toBe(401)
  expect((await post(w, "/connect/introspect", "web", { token: id_token })).json).toEqual({ active: false })
  const hinted = await authorize(await signedIn(w), "web", { prompt: "none", id_token_hint: access_token })
  expect(hinted.params).toMatchObject({ error: "invalid_request" })
  const signedOut = await w.visitor().get("/connect/endsession", { id_token_hint: access_token })
  expect(signedOut.status).toBe(400)
  expect((await authorize(await signedIn(w), "web", { prompt: "none", id_token_hint: id_token })).params).toHaveProperty("code")
})

test("RFC 6749 §4.4.3: client_credentials give neither refresh token nor ID token, and sub is the client", async () => {
  const w = await world()
  const { json } = await token(w, "machine", { grant_type: "client_credentials" })
  expect(Object.keys(json ?? {}).sort()).toEqual(["access_token", "expires_in", "scope", "token_type"])
  expect(claimsOf(String(json?.["access_token"]))).toMatchObject({ sub: "machine", client_id: "machine" })
})

test("OpenID Connect Core §12.2: a refreshed ID token keeps iss, sub, aud and auth_time, has a new iat and no nonce", async () => {
  const w = await world()
  const answer = await redeem(w, await codeFor(w, "web", { scope: "openid offline_access", nonce: "n" }))
  w.pass(100)
  const next = await refresh(w, String(answer.json?.["refresh_token"]))
  const [first, second] = [claimsOf(String(answer.json?.["id_token"])), claimsOf(String(next.json?.["id_token"]))]
  for (const name of ["iss", "sub", "aud", "auth_time", "sid"]) expect(second[name]).toEqual(first[name])
  expect(second["iat"]).toBe(Number(first["iat"]) + 100)
  expect(second).not.toHaveProperty("nonce")
})

test("RFC 9700 §4.14.2: within the grace a rotated refresh token answers with the same successor, and only one tip lives", async () => {
  const w = await world()
  const { refresh_token } = await tokensFor(w)
  const first = await refresh(w, refresh_token)
  const again = await refresh(w, refresh_token)
  expect(first.json?.["refresh_token"]).not.toBe(refresh_token)
  expect(again.json?.["refresh_token"]).toBe(first.json?.["refresh_token"])
  expect(again.json?.["access_token"]).not.toBe(first.json?.["access_token"])
})

test("RFC 6749 §10.10: a code, a refresh token and a reference token each hold 256 random bits and are printable", async () => {
  const w = await world()
  const { access_token, refresh_token } = await tokensFor(w, "opaque")
  for (const handle of [await codeFor(w), access_token, refresh_token]) {
    expect(handle).toMatch(/^[car]_[A-Za-z0-9_-]{59}$/)
    expect(Buffer.from(handle.slice(18), "base64url").length).toBe(32)
  }
})
