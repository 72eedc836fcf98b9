import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import type { Surfer } from "../support/surfer.ts"
import {
  ask,
  basic,
  challenge,
  claimsOf,
  codeFor,
  config,
  introspect,
  operate,
  password,
  pause,
  post,
  redeem,
  refresh,
  refusal,
  refused,
  signedIn,
  token,
  tokensFor,
  userinfo,
  verifier,
} from "./setting.ts"

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

const grantError = refused("invalid_grant")

for (const [title, changes, clientId, cites] of [
  ["of another client", {}, "other", "RFC 6749 §4.1.3"],
  ["of another, public client", {}, "spa", "RFC 6749 §4.1.3"],
  ["with another redirect_uri of the same client", { redirect_uri: "https://app.example/cb?tab=1" }, "web", "RFC 6749 §4.1.3"],
  ["without the redirect_uri", { redirect_uri: undefined }, "web", "RFC 6749 §4.1.3"],
  ["with an empty redirect_uri", { redirect_uri: "" }, "web", "RFC 6749 §3.1"],
  ["with a wrong verifier", { code_verifier: "w".repeat(43) }, "web", "RFC 7636 §4.6"],
  ["without the verifier", { code_verifier: undefined }, "web", "RFC 7636 §4.6"],
  ["with an empty verifier", { code_verifier: "" }, "web", "RFC 7636 §4.6"],
  ["with the challenge for a verifier", { code_verifier: challenge }, "web", "RFC 7636 §4.6"],
  ["with a verifier too long", { code_verifier: "v".repeat(129) }, "web", "RFC 7636 §4.1"],
] as const)
  test(`security-checklist, Token: a code ${title} -> 400 invalid_grant (${cites})`, async () => {
    const answer = await redeem(server, await codeFor(server, alice), clientId, changes)
    expect(refusal(answer)).toEqual(grantError)
    expect(answer.json["access_token"]).toBeUndefined()
  })

test("security-checklist, Token: a verifier where no challenge was -> invalid_grant (RFC 9700 §2.1.1, §4.8)", async () => {
  const code = await codeFor(server, alice, "old", { code_challenge: undefined, code_challenge_method: undefined })
  expect(refusal(await redeem(server, code, "old"))).toEqual(grantError)
})

test("security-checklist, Token: a code that expired -> 400 invalid_grant (RFC 6749 §4.1.2)", async () => {
  const code = await codeFor(server, alice, "brief")
  await pause(2000)
  expect(refusal(await redeem(server, code, "brief"))).toEqual(grantError)
})

test("security-checklist, Token: a code that is spoilt, cut, longer or in another case -> 400 invalid_grant (RFC 6749 §10.10)", async () => {
  const code = await codeFor(server, alice)
  const flipped = `${code.slice(0, -1)}${code.endsWith("A") ? "B" : "A"}`
  for (const wrong of [flipped, code.slice(0, -1), `${code}A`, code.toUpperCase(), ` ${code}`, `${code}\u0000`, "c_", "' OR 1=1 --"])
    expect(refusal(await redeem(server, wrong))).toEqual(grantError)
  expect((await redeem(server, code)).status).toBe(200)
})

test("security-checklist, Token: a used code -> invalid_grant, and the tokens issued from it die (RFC 6749 §4.1.2)", async () => {
  const code = await codeFor(server, alice, "web", { scope: "openid offline_access" })
  const { json } = await redeem(server, code)
  const access = String(json["access_token"])
  expect((await userinfo(server, access)).status).toBe(200)
  expect(refusal(await redeem(server, code))).toEqual(grantError)
  expect((await userinfo(server, access)).status).toBe(401)
  expect((await introspect(server, "web", access)).body).toBe('{"active":false}')
  expect(refusal(await refresh(server, String(json["refresh_token"])))).toEqual(grantError)
})

