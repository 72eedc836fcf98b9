import { cookieName } from "@postern/core/wire"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { type Pairs, type Reply, ask, config, cookieOf, encode, formType, hiddenOf, password, request, send, signedIn } from "./setting.ts"

let server: RunningServer
let alice: Surfer
beforeAll(async () => {
  server = await serve({
    ...config,
    clients: config.clients.map((client) =>
      client.client_id === "asks" ? { ...client, client_name: `"><img src=x onerror=alert(1)>` } : client,
    ),
  })
  alice = await signedIn(server)
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const credentials: Pairs = [
  ["username", "alice"],
  ["password", password],
]
const isSignedIn = async (browser: Surfer): Promise<boolean> =>
  (await ask(server, browser, { prompt: "none" })).params["code"] !== undefined
const loginPage = async (browser: Surfer): Promise<string> => (await browser.follow(`${server.url}/login`)).response.text()
const signsIn = ({ header }: Reply): boolean => /postern-session-\d+=[^;]/.test(header("set-cookie") ?? "")

test("security-checklist, Beyond: login CSRF: a sign-in without the form's token, with another browser's, or by GET signs nobody in (RFC 6749 §10.12)", async () => {
  const [mine, theirs] = [new Surfer(), new Surfer()]
  const [, foreign] = [await loginPage(mine), await loginPage(theirs)]
  for (const hidden of [[], [["csrf", ""]], [["csrf", "x"]], hiddenOf(foreign)] as ReadonlyArray<Pairs>) {
    const answer = await send(server, "POST", "/login", [formType, cookieOf(mine)], encode([...hidden, ...credentials]))
    expect([signsIn(answer), answer.to]).toEqual([false, undefined])
  }
  const page = await loginPage(mine)
  expect(signsIn(await send(server, "GET", `/login?${encode([...hiddenOf(page), ...credentials])}`, [cookieOf(mine)]))).toBe(false)
  expect(signsIn(await send(server, "POST", "/login", [formType], encode([...hiddenOf(page), ...credentials])))).toBe(false)
  const honest = await send(server, "POST", "/login", [formType, cookieOf(mine)], encode([...hiddenOf(page), ...credentials]))
  expect([signsIn(honest), honest.status]).toEqual([true, 303])
})

test("security-checklist, Beyond: consent CSRF: without the form's token, with another session's, by GET or HEAD nothing is allowed (RFC 6749 §10.12)", async () => {
  const bob = await signedIn(server, "bob")
  const [asked, theirs] = [await ask(server, bob, {}, "asks"), await ask(server, alice, {}, "asks")]
  expect(asked.body).toContain('id="consent-allow"')
  const others = hiddenOf(theirs.body)
  const mine = hiddenOf(asked.body)
  const swapped = mine.map(
    ([name, value]) => [name, name === "csrf" ? (others.find(([each]) => each === name)?.[1] ?? "") : value] as const,
  )
  for (const hidden of [[], mine.filter(([name]) => name !== "csrf"), others, swapped] as ReadonlyArray<Pairs>) {
    const answer = await send(server, "POST", "/consent", [formType, cookieOf(bob)], encode([...hidden, ["decision", "allow"]]))
    expect([answer.params["code"], answer.to === "https://app.example/cb"]).toEqual([undefined, false])
  }
  for (const method of ["GET", "HEAD"]) await send(server, method, `/consent?${encode([...mine, ["decision", "allow"]])}`, [cookieOf(bob)])
  expect((await ask(server, bob, { prompt: "none" }, "asks")).params["error"]).toBe("consent_required")
})

test("security-checklist, Beyond: an interaction is of the browser that began it: another one gets no code from it (RFC 9700 §4.7.1)", async () => {
  const first = await send(server, "GET", `/connect/authorize?${encode(request())}`, [cookieOf(new Surfer())])
  const interaction = first.params["interaction"] ?? ""
  expect(interaction).not.toBe("")
  for (const path of ["/connect/authorize/resume", "/login", "/consent"]) {
    const answer = await send(server, "GET", `${path}?${encode({ interaction })}`, [cookieOf(alice)])
    expect([answer.status, answer.to, answer.header("content-type")]).toEqual([400, undefined, "text/html; charset=utf-8"])
  }
})

test("security-checklist, Beyond: session fixation: an id planted before the sign-in is not the one after it (RFC 9700 §4.1)", async () => {
  const browser = new Surfer()
  const page = await loginPage(browser)
  browser.cookies.set(cookieName("session", server.url), "s_planted")
  const answer = await send(server, "POST", "/login", [formType, cookieOf(browser)], encode([...hiddenOf(page), ...credentials]))
  expect(answer.header("set-cookie") ?? "").not.toContain("planted")
  expect(await isSignedIn(browser)).toBe(false)
})

test("security-checklist, Beyond: cookie tossing: cookies of other names, cases or garbage sign nobody in (RFC 6265bis §8.6)", async () => {
  const [name, other] = [cookieName("session", server.url), cookieName("browser", server.url)]
  const session = alice.cookies.get(name) ?? ""
  expect(session).toMatch(/^s_/)
  const none: Pairs = [["prompt", "none"]]
  for (const cookie of [
    `x-${name}=${session}`,
    `${name.toUpperCase()}=${session}`,
    `postern-session=${session}`,
    `__Host-${name}=${session}`,
    `${cookieName("session", `${server.url}/other`)}=${session}`,
    `${name} =${session}`,
    `${name}=${session}x`,
    `${name}=${session.slice(0, -2)}`,
    `${name}="${session}"`,
    `${other}=${session}`,
    `${name}=; ${other}=`,
    `${name}=' OR 1=1`,
    `${"a=b; ".repeat(500)}`,
    "\u00ff\u00fe=\u0080",
    "=;;;=",
  ]) {
    const answer = await send(server, "GET", `/connect/authorize?${encode([...request(), ...none])}`, [["cookie", cookie]])
    expect([cookie.slice(0, 20), answer.status, answer.params["error"]]).toEqual([cookie.slice(0, 20), 303, "login_required"])
  }
})

test("security-checklist, Beyond: every cookie is HttpOnly, SameSite=Lax, of the whole path and no wider domain (RFC 6265bis §4.1.2)", async () => {
  const browser = new Surfer()
  const page = await send(server, "GET", "/login")
  browser.cookies.set(cookieName("browser", server.url), /postern-browser-\d+=([^;]*)/.exec(page.header("set-cookie") ?? "")?.[1] ?? "")
  const answer = await send(server, "POST", "/login", [formType, cookieOf(browser)], encode([...hiddenOf(page.body), ...credentials]))
  for (const { header } of [page, answer]) {
    expect(header("set-cookie")).toMatch(/Path=\/; HttpOnly; SameSite=Lax/)
    expect(header("set-cookie")).not.toMatch(/domain=/i)
  }
})

test("security-checklist, Beyond: no parameter of ours redirects elsewhere after a sign-in (RFC 9700 §4.11)", async () => {
  for (const name of ["returnUrl", "return_to", "next", "redirect", "redirect_uri", "to", "interaction"])
    for (const to of ["https://evil.example/", "//evil.example", "/\\evil.example"]) {
      const browser = new Surfer()
      const at = await browser.follow(`${server.url}/login?${encode({ [name]: to })}`)
      const html = await at.response.text()
      expect(html).not.toContain("evil.example")
      if (!html.includes('name="password"')) continue
      const hidden = hiddenOf(html)
      const answer = await send(
        server,
        "POST",
        `/login?${encode({ [name]: to })}`,
        [formType, cookieOf(browser)],
        encode([...hidden, ["username", "x"], ["password", "y"], [`${name}_`, to]]),
      )
      expect(answer.header("location") ?? "/").toMatch(/^\/(?![/\\])/)
    }
})

test("security-checklist, Beyond: the login page answers an unknown person and a wrong password alike (RFC 9700 §4.7)", async () => {
  const shown = async (username: string): Promise<readonly [number, string]> => {
    const browser = new Surfer()
    const page = await loginPage(browser)
    const fields: Pairs = [...hiddenOf(page), ["username", username], ["password", "wrong"]]
    const { status, body } = await send(server, "POST", "/login", [formType, cookieOf(browser)], encode(fields))
    return [status, body.replaceAll(username, "WHO").replace(/nonce="[^"]*"|value="[^"]*"|<code>[^<]*<\/code>/g, "")]
  }
  const known = await shown("carol")
  expect([known[0], known[1].includes('role="alert"')]).toEqual([400, true])
  for (const username of ["nobody", "dora"]) expect(await shown(username)).toEqual(known)
})

test("security-checklist, Beyond: a hostile client name, and a hostile state in a form_post page, are text (RFC 6749 §10.14)", async () => {
  const { body } = await ask(server, await signedIn(server, "erin"), {}, "asks")
  expect(body).not.toContain("<img src=x")
  expect(body).toContain("onerror=alert(1)&gt;")
  const state = `"></form><script>alert(1)</script>'&amp;\u2028`
  const posted = await ask(server, alice, { response_mode: "form_post", state })
  expect(posted.body).not.toContain("<script>alert")
  expect(posted.params["state"]).toBe(state)
})

test("security-checklist, Beyond: a form_post page runs its own script by nonce, which is new every time (RFC 9700 §4.16)", async () => {
  const nonces = new Set<string>()
  for (let turn = 0; turn < 3; turn++) {
    const { header, body } = await ask(server, alice, { response_mode: "form_post" })
    const nonce = /script-src 'nonce-([^']+)'/.exec(header("content-security-policy") ?? "")?.[1] ?? ""
    expect(body).toContain(`nonce="${nonce}"`)
    nonces.add(nonce)
  }
  expect(nonces.size).toBe(3)
})

