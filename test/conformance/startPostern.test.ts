import { createHash } from "node:crypto"
import { type StartOptions, type TestProvider, startPostern } from "@postern/conformance/provider"
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose"
import * as client from "openid-client"
import { afterEach, describe, expect, it } from "vitest"
import { Surfer } from "../support/surfer.ts"

const started: Array<TestProvider> = []
afterEach(async () => {
  for (const each of started.splice(0)) await each.stop()
})

const start = async (options?: StartOptions): Promise<TestProvider> => {
  const op = await startPostern(options)
  started.push(op)
  return op
}

const discover = (op: TestProvider) =>
  client.discovery(new URL(op.issuer), "app", op.clients[0]?.client_secret, undefined, { execute: [client.allowInsecureRequests] })

/** A sign-in by openid-client, which checks what it gets. */
const codeFlow = async (op: TestProvider, configuration: client.Configuration, person: Parameters<TestProvider["authorize"]>[1]) => {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: "http://localhost:3000/callback",
    scope: "openid email offline_access",
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  })
  const back = await op.authorize(url, person)
  return client.authorizationCodeGrant(configuration, back, { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true })
}

const keysOf = async (op: TestProvider): Promise<ReadonlyArray<string>> => {
  const { keys } = (await (await fetch(`${op.issuer}/.well-known/openid-configuration/jwks`)).json()) as { keys: Array<{ kid: string }> }
  return keys.map(({ kid }) => kid)
}

const refresh = (op: TestProvider, refreshToken: string | undefined): Promise<Response> =>
  fetch(`${op.issuer}/connect/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`app:${op.clients[0]?.client_secret}`)}` },
    body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken ?? "" }),
  })