test("security-checklist, Token: of many redemptions of one code at once, one at most succeeds (RFC 6749 §4.1.2)", async () => {
  const code = await codeFor(server, alice)
  const answers = await Promise.all(Array.from({ length: 12 }, () => redeem(server, code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const answer of answers) if (answer.status !== 200) expect(refusal(answer)).toEqual(grantError)
})

test("security-checklist, Token: a failed redemption by another client does not use the code up (RFC 6749 §4.1.3)", async () => {
  const code = await codeFor(server, alice)
  await redeem(server, code, "other")
  expect((await redeem(server, code)).status).toBe(200)
})

test("security-checklist, Token: a refresh token is bound to its client (RFC 6749 §6)", async () => {
  const { refresh: mine } = await tokensFor(server, alice)
  for (const thief of ["other", "spa"]) expect(refusal(await refresh(server, mine, thief))).toEqual(grantError)
  expect((await refresh(server, mine)).status).toBe(200)
})

test("security-checklist, Token: refresh with a wider scope -> invalid_scope; narrower works and does not shrink the grant (RFC 6749 §6)", async () => {
  const first = await tokensFor(server, alice, "web", "openid email offline_access")
  expect(refusal(await refresh(server, first.refresh, "web", { scope: "openid api.read" }))).toEqual(refused("invalid_scope"))
  const narrow = await refresh(server, first.refresh, "web", { scope: "openid" })
  expect([narrow.status, narrow.json["scope"]]).toEqual([200, "openid"])
  expect((await userinfo(server, String(narrow.json["access_token"]))).json).toEqual({ sub: "sub-alice" })
  const next = await refresh(server, String(narrow.json["refresh_token"]))
  expect([next.status, next.json["scope"]]).toEqual([200, "openid email offline_access"])
})

for (const clientId of ["spa", "strict"])
  test(`security-checklist, Token: refresh of ${clientId} rotates, and reuse kills the family (RFC 9700 §4.14.2)`, async () => {
    const first = await tokensFor(server, alice, clientId)
    const second = await refresh(server, first.refresh, clientId)
    expect([second.status, second.json["refresh_token"] === first.refresh]).toEqual([200, false])
    expect(refusal(await refresh(server, first.refresh, clientId))).toEqual(grantError)
    expect(refusal(await refresh(server, String(second.json["refresh_token"]), clientId))).toEqual(grantError)
    expect((await userinfo(server, String(second.json["access_token"]))).status).toBe(401)
  })

test("security-checklist, Token: the ID token on refresh keeps iss, sub, aud and auth_time (OpenID Connect Core §12.2)", async () => {
  const { params } = await ask(server, alice, { scope: "openid offline_access", max_age: "100000", nonce: "n" })
  const first = await redeem(server, params["code"] ?? "")
  const again = claimsOf(String((await refresh(server, String(first.json["refresh_token"]))).json["id_token"]))
  const { iss, sub, aud, auth_time } = claimsOf(String(first.json["id_token"]))
  expect(again).toMatchObject({ iss, sub, aud, auth_time })
})

test("security-checklist, Token: refresh and code of a disabled user -> invalid_grant, their tokens are dead (Keycloak GHSA-wv3h)", async () => {
  const erin = await signedIn(server, "erin")
  const { access, refresh: mine } = await tokensFor(server, erin)
  const code = await codeFor(server, erin)
  await operate(server, "user", "disable", "erin")
  expect(refusal(await refresh(server, mine))).toEqual(grantError)
  expect(refusal(await redeem(server, code))).toEqual(grantError)
  expect((await userinfo(server, access)).status).toBe(401)
  expect((await introspect(server, "web", access)).body).toBe('{"active":false}')
  expect((await ask(server, erin, { prompt: "none" })).params["error"]).toBe("login_required")
})

test("security-checklist, Token: client_credentials gives no refresh token and no ID token (RFC 6749 §4.4.3)", async () => {
  const { json, status } = await token(server, "web", { grant_type: "client_credentials" })
  expect([status, Object.keys(json).toSorted()]).toEqual([200, ["access_token", "expires_in", "scope", "token_type"]])
  for (const scope of ["openid", "offline_access", "api.read openid"])
    expect(refusal(await token(server, "web", { grant_type: "client_credentials", scope }))).toEqual(refused("invalid_scope"))
})

test("security-checklist, Token: the sub of a client's own token is the client, and no user's (RFC 9700 §4.15)", async () => {
  const { json } = await token(server, "machine", { grant_type: "client_credentials", username: "alice", sub: "sub-alice" })
  expect(claimsOf(String(json["access_token"]))).toMatchObject({ sub: "machine", client_id: "machine" })
})

test("security-checklist, Token: password: unknown user, wrong password, disabled: the same 400 invalid_grant (RFC 6749 §5.2)", async () => {
  const asked = async (username: string, given: string) =>
    token(server, "ropc", { grant_type: "password", username, password: given, scope: "openid" })
  expect((await asked("bob", password)).status).toBe(200)
  const answers = await Promise.all([asked("bob", "wrong"), asked("nobody", "wrong"), asked("dora", password), asked("dora", "wrong")])
  for (const answer of answers) {
    expect(refusal(answer)).toEqual(grantError)
    expect(answer.body).toBe(answers[0]?.body)
    expect(answer.header("www-authenticate")).toBeUndefined()
  }
})

// The equal work for an unknown user is shown where hashes can be counted: test/store/people.test.ts.
test("security-checklist, Token: password: a known and an unknown user get the same answers, time after time (RFC 9700 §4.7)", async () => {
  for (let turn = 0; turn < 3; turn++) {
    const [known, unknown] = await Promise.all(
      ["carol", `nobody-${turn}`].map((username) =>
        token(server, "ropc", { grant_type: "password", username, password: "wrong", scope: "openid" }),
      ),
    )
    expect(known?.status).toBe(400)
    expect(known?.body).toContain("invalid_grant")
    expect(unknown?.body).toBe(known?.body)
  }
})

test("security-checklist, Token: password: after too many wrong ones it is 429 invalid_grant for the right one too, and for whoever does not exist (RFC 6749 §4.3.2)", async () => {
  const asked = async (username: string, given: string) => token(server, "ropc", { grant_type: "password", username, password: given })
  const answers = []
  for (const username of ["carol", "nobody-of-that-name"]) {
    for (let turn = 0; turn < 7; turn++) await asked(username, "wrong")
    const over = await asked(username, password)
    expect(Number(over.header("retry-after"))).toBeGreaterThan(0)
    answers.push([refusal(over), over.body])
  }
  expect(answers[0]).toEqual([refused("invalid_grant", 429), expect.stringContaining("Too many failed attempts")])
  expect(answers[1]).toEqual(answers[0])
})

test("security-checklist, Token: a resource that is not in the grant -> invalid_target (RFC 8707 §2.2)", async () => {
  const code = async () => codeFor(server, alice, "web", { scope: "openid offline_access api.read" })
  for (const resource of ["https://billing.example", "https://evil.example", "nonsense", "https://api.example#x"])
    expect(refusal(await redeem(server, await code(), "web", { resource }))).toEqual(refused("invalid_target"))
  const { json } = await redeem(server, await code())
  const wide = { resource: "https://billing.example" }
  expect(refusal(await refresh(server, String(json["refresh_token"]), "web", wide))).toEqual(refused("invalid_target"))
  expect(refusal(await token(server, "machine", { grant_type: "client_credentials", ...wide }))).toEqual(refused("invalid_target"))
})

test("security-checklist, Token: a replay with the wrong secret or verifier tells nothing and kills nothing it should not (RFC 6749 §4.1.2)", async () => {
  const code = await codeFor(server, alice)
  const { json } = await redeem(server, code)
  const fields = { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: verifier }
  const answer = await post(server, "/connect/token", undefined, fields, [["authorization", basic("web", "wrong")]])
  expect(refusal(answer)).toEqual(refused("invalid_client", 401))
  expect((await userinfo(server, String(json["access_token"]))).status).toBe(200)
})