test("security-checklist, Beyond: a cross-site POST to authorize comes without cookies, and goes on by GET with the very parameters (RFC 6265bis §5.6.7.1)", async () => {
  const answer = await send(server, "POST", "/connect/authorize", [formType, ["origin", "https://evil.example"]], encode(request()))
  expect([answer.status, answer.to, answer.params["redirect_uri"]]).toEqual([303, "/connect/authorize", "https://app.example/cb"])
})

test("security-checklist, Beyond: at most 1024 characters of password are looked at, and refused quickly (NIST SP 800-63B §3.1.1.2)", async () => {
  const browser = new Surfer()
  const page = await loginPage(browser)
  const fields: Pairs = [...hiddenOf(page), ["username", "alice"], ["password", `${password}${"x".repeat(5000)}`]]
  expect(signsIn(await send(server, "POST", "/login", [formType, cookieOf(browser)], encode(fields)))).toBe(false)
})

test("security-checklist, Beyond: a page's credentials never show in a location, a page or a header (RFC 9700 §4.2.4)", async () => {
  const browser = new Surfer()
  const page = await loginPage(browser)
  const secret = "a-wrong-password-of-mine"
  const fields: Pairs = [...hiddenOf(page), ["username", "alice"], ["password", secret]]
  const answer = await send(server, "POST", "/login", [formType, cookieOf(browser)], encode(fields))
  expect(`${answer.body}${answer.header("location") ?? ""}`).not.toContain(secret)
  expect(server.output()).not.toContain(secret)
})