describe("startPostern", () => {
  it("a member that there is none of is refused, with the near one: a test that misspells one does not pass by the default", async () => {
    const op = await start()
    await expect(startPostern({ client: [] } as StartOptions)).rejects.toThrow(
      "startPostern: client: is no member of it; did you mean clients?",
    )
    await expect(startPostern({ clients: {} } as StartOptions)).rejects.toThrow(
      "startPostern: clients: is an object, and must be a list of objects",
    )
    await expect(op.mint({ audiance: "https://api.example" } as {})).rejects.toThrow(
      "mint: audiance: is no member of it; did you mean audience?",
    )
    await expect(op.signIn({ subjects: "bob" } as {})).rejects.toThrow("signIn: subjects: is no member of it; did you mean subject?")
    await expect(op.authorize(op.issuer, { claim: {} } as {})).rejects.toThrow("authorize: claim: is no member of it; did you mean claims?")
    expect(() => op.queue({ endpoint: "token", stats: 500 } as never)).toThrow("queue: stats: is no member of it; did you mean status?")
  })

  it("OpenID Connect Core §3.1: openid-client signs a person in, who is made known with their claims", async () => {
    const op = await start()
    const configuration = await discover(op)
    const tokens = await codeFlow(op, configuration, { subject: "bob", claims: { email: "bob@example.com" } })
    expect(tokens.claims()).toMatchObject({ iss: op.issuer, aud: "app", sub: "bob" })
    expect(await client.fetchUserInfo(configuration, tokens.access_token, "bob")).toMatchObject({ sub: "bob", email: "bob@example.com" })
  })

  it("RFC 6749 §6: a refresh token outlives its access token by the provider's clock, and ends by it too", async () => {
    const op = await start()
    const configuration = await discover(op)
    const tokens = await codeFlow(op, configuration, { subject: "bob" })
    await op.advance("2h")
    await expect(client.fetchUserInfo(configuration, tokens.access_token, "bob")).rejects.toMatchObject({ status: 401 })
    const next = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? "")
    expect(await client.fetchUserInfo(configuration, next.access_token, "bob")).toMatchObject({ sub: "bob" })
    await op.advance("366d")
    await expect(client.refreshTokenGrant(configuration, next.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" })
  })

  it("RFC 6749 §4.1.2: a code ends by the same clock", async () => {
    const op = await start({ at: 1_700_000_000 })
    const asked = new URLSearchParams({ client_id: "app", response_type: "code", scope: "openid", code_challenge_method: "S256" })
    asked.set("redirect_uri", "http://localhost:3000/callback")
    asked.set("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    const back = await op.authorize(`${op.issuer}/connect/authorize?${asked}`)
    await op.advance("1h")
    const { client_secret = "" } = op.clients[0] ?? {}
    const answer = await fetch(`${op.issuer}/connect/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`app:${client_secret}`)}` },
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: back.searchParams.get("code") ?? "",
        redirect_uri: "http://localhost:3000/callback",
        code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      }),
    })
    expect(await answer.json()).toMatchObject({ error: "invalid_grant" })
    expect(op.requests("token").at(-1)?.trail?.steps.at(-1)?.refused?.rule).toBe("code.fresh")
  })

  it("OpenID Connect Core §10.1.1: a client signs people in before and after the keys were rotated, though the clock stands still", async () => {
    const op = await start({ at: Math.floor(Date.now() / 1000) })
    const kids: Array<string | undefined> = []
    for (let turn = 0; turn < 3; turn++) {
      // Of its own, since a client asks for keys again only once in a while; this check makes it verify signatures.
      const configuration = await discover(op)
      client.enableNonRepudiationChecks(configuration)
      const { id_token = "" } = await codeFlow(op, configuration, { subject: "bob" })
      kids.push(decodeProtectedHeader(id_token).kid)
      await op.rotateKeys()
    }
    expect(new Set(kids).size).toBe(3)
    expect(await keysOf(op)).toEqual(expect.arrayContaining(kids))
    await op.rotateKeys({ forget: true })
    expect((await keysOf(op)).filter((kid) => kids.includes(kid))).toEqual([])
  })

  it("OpenID Connect Core §10.1.1: keys are rotated by themselves when their time comes", async () => {
    const op = await start()
    const before = await keysOf(op)
    await op.advance("80d")
    expect((await keysOf(op)).length).toBe(2 * before.length)
    await op.advance("30d")
    expect((await keysOf(op)).filter((kid) => before.includes(kid))).toEqual([])
  })

  it("RFC 9110 §15.6.4: an answer that is queued is given once, to its endpoint alone", async () => {
    const op = await start()
    op.queue({ endpoint: "token", status: 503, headers: { "Retry-After": "30" } })
    op.queue({ endpoint: "token", status: 400, body: { error: "invalid_grant" } })
    await expect(op.signIn()).rejects.toMatchObject({ name: "SignInRefused", message: "the code came to no tokens: status 503" })
    await expect(op.signIn()).rejects.toMatchObject({ error: "invalid_grant" })
    const { refreshToken } = await op.signIn()
    const asked = op.requests("token")
    expect(asked.map(({ queued, answer: { status }, trail }) => [queued, status, trail !== undefined])).toEqual([
      [true, 503, false],
      [true, 400, false],
      [false, 200, true],
    ])
    expect((await refresh(op, refreshToken)).status).toBe(200)
    expect(() => op.queue({ endpoint: "tokens" })).toThrow(/there is no endpoint "tokens"; there are authorize, /)
  })

  it("RFC 6749 §5.2: what is refused is told with the rule and its paragraph, by the error and by the trail", async () => {
    const op = await start()
    await expect(op.signIn({ scope: "openid payroll" })).rejects.toMatchObject({ error: "invalid_scope", message: /\((?:RFC|OpenID).*§/ })
    await expect(op.signIn({ redirectUri: "https://evil.example/" })).rejects.toThrow("authorize.redirect-uri-registered")
    const { refreshToken } = await op.signIn()
    expect((await refresh(op, refreshToken)).status).toBe(200)
    await op.advance("1h")
    expect((await refresh(op, refreshToken)).status).toBe(400)
    const { parameters, trail } = op.requests("token").at(-1) ?? {}
    expect(parameters).toEqual({ grant_type: "refresh_token", refresh_token: refreshToken })
    expect(trail?.steps.at(-1)?.refused).toMatchObject({ cites: expect.stringMatching(/§/) })
  })

  it("RFC 9068 §4: a token of any content verifies with the published keys", async () => {
    const op = await start()
    const jwks = createRemoteJWKSet(new URL(`${op.issuer}/.well-known/openid-configuration/jwks`))
    const good = await op.mint({
      subject: "bob",
      audience: "https://api.example",
      claims: { scope: "read", roles: ["admin"], jti: undefined },
    })
    const { payload } = await jwtVerify(good, jwks, { issuer: op.issuer, audience: "https://api.example", typ: "at+jwt" })
    expect(payload).toMatchObject({ sub: "bob", client_id: "app", scope: "read", roles: ["admin"] })
    expect(payload).not.toHaveProperty("jti")
    await expect(jwtVerify(await op.mint({ expiresIn: -10 }), jwks)).rejects.toMatchObject({ code: "ERR_JWT_EXPIRED" })
    const foreign = await op.mint({ kind: "id_token", alg: "ES256", claims: { iss: "https://other.example" } })
    expect(decodeProtectedHeader(foreign)).toMatchObject({ alg: "ES256", typ: "JWT" })
    await expect(jwtVerify(foreign, jwks, { issuer: op.issuer })).rejects.toMatchObject({ claim: "iss" })
  })

  it("RFC 7515 §A.1: a clock that stands in 2011 makes the vector verify, until it is moved beyond its exp", async () => {
    const vector =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    const key = Buffer.from("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow", "base64url")
    const op = await start({ at: 1_300_819_379 })
    const verified = () => jwtVerify(vector, key, { currentDate: new Date(op.now() * 1000) })
    expect((await verified()).payload.iss).toBe("joe")
    const { claims } = await op.signIn()
    expect(claims["iat"]).toBe(1_300_819_379)
    expect((await fetch(op.issuer)).headers.get("date")).toBe("Tue, 22 Mar 2011 18:42:59 GMT")
    await op.advance(1)
    await expect(verified()).rejects.toMatchObject({ code: "ERR_JWT_EXPIRED" })
  })

  it("lets anybody in with the claims that they type, where that is asked for, and nobody else where it is not", async () => {
    const typedInto = async (op: TestProvider, password: string, username = "Zoe", subject = username) => {
      const pkceCodeVerifier = client.randomPKCECodeVerifier()
      const configuration = await discover(op)
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: "http://localhost:3000/callback",
        scope: "openid email",
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
      })
      const surfer = new Surfer()
      const page = await surfer.follow(url.href)
      const back = await surfer.submit(await page.response.text(), page.url, { username, password })
      if (back.url.startsWith(op.issuer)) return undefined
      const { access_token } = await client.authorizationCodeGrant(configuration, new URL(back.url), { pkceCodeVerifier })
      return client.fetchUserInfo(configuration, access_token, subject)
    }
    // A person whom a test has named is anybody all the same, and keeps the claims of the test.
    const named = await start({ anyUser: true })
    await named.signIn({ subject: "Zoe", claims: { email: "named@example.com" } })
    expect(await typedInto(named, "anything")).toEqual({ sub: "Zoe", email: "named@example.com" })
    expect(await typedInto(named, '{"email":"zoe@example.com"}')).toEqual({ sub: "Zoe", email: "zoe@example.com" })
    const guarded = await start({ anyUser: true, people: [{ username: "zoe", subject: "Zoe", password: "hers" }] })
    await guarded.signIn({ subject: "Zoe", claims: { email: "hers@example.com" } })
    expect(await typedInto(guarded, "anything")).toBeUndefined()
    expect(await typedInto(guarded, "hers")).toEqual({ sub: "Zoe", email: "hers@example.com" })
    const open = await start({ anyUser: true })
    expect(await typedInto(open, '{"email":"zoe@example.com"}')).toEqual({ sub: "Zoe", email: "zoe@example.com" })
    expect(await typedInto(open, "anything")).toEqual({ sub: "Zoe" })
    expect(await typedInto(open, '{"email":')).toBeUndefined()
    expect(await typedInto(await start(), "anything")).toBeUndefined()
    // A name that no `sub` can be (OpenID Connect Core §2).
    expect(await typedInto(open, "anything", "Zoë", "Zo%C3%AB")).toEqual({ sub: "Zo%C3%AB" })
    const long = "ë".repeat(200)
    const digest = createHash("sha256").update(long).digest("base64url")
    expect(await typedInto(open, "anything", long, digest)).toEqual({ sub: digest })
  })

  it("refuses a subject that no token can have, and a kind of token that there is not (OpenID Connect Core §2)", async () => {
    const op = await start({ people: [{ username: "Zoë" }] })
    expect((await op.signIn({ subject: "Zo%C3%AB" })).claims["sub"]).toBe("Zo%C3%AB")
    for (const subject of ["Zoë", "", "\u0000", "a".repeat(256)]) {
      await expect(op.signIn({ subject })).rejects.toThrow("subject is not 1 to 255 printable ASCII characters")
      await expect(op.authorize(`${op.issuer}/connect/authorize`, { subject })).rejects.toThrow("subject is not")
      await expect(startPostern({ people: [{ username: "zoe", subject }] })).rejects.toThrow("people[0].subject is not")
    }
    await expect(op.mint({ kind: "refresh_token" as "id_token" })).rejects.toThrow(
      'kind is "refresh_token", and must be access_token or id_token',
    )
  })

  it("refuses a client that registration would refuse, and a duration that is none", async () => {
    await expect(startPostern({ clients: [{ redirect_uris: ["http://app.example/callback#here"] }] })).rejects.toMatchObject({
      name: "ClientRefused",
    })
    const op = await start({ clients: [{ client_id: "spa", token_endpoint_auth_method: "none" }, { client_id: "web" }] })
    expect(op.clients.map(({ client_secret }) => client_secret)).toEqual([undefined, "secret-of-web-in-tests-and-nowhere-else"])
    expect((await op.signIn()).claims["aud"]).toBe("spa")
    expect((await op.signIn({ client: "web" })).claims["aud"]).toBe("web")
    for (const bad of ["", "30", "1y", "-1s", -1, Number.NaN]) await expect(op.advance(bad)).rejects.toThrow(TypeError)
  })

  it("rejects for a port that is taken, and notes requests that meet no endpoint", async () => {
    const op = await start()
    await expect(startPostern({ port: Number(new URL(op.issuer).port) })).rejects.toMatchObject({ code: "EADDRINUSE" })
    await fetch(`${op.issuer}/favicon.ico`)
    expect(op.requests("none").map(({ path, answer: { status } }) => [path, status])).toEqual([["/favicon.ico", 404]])
  })

  it("leaves nothing open after it was stopped", async () => {
    const op = await startPostern()
    await op.signIn()
    await op.stop()
    await expect(fetch(op.issuer)).rejects.toThrow("fetch failed")
  })
})
