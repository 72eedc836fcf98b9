import { type UpstreamProvider, upstreamProviders } from "@postern/adapter-http/upstream"
import { secretOf } from "@postern/core"
import type { IdentityProvidersPort, UpstreamOutcome } from "@postern/core/ports"
import { decodeJwt, exportJWK, generateKeyPair, jwtVerify } from "jose"
import { createHash } from "node:crypto"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type Script, type Scripted, scripted } from "./scripted.ts"

let theirs: Scripted
beforeEach(async () => {
  theirs = await scripted("postern")
})
afterEach(() => theirs.close())

const redirectUri = "https://op.example/login/callback/corp"
const codeVerifier = "v".repeat(43)
const attempt = { provider: "corp", redirectUri, state: "the state", nonce: "the nonce", codeVerifier } as const
const beginning = { ...attempt, loginHint: undefined, uiLocales: undefined, prompt: [], maxAge: undefined, acrValues: [] }

const provider = (more: Partial<UpstreamProvider> = {}): UpstreamProvider => ({
  name: "corp",
  issuer: theirs.issuer,
  clientId: "postern",
  authentication: { method: "client_secret_basic", secret: "s3:cret" },
  ...more,
})

/** Begins and comes back with an answer. */
const signIn = async (
  port: IdentityProvidersPort,
  script: Script = {},
  answer: Readonly<Record<string, string>> = { code: "c", state: attempt.state, iss: theirs.issuer },
): Promise<UpstreamOutcome> => {
  Object.assign(theirs.script, script)
  await port.begin(beginning)
  theirs.nonce = attempt.nonce
  return port.finish({ ...attempt, params: Object.entries(answer) })
}

const port = (more: Partial<UpstreamProvider> = {}): IdentityProvidersPort => upstreamProviders([provider(more)])

