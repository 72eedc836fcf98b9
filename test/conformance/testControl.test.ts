import { request } from "node:http"
import { type StartOptions, type TestProvider, startPostern } from "@postern/conformance/provider"
import { memoryLimiter } from "@postern/core/memory"
import { describe, expect, it, onTestFinished } from "vitest"

const start = async (options?: StartOptions): Promise<TestProvider> => {
  const op = await startPostern({ control: true, ...options })
  onTestFinished(op.stop)
  return op
}

const call = async (
  op: TestProvider,
  path: string,
  body?: unknown,
  headers: Record<string, string> = { "content-type": "application/json" },
) => {
  const sent = body === undefined ? {} : { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) }
  const answer = await fetch(`${op.issuer}/_test/${path}`, sent)
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
}

const token = (op: TestProvider, fields: Record<string, string>): Promise<Response> =>
  fetch(`${op.issuer}/connect/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`app:${op.clients[0]?.client_secret ?? ""}`)}` },
    body: new URLSearchParams(fields),
  })

describe("a provider for tests over HTTP", () => {
  it("tells and moves its time: advance, freeze and run on", async () => {
    const op = await start({ at: 1_700_000_000 })
    expect((await call(op, "time")).json).toEqual({ now: 1_700_000_000, frozen: true })
    expect((await call(op, "time", { advance: "30d" })).json).toEqual({ now: 1_702_592_000, frozen: true })
    expect((await call(op, "time", { freeze: 1_300_819_379 })).json).toEqual({ now: 1_300_819_379, frozen: true })
    expect((await call(op, "time", { freeze: false })).json).toMatchObject({ frozen: false })
    expect(op.now()).toBeLessThan(1_300_819_379 + 600)
  })

  it("RFC 9110 §15.5: a call that makes no sense is refused with the reason, and changes nothing", async () => {
    const op = await start({ at: 1_700_000_000 })
    const wrong: ReadonlyArray<readonly [string, unknown, number, RegExp]> = [
      ["time", "{", 400, /no JSON object/],
      ["time", "[]", 400, /no JSON object/],
      ["time", { advanced: 1 }, 400, /no member "advanced"; there are advance, freeze/],
      ["time", { advance: "a while" }, 400, /"a while" is no duration/],
      ["time", { advance: -1 }, 400, /-1 is no duration/],
      ["time", { advance: 1e300 }, 400, /is no duration/],
      ["time", { freeze: 1e300 }, 400, /is no time/],
      ["time", { freeze: "now" }, 400, /freeze must be/],
      ["time", { freeze: 8_640_000_000_000 }, 400, /is no time/],
      ["time", { advance: 31_556_952_000 * 8 }, 400, /is no duration/],
      ["queue", { endpoint: "token", headers: { "x-a": "a\r\nb" } }, 400, /Invalid character in header content/],
      ["queue", { endpoint: "token", headers: { "x a": "b" } }, 400, /valid HTTP token/],
      ["queue", { endpoint: "token", headers: { "x-a": 7 } }, 400, /the header "x-a" must be a text/],
      ["queue", { endpoint: "authorize", members: { a: 1 } }, 400, /members are for JSON, and authorize answers browsers/],
      ["queue", { status: 503 }, 400, /endpoint is missing/],
      ["queue", { endpoint: "tokens" }, 400, /there is no endpoint "tokens"/],
      ["queue", { endpoint: "token", status: 42 }, 400, /status must be from 200 to 599/],
      ["queue", { endpoint: "token", drop: "now" }, 400, /drop must be/],
      ["authorize", { url: "https://elsewhere.example/" }, 400, /url must be one of/],
      ["sign-in", { client: "nobody" }, 400, /there is no client "nobody"/],
      ["mint", { claims: [] }, 400, /claims must be a object/],
      ["nothing", {}, 404, /POST \/_test\/time/],
      ["requests", {}, 405, /GET \/_test\/requests/],
      ["time", `{"advance":"${"1".repeat(1024 * 1024)}"}`, 413, /longer than 1 MB/],
    ]
    for (const [path, body, status, why] of wrong)
      expect([path, await call(op, path, body)]).toEqual([path, { status, json: { error: expect.stringMatching(why) as unknown } }])
    expect(op.now()).toBe(1_700_000_000)
    expect(op.requests()).toEqual([])
  })

  it("Fetch §3.2: neither a page of another site nor a name that was made to point here controls it", async () => {
    const op = await start({ at: 1_700_000_000 })
    expect((await call(op, "time", { advance: 1 }, { "content-type": "text/plain" })).status).toBe(415)
    const status = await new Promise((resolve) =>
      request(`${op.issuer}/_test/requests`, { headers: { host: "evil.example" } }, (answer) => resolve(answer.resume().statusCode)).end(),
    )
    expect(status).toBe(421)
    const preflight = await fetch(`${op.issuer}/_test/time`, { method: "OPTIONS", headers: { origin: "https://evil.example" } })
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([405, null])
    expect(op.now()).toBe(1_700_000_000)
  })

  it("RFC 9110 §5.6.7: its clock stops at the end of the year 9999, however it is moved", async () => {
    const op = await start({ at: 253_402_300_799 - 86_400 })
    expect((await call(op, "time", { advance: "1d" })).json).toEqual({ now: 253_402_300_799, frozen: true })
    expect(await call(op, "time", { advance: 1 })).toEqual({ status: 400, json: { error: expect.stringMatching(/is no time/) as unknown } })
    expect((await fetch(`${op.issuer}/_test`)).headers.get("date")).toBe("Fri, 31 Dec 9999 23:59:59 GMT")
    for (const at of [-5, Number.NaN, 253_402_300_800]) await expect(startPostern({ at })).rejects.toThrow(TypeError)
  })

  it("members that are queued for an answer that is no JSON say so in its place", async () => {
    const op = await start({ clients: [{ userinfo_signed_response_alg: "RS256" }] })
    const { accessToken } = await op.signIn()
    op.queue({ endpoint: "userinfo", members: { sub: "eve" } })
    const answer = await fetch(`${op.issuer}/connect/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })
    expect([answer.status, await answer.text()]).toEqual([500, "members were queued for an answer that is no JSON object\n"])
    expect(op.requests("userinfo").map(({ answer: { status }, queued }) => [status, queued])).toEqual([[500, true]])
  })

  it("is there only where it was asked for", async () => {
    const op = await start({ control: false })
    expect((await fetch(`${op.issuer}/_test/time`)).status).toBe(404)
  })

  it("signs people in, mints, queues, rotates keys and tells its requests", async () => {
    const op = await start()
    const { json } = await call(op, "sign-in", { subject: "bob", claims: { email: "bob@example.com" } })
    expect(json).toMatchObject({ claims: { sub: "bob" }, accessToken: expect.any(String) as unknown })
    expect((await call(op, "mint", { subject: "eve", expiresIn: -1 })).json).toEqual({ token: expect.stringMatching(/^eyJ/) as unknown })
    await call(op, "queue", { endpoint: "token", status: 503, headers: { "retry-after": "7" } })
    const refused = await token(op, { grant_type: "refresh_token", refresh_token: String(json["refreshToken"]) })
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "7"])
    const { requests } = (await call(op, "requests?endpoint=token")).json as { requests: ReadonlyArray<{ queued: boolean }> }
    expect(requests.map(({ queued }) => queued)).toEqual([false, true])
    expect((await call(op, "rotate-keys", { forget: true })).status).toBe(200)
    expect((await call(op, "sign-in", { scope: "nothing" })).json).toEqual({
      error: "the client got no code (invalid_scope): authorize.scope-allowed (RFC 6749 §3.3): asked for a scope outside the client's own",
      code: "invalid_scope",
    })
  })

  it("RFC 6749 §6: an answer is changed or lost after the request was decided, or before", async () => {
    const op = await start()
    const { refreshToken = "" } = await op.signIn()
    const refresh = { grant_type: "refresh_token", refresh_token: refreshToken }
    op.queue({ endpoint: "token", drop: "before" })
    await expect(token(op, refresh)).rejects.toThrow("fetch failed")
    await call(op, "queue", { endpoint: "token", drop: "after" })
    await expect(token(op, refresh)).rejects.toThrow("fetch failed")
    await call(op, "queue", { endpoint: "token", members: { token_type: "MAC", expires_in: null } })
    const answer = (await (await token(op, refresh)).json()) as Record<string, unknown>
    expect([answer["token_type"], "expires_in" in answer, typeof answer["access_token"]]).toEqual(["MAC", false, "string"])
    op.queue({ endpoint: "token", change: (own) => ({ ...own, status: 418 }) })
    expect((await token(op, refresh)).status).toBe(418)
    // Of the first nothing was decided; the second was, though its answer was lost.
    const told = op.requests("token").slice(1)
    expect(told.map(({ answer: { status }, queued, trail }) => [status, queued, trail?.outcome])).toEqual([
      [0, true, undefined],
      [0, true, "IssueTokens"],
      [200, true, "IssueTokens"],
      [418, true, "IssueTokens"],
    ])
  })

  it("RFC 6749 §2.3.1, RFC 7523 §2.2: signs in with either secret method and with a secret that signs, and not with a client's own key", async () => {
    const secret = "a secret of thirty-two characters or more"
    const clients = (["client_secret_post", "client_secret_jwt"] as const).map((method) => ({
      client_id: method,
      client_secret: secret,
      token_endpoint_auth_method: method,
    }))
    const jwks = {
      keys: [
        {
          kty: "EC",
          crv: "P-256",
          alg: "ES256",
          x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
          y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        },
      ],
    }
    const op = await start({ clients: [...clients, { client_id: "own-key", token_endpoint_auth_method: "private_key_jwt", jwks }] })
    for (const { client_id } of clients) expect((await op.signIn({ client: client_id })).claims).toMatchObject({ aud: client_id })
    await expect(op.signIn({ client: "own-key" })).rejects.toThrow("the key of own-key is the client's own: use authorize()")
  })

  it("OAuth 2.0 Form Post Response Mode §2: authorize gives a form that sends itself back as a query", async () => {
    const op = await start()
    const asked = new URLSearchParams({ client_id: "app", response_type: "code", scope: "openid", response_mode: "form_post", state: "st" })
    asked.set("redirect_uri", "http://localhost:3000/callback")
    asked.set("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    asked.set("code_challenge_method", "S256")
    const back = await op.authorize(`${op.issuer}/connect/authorize?${asked}`)
    expect([back.origin + back.pathname, back.searchParams.get("state"), back.searchParams.has("code")]).toEqual([
      "http://localhost:3000/callback",
      "st",
      true,
    ])
  })

  it("has an issuer of another name than its address, as in a container", async () => {
    const op = await start({ issuer: "http://postern.test:8080" })
    const { claims } = await op.signIn({ subject: "bob" })
    expect(claims).toMatchObject({ iss: "http://postern.test:8080", sub: "bob" })
  })
})

describe("one clock", () => {
  it("RFC 9110 §6.6.1: dates every answer, of endpoints, of files, and those that are refused before", async () => {
    const op = await start({ at: 1_700_000_000 })
    const date = new Date(1_700_000_000_000).toUTCString()
    const page = await (await fetch(`${op.issuer}/login`)).text()
    const file = /(?:href|src)="([^"]*\.(?:css|svg|js)[^"]*)"/.exec(page)?.[1] ?? "/nothing"
    const answers = [
      await fetch(`${op.issuer}/.well-known/openid-configuration`),
      await fetch(new URL(file, op.issuer)),
      await fetch(`${op.issuer}/login?${"a".repeat(9000)}`),
      await fetch(`${op.issuer}/connect/token`, { method: "POST", body: new URLSearchParams({ a: "b".repeat(1_000_000) }) }),
      await fetch(`${op.issuer}/_test/time`),
    ]
    expect(answers.map(({ status, headers }) => [status, headers.get("date")])).toEqual(
      [200, 200, 414, 413, 200].map((status) => [status, date]),
    )
  })

  it("OpenID Connect Core §3.1.2.3: sessions end by it", async () => {
    const op = await start({ at: 1_700_000_000, provider: { sessionLifetime: 3600 } })
    const { browser, prompt } = await sessionOf(op)
    expect(await prompt()).toContain("code=")
    await op.advance(3599)
    expect(await prompt()).toContain("code=")
    await op.advance(3601)
    expect(await prompt()).toContain("error=login_required")
    expect(browser).not.toBe("")
  })

  it("RFC 8628 §3.5: devices poll by it, and their codes end by it", async () => {
    const clients = [
      {
        client_id: "app",
        scope: "openid",
        grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
        response_types: [],
        redirect_uris: [],
      },
    ]
    const op = await start({ at: 1_700_000_000, clients })
    const { client_secret = "" } = op.clients[0] ?? {}
    const headers = { authorization: `Basic ${btoa(`app:${client_secret}`)}` }
    const begun = await fetch(`${op.issuer}/connect/deviceauthorization`, {
      method: "POST",
      headers,
      body: new URLSearchParams({ scope: "openid" }),
    })
    const { device_code } = (await begun.json()) as { device_code: string }
    const poll = async (): Promise<unknown> => {
      const answer = await token(op, { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code })
      return ((await answer.json()) as { error: string }).error
    }
    expect([await poll(), await poll()]).toEqual(["authorization_pending", "slow_down"])
    await op.advance(30)
    expect(await poll()).toBe("authorization_pending")
    await op.advance(301)
    expect(await poll()).toBe("expired_token")
  })

  it("RFC 9110 §10.2.3: limits and their Retry-After go by it", async () => {
    const limits = {
      client: 2,
      address: undefined,
      authorizeAddress: undefined,
      deviceClient: undefined,
      deviceAddress: undefined,
      pushClient: undefined,
      pushAddress: undefined,
      registrationAddress: undefined,
      documentAddress: undefined,
    }
    const op = await start({ at: 1_700_000_000, limiter: memoryLimiter(limits) })
    const ask = async (): Promise<readonly [number, string | null]> => {
      const answer = await token(op, { grant_type: "refresh_token", refresh_token: "r" })
      return [answer.status, answer.headers.get("retry-after")]
    }
    expect([await ask(), await ask(), await ask()]).toEqual([
      [400, null],
      [400, null],
      [429, "30"],
    ])
    expect(await ask()).toEqual([429, "30"])
    await op.advance(30)
    expect(await ask()).toEqual([400, null])
  })
})

/** A browser with a session, which asks for a code without being asked anything. */
const sessionOf = async (op: TestProvider) => {
  const jar = new Map<string, string>()
  const visit = async (path: string, form?: URLSearchParams): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const answer = await fetch(new URL(path, op.issuer), {
      redirect: "manual",
      headers: { cookie },
      ...(form === undefined ? {} : { method: "POST", body: form }),
    })
    for (const each of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? []
      jar.set(name, value)
    }
    return answer
  }
  const page = await (await visit("/login")).text()
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ""
  await visit("/login", new URLSearchParams({ csrf, username: "alice", password: "password" }))
  const asked = new URLSearchParams({
    client_id: "app",
    response_type: "code",
    scope: "openid",
    prompt: "none",
    code_challenge_method: "S256",
  })
  asked.set("redirect_uri", "http://localhost:3000/callback")
  asked.set("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  return {
    browser: [...jar.keys()].join(" "),
    prompt: async () => (await visit(`/connect/authorize?${asked}`)).headers.get("location") ?? "",
  }
}
