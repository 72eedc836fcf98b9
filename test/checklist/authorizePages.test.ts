import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { type Pairs, type Reply, ask, config, cookieOf, encode, formType, hiddenOf, password, request, send, signedIn } from "./setting.ts"

let server: RunningServer
let alice: Surfer
let bob: Surfer
beforeAll(async () => {
  server = await serve(config)
  ;[alice, bob] = await Promise.all([signedIn(server), signedIn(server, "bob")])
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

/** Status, error and whether a page of ours was shown. */
const outcome = ({ status, params, to, mark }: Reply) => ({ status, to, mark, error: params["error"] })
const sentBack = (error: string, mark = "?") => ({ status: 303, to: "https://app.example/cb", mark, error })
const isLoginPage = (answer: Reply): boolean => answer.status === 200 && answer.body.includes('name="password"')

for (const response_type of ["id_token", "id_token token", "code id_token", "code token", "code id_token token"])
  test(`security-checklist, Authorize: errors of ${response_type} come in the fragment, or by form_post (OpenID Connect Core §3.2.2.6, §3.3.2.6)`, async () => {
    const asked = { response_type, scope: "openid nonsense", nonce: "n" }
    expect(outcome(await ask(server, alice, asked, "hybrid"))).toEqual(sentBack("invalid_scope", "#"))
    const form = await ask(server, alice, { ...asked, response_mode: "form_post" }, "hybrid")
    expect([form.status, form.to]).toEqual([200, undefined])
    expect(form.params).toMatchObject({ error: "invalid_scope", state: "st", iss: server.url })
  })

for (const response_type of ["id_token", "token", "id_token token", "code id_token", "code token", "code id_token token"])
  test(`security-checklist, Authorize: response_mode=query with ${response_type} -> invalid_request (OAuth 2.0 Multiple Response Types §3, §5)`, async () => {
    const scope = response_type === "token" ? "api.read" : "openid"
    const answer = await ask(server, alice, { response_type, scope, nonce: "n", response_mode: "query" }, "hybrid")
    expect(outcome(answer)).toEqual(sentBack("invalid_request", "#"))
    expect(Object.keys(answer.params).filter((name) => /token|code/.test(name))).toEqual([])
  })

for (const response_type of ["id_token", "id_token token", "code id_token", "code id_token token"])
  test(`security-checklist, Authorize: ${response_type} without nonce -> invalid_request (OpenID Connect Core §3.2.2.1, §3.3.2.11)`, async () => {
    expect(outcome(await ask(server, alice, { response_type }, "hybrid"))).toEqual(sentBack("invalid_request", "#"))
    expect(outcome(await ask(server, alice, { response_type, nonce: "" }, "hybrid"))).toEqual(sentBack("invalid_request", "#"))
  })

test("security-checklist, Authorize: id_token with an API scope, token with an identity scope -> invalid_scope (specification §2.1)", async () => {
  for (const [response_type, scope] of [
    ["id_token", "openid api.read"],
    ["token", "openid api.read"],
    ["token", "api.read email"],
  ])
    expect(outcome(await ask(server, alice, { response_type, scope, nonce: "n" }, "hybrid"))).toEqual(sentBack("invalid_scope", "#"))
})

test("security-checklist, Authorize: acr_values=idp:x for a client not allowed x -> no redirect to x (specification §2.1)", async () => {
  for (const acr_values of ["idp:evil", "idp:https://evil.example", "idp:", "idp:../../evil", "tenant:x idp:evil"]) {
    const answer = await ask(server, new Surfer(), { acr_values })
    expect([isLoginPage(answer), answer.to]).toEqual([true, undefined])
  }
})

test("security-checklist, Authorize: ui_locales, login_hint and acr_values of any content: 200 page, escaped (RFC 9700 §4.16)", async () => {
  for (const name of ["ui_locales", "login_hint", "acr_values", "display", "claims_locales"])
    for (const hostile of [
      `"><script>alert(1)</script>`,
      `' onmouseover='alert(1)`,
      "../../../../etc/passwd",
      "\u0000\u0007\u202e",
      "{{constructor.constructor('x')()}}",
      "x".repeat(3000),
      "__proto__",
      "%3Cscript%3E",
    ]) {
      const answer = await ask(server, new Surfer(), { [name]: hostile })
      expect(isLoginPage(answer)).toBe(true)
      expect(answer.body).not.toMatch(/<script>alert|' onmouseover='/)
      if (name === "login_hint") expect(answer.body).not.toContain(`value=""><`)
    }
})

test("security-checklist, Authorize: the redirect after a credential POST is 303, never 307 or 308 (RFC 9700 §4.12)", async () => {
  const browser = new Surfer()
  const at = await browser.follow(`${server.url}/connect/authorize?${encode(request())}`)
  const fields: Pairs = [...hiddenOf(await at.response.text()), ["username", "alice"], ["password", password]]
  const answer = await send(server, "POST", "/login", [formType, cookieOf(browser)], encode(fields))
  expect([answer.status, answer.to]).toEqual([303, "https://app.example/cb"])
  expect([answer.header("location") ?? "", answer.body].join("")).not.toContain("correct")
})

test("security-checklist, Authorize: no CORS here, on GET, POST or preflight (RFC 9700 §2.6)", async () => {
  const origin: Pairs = [["origin", "https://app.example"]]
  const preflight: Pairs = [...origin, ["access-control-request-method", "POST"], ["access-control-request-headers", "authorization"]]
  for (const path of ["/connect/authorize", "/login", "/consent", "/connect/endsession", "/logout", "/"])
    for (const [method, headers] of [
      ["GET", origin],
      ["POST", origin],
      ["OPTIONS", preflight],
    ] as const) {
      const answer = await send(server, method, path, headers)
      for (const name of ["origin", "credentials", "methods", "headers"])
        expect(answer.header(`access-control-allow-${name}`)).toBeUndefined()
    }
})

test("security-checklist, Authorize: pages cannot be framed, leak no referrer, load nothing of strangers and are not stored (RFC 9700 §4.16, §4.2.4)", async () => {
  const logout = await send(server, "GET", "/connect/endsession", [cookieOf(bob)])
  const pages = [
    await ask(server, new Surfer()),
    await ask(server, bob, {}, "asks"),
    await ask(server, alice, { response_mode: "form_post" }),
    await ask(server, alice, { redirect_uri: "https://evil.example" }),
    await send(server, "GET", "/", [cookieOf(alice)]),
    await send(server, "GET", "/nowhere"),
    logout,
  ]
  for (const { header, body } of pages) {
    const policy = header("content-security-policy") ?? ""
    expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(policy).not.toMatch(/unsafe|script-src[^;]*(\*|https:|'self')/)
    expect([header("x-frame-options"), header("referrer-policy"), header("x-content-type-options"), header("cache-control")]).toEqual([
      "DENY",
      "no-referrer",
      "nosniff",
      "no-store",
    ])
    expect(body).not.toMatch(/<(?:script|img|link|iframe)[^>]*(?:src|href)="(?:https?:)?\/\//)
  }
})

test("security-checklist, Authorize: a redirect with a code or token is not stored and leaks no referrer (RFC 6749 §5.1, RFC 9700 §4.2.4)", async () => {
  for (const changes of [{}, { response_type: "code id_token token", nonce: "n" }]) {
    const answer = await ask(server, alice, changes, "hybrid")
    expect([answer.status, answer.header("cache-control"), answer.header("referrer-policy")]).toEqual([303, "no-store", "no-referrer"])
    expect(answer.body).toBe("")
  }
})