describe("what is sent", () => {
  test("OpenID Connect Core §3.1.2.1, RFC 7636 §4.3: the request, with an S256 challenge and without a secret", async () => {
    const url = new URL(
      await port({ scopes: ["openid", "groups"] }).begin({
        ...beginning,
        loginHint: "ann",
        uiLocales: "de en",
        prompt: ["login", "select_account"],
        maxAge: 0,
      }),
    )
    expect(url.origin + url.pathname).toBe(`${theirs.issuer}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: "postern",
      redirect_uri: redirectUri,
      response_type: "code",
      scope: "openid groups",
      state: "the state",
      nonce: "the nonce",
      code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
      code_challenge_method: "S256",
      login_hint: "ann",
      ui_locales: "de en",
      prompt: "login select_account",
      max_age: "0",
    })
  })

  test.each<readonly [string, Partial<UpstreamProvider>, string | null]>([
    ["as they are", {}, "urn:low urn:high"],
    ["by its own names, and no others", { acrValues: { "urn:high": "2fa", "urn:other": "x" } }, "2fa"],
    ["not at all, where none has a name there", { acrValues: { "urn:other": "x" } }, null],
  ])("OpenID Connect Core §3.1.2.1: authentication contexts are asked for %s", async (_, more, asked) => {
    const url = new URL(await port(more).begin({ ...beginning, acrValues: ["urn:low", "urn:high"] }))
    expect(url.searchParams.get("acr_values")).toBe(asked)
  })

  test("RFC 6749 §2.3.1: the code is redeemed with the verifier, the redirect_uri and the secret in the header", async () => {
    await signIn(port())
    expect(theirs.tokenRequests).toEqual([
      {
        form: { grant_type: "authorization_code", code: "c", redirect_uri: redirectUri, code_verifier: codeVerifier },
        authorization: `Basic ${Buffer.from("postern:s3%3Acret").toString("base64")}`,
      },
    ])
  })

  test("RFC 6749 §4.1.2: an answer that comes twice at once is redeemed once, since the provider would take the other for a replay", async () => {
    const twice = port()
    await twice.begin(beginning)
    theirs.nonce = attempt.nonce
    const answerOf = (code: string) =>
      twice.finish({ ...attempt, params: Object.entries({ code, state: attempt.state, iss: theirs.issuer }) })
    const outcomes = await Promise.all(["c", "c", "other", "c"].map(async (code) => answerOf(code)))
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(Array.from({ length: 4 }, () => "Identified"))
    const redeemed = theirs.tokenRequests.map(({ form }) => form["code"])
    expect([redeemed.length, new Set(redeemed)]).toEqual([2, new Set(["c", "other"])])
    // Nothing is kept of it: one that comes later is for the provider to judge.
    Object.assign(theirs.script, { tokenAnswer: { status: 400, body: { error: "invalid_grant" } } })
    expect(await Promise.all([answerOf("c"), answerOf("c")])).toMatchObject([{ _tag: "Declined" }, { _tag: "Declined" }])
    expect(await answerOf("c")).toMatchObject({ _tag: "Declined" })
    expect(theirs.tokenRequests).toHaveLength(4)
  })

  test("RFC 6749 §2.3.1: client_secret_post puts it in the body, and none sends the client_id alone", async () => {
    await signIn(port({ authentication: { method: "client_secret_post", secret: "s" } }))
    await signIn(port({ authentication: { method: "none" } }))
    expect(theirs.tokenRequests.map(({ form }) => [form["client_id"], form["client_secret"]])).toEqual([
      ["postern", "s"],
      ["postern", undefined],
    ])
  })

  test.each(["ES256", "RS256", "PS256", "EdDSA"] as const)("RFC 7523 §3: private_key_jwt signs an assertion with %s", async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    const key = { ...(await exportJWK(privateKey)), alg, kid: "ours", use: "sig" }
    expect(await signIn(port({ authentication: { method: "private_key_jwt", key } }))).toMatchObject({ _tag: "Identified" })
    const { client_assertion = "", client_assertion_type } = theirs.tokenRequests[0]?.form ?? {}
    expect(client_assertion_type).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
    const { payload } = await jwtVerify(client_assertion, publicKey, { audience: theirs.issuer, issuer: "postern", subject: "postern" })
    expect(payload.jti).toBeTypeOf("string")
    expect(decodeJwt(client_assertion).exp).toBeLessThan(Date.now() / 1000 + 120)
  })
})

describe("who signed in", () => {
  test("OpenID Connect Core §2, §5.1: subject, issuer, times, and the standard claims of both answers with their types", async () => {
    const outcome = await signIn(port(), {
      claims: { email: "ann@corp.example", auth_time: 1_795_000_000, acr: "silver", amr: ["pwd", 7], given_name: 7 },
      userinfo: { email_verified: "true", phone_number_verified: "maybe", address: "somewhere", family_name: "", department: "Works" },
    })
    expect(outcome).toEqual({
      _tag: "Identified",
      identity: {
        provider: "corp",
        issuer: theirs.issuer,
        subject: "ann",
        claims: { name: "Ann", email: "ann@corp.example" },
        authTime: 1_795_000_000,
        acr: "silver",
        amr: ["pwd"],
      },
    })
  })

  test.each([
    ["2fa", "urn:high"],
    ["urn:high", undefined],
    ["unknown", undefined],
    [undefined, undefined],
  ])("OpenID Connect Core §2: an acr of %s is told by our name for it, and counts as none where it has none", async (acr, ours) => {
    const outcome = await signIn(port({ acrValues: { "urn:low": "1fa", "urn:high": "2fa" } }), { claims: acr === undefined ? {} : { acr } })
    expect(outcome).toMatchObject({ _tag: "Identified", identity: { acr: ours } })
  })

  test("OpenID Connect Core §5.7: email_verified and phone_number_verified are taken only from a provider that is trusted for them", async () => {
    const script = { claims: { email: "ann@corp.example", email_verified: true, phone_number_verified: true } }
    const claimsOf = async (more: Partial<UpstreamProvider>) => {
      const outcome = await signIn(port(more), script)
      return outcome._tag === "Identified" ? outcome.identity.claims : undefined
    }
    const verified = (claims: object | undefined) =>
      Object.keys(claims ?? {})
        .filter((name) => name.endsWith("_verified"))
        .sort()
    expect(verified(await claimsOf({}))).toEqual([])
    expect(verified(await claimsOf({ trustedClaims: ["email_verified"] }))).toEqual(["email_verified"])
    expect(verified(await claimsOf({ trustedClaims: ["email_verified", "phone_number_verified"] }))).toEqual([
      "email_verified",
      "phone_number_verified",
    ])
    // Nor by another name of theirs.
    expect(verified(await claimsOf({ claims: { email_verified: "email_verified", email: "email" } }))).toEqual([])
    expect(verified(await claimsOf({ claims: { phone_number_verified: "email_verified" }, trustedClaims: ["email_verified"] }))).toEqual([])
  })

  test("OpenID Connect Core §2: a mapping takes what it names, and never what only we may state", async () => {
    const claims = { unit: "department", sub: "department", acr: "department", toString: "department", none: "__proto__" }
    const outcome = await signIn(port({ claims }), { userinfo: { department: { name: "Works" } } })
    expect(outcome).toMatchObject({ identity: { subject: "ann", acr: undefined } })
    expect(outcome._tag === "Identified" ? Object.entries(outcome.identity.claims) : []).toEqual([
      ["unit", { name: "Works" }],
      ["toString", { name: "Works" }],
    ])
  })

  test("OpenID Connect Core §5.3: userinfo is not asked for what the ID token says already", async () => {
    await signIn(port({ claims: { name: "name" } }), { claims: { name: "Ann" } })
    expect(theirs.asked).not.toContain("/userinfo")
  })
})

describe("what is not believed", () => {
  const declines = async (script: Script, answer?: Readonly<Record<string, string>>) => {
    const outcome = await signIn(port(), script, answer)
    expect(outcome).toMatchObject({ _tag: "Declined" })
    return outcome
  }

  test.each<readonly [string, Script]>([
    ["OpenID Connect Core §3.1.3.7: another nonce", { claims: { nonce: "another" } }],
    ["OpenID Connect Core §3.1.3.7: no nonce", { claims: { nonce: undefined } }],
    ["OpenID Connect Core §3.1.3.7: another issuer", { claims: { iss: "https://evil.example" } }],
    ["OpenID Connect Core §3.1.3.7: another audience", { claims: { aud: "somebody" } }],
    ["OpenID Connect Core §3.1.3.7: expired", { claims: { exp: 1_700_000_000 } }],
    ["OpenID Connect Core §3.1.3.7: signed by a key that is not its own", { foreignKey: true }],
    ["OpenID Connect Core §5.3.2: userinfo about somebody else", { userinfo: { sub: "bea" } }],
    ["OpenID Connect Core §3.1.3.3: no ID token", { tokenAnswer: { status: 200, body: { access_token: "at", token_type: "Bearer" } } }],
    ["RFC 6749 §5.2: the code was refused", { tokenAnswer: { status: 400, body: { error: "invalid_grant" } } }],
  ])("%s", async (_, script) => {
    await declines(script)
  })

  test("RFC 9207 §2.4: no iss where it is announced, or another one; and nothing is redeemed", async () => {
    await declines({}, { code: "c", state: attempt.state })
    await declines({}, { code: "c", state: attempt.state, iss: "https://evil.example" })
    expect(theirs.tokenRequests).toEqual([])
  })

  test("RFC 6749 §10.12: another state; and nothing is redeemed", async () => {
    await declines({}, { code: "c", state: "another", iss: theirs.issuer })
    expect(theirs.tokenRequests).toEqual([])
  })

  test("OpenID Connect Core §3.1.2.6: an error, which tells whether the person turned back", async () => {
    const answer = { state: attempt.state, iss: theirs.issuer }
    expect(await declines({}, { ...answer, error: "access_denied" })).toMatchObject({ denied: true, reason: "it answered access_denied" })
    expect(await declines({}, { ...answer, error: "server_error" })).toMatchObject({ denied: false, reason: "it answered server_error" })
    expect(await declines({}, { ...answer, error: "<script>" })).toMatchObject({ reason: "it answered (not shown)" })
  })
})

describe("a provider that cannot be reached, or is not well", () => {
  test("law 7: it is thrown, and tried anew the next time", async () => {
    const one = port()
    Object.assign(theirs.script, { metadata: { issuer: "https://evil.example" } })
    await expect(one.begin(beginning)).rejects.toThrow("issuer")
    delete theirs.script.metadata
    expect(await one.begin(beginning)).toContain(theirs.issuer)
    const down = upstreamProviders([provider({ issuer: "http://127.0.0.1:1" })])
    await expect(down.begin(beginning)).rejects.toThrow()
    await expect(port().begin({ ...beginning, provider: "nobody" })).rejects.toThrow("no provider")
  })

  test("RFC 9110 §15.6: a token endpoint that is unwell is thrown", async () => {
    await expect(signIn(port(), { tokenAnswer: { status: 503, body: {} } })).rejects.toThrow()
    await expect(signIn(port(), { tokenAnswer: { status: 500, body: { error: "server_error" } } })).rejects.toThrow()
  })

  test("RFC 9110 §4.1: an answer that has no end is not read to it", async () => {
    await expect(signIn(port(), { padding: 300_000 })).rejects.toThrow("longer than")
  })

  test("RFC 9700 §2.6: nothing is fetched over http but from this machine", async () => {
    await expect(signIn(port(), { metadata: { token_endpoint: "http://192.0.2.1/token" } })).rejects.toThrow("https")
  })

  test("OpenID Connect Discovery §4: the document is kept, and the keys too until one is missing (OpenID Connect Core §10.1.1)", async () => {
    const one = port()
    await signIn(one)
    await signIn(one)
    expect(theirs.asked.filter((path) => path.startsWith("/.well-known"))).toHaveLength(1)
    expect(theirs.asked.filter((path) => path === "/jwks")).toHaveLength(1)
    await theirs.rotate()
    // The library waits a minute before it asks for keys again; what failed is forgotten, so the next try finds the new key.
    await signIn(one)
    expect(await signIn(one)).toMatchObject({ _tag: "Identified" })
  })
})

describe("passwords", () => {
  const ask = (more: Partial<UpstreamProvider>) =>
    port(more).password({ provider: "corp", username: "ann", password: secretOf("pass word") })

  test("RFC 6749 §4.3.2: are checked there where that is set up", async () => {
    Object.assign(theirs.script, { claims: { nonce: undefined } })
    expect(await ask({ passwordGrant: true })).toMatchObject({ _tag: "Identified", identity: { subject: "ann" } })
    expect(theirs.tokenRequests[0]?.form).toEqual({
      grant_type: "password",
      username: "ann",
      password: "pass word",
      scope: "openid profile email",
    })
  })

  test("OpenID Connect Core §5.3: without an ID token for a password, userinfo says whose it is", async () => {
    Object.assign(theirs.script, { tokenAnswer: { status: 200, body: { access_token: "at", token_type: "Bearer" } } })
    expect(await ask({ passwordGrant: true })).toMatchObject({
      _tag: "Identified",
      identity: { issuer: theirs.issuer, subject: "ann", claims: { name: "Ann" } },
    })
  })

  test("RFC 6749 §4.3: go nowhere where it is not", async () => {
    expect(await ask({})).toMatchObject({ _tag: "Declined" })
    expect(theirs.asked).toEqual([])
  })

  test("RFC 6749 §5.2: are declined when they are wrong, and its document is not fetched again for it", async () => {
    Object.assign(theirs.script, { tokenAnswer: { status: 400, body: { error: "invalid_grant" } } })
    const one = port({ passwordGrant: true })
    for (let turn = 0; turn < 3; turn++)
      expect(await one.password({ provider: "corp", username: "ann", password: secretOf("x") })).toMatchObject({
        _tag: "Declined",
        denied: true,
      })
    expect(theirs.asked.filter((path) => path.startsWith("/.well-known"))).toHaveLength(1)
  })
})

describe("keys of logout tokens (OpenID Connect Back-Channel Logout §2.6)", () => {
  const asked = { provider: "corp" }

  test("the issuer, our client_id, the announced algorithms and the keys; fetched once for a while, and the same object", async () => {
    const providers = port()
    const one = await providers.logoutKeys?.(asked)
    expect(one).toMatchObject({ issuer: theirs.issuer, clientId: "postern", algorithms: ["ES256"], keys: { keys: [{ kty: "EC" }] } })
    expect((await providers.logoutKeys?.(asked))?.keys).toBe(one?.keys)
    await theirs.rotate()
    // Somebody who names made-up keys does not have them fetched again at once.
    await expect(providers.logoutKeys?.({ ...asked, lacking: one?.keys })).rejects.toMatchObject({ name: "OutwardRefused", retryAfter: 30 })
    expect((await providers.logoutKeys?.(asked))?.keys).toBe(one?.keys)
    expect(theirs.asked.filter((path) => path === "/jwks")).toHaveLength(1)
  })

  test("OpenID Connect Core §3.1.3.7: RS256 alone where it announces no algorithm, and never none or a MAC", async () => {
    Object.assign(theirs.script, { metadata: { id_token_signing_alg_values_supported: undefined } })
    expect((await port().logoutKeys?.(asked))?.algorithms).toEqual(["RS256"])
    Object.assign(theirs.script, { metadata: { id_token_signing_alg_values_supported: ["none", "HS256", "PS256"] } })
    expect((await port().logoutKeys?.(asked))?.algorithms).toEqual(["PS256"])
  })

  test.each([
    ["that names no keys", { metadata: { jwks_uri: undefined } }],
    ["whose keys are longer than is read", { padding: 300_000 }],
    ["whose keys are elsewhere, over http", { metadata: { jwks_uri: "http://keys.example/jwks" } }],
  ])("a provider %s is not reached", async (_, script) => {
    const providers = port()
    Object.assign(theirs.script, script)
    await expect(providers.logoutKeys?.(asked)).rejects.toThrow()
  })
})
