import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import {
  type Reply,
  config,
  cookieOf,
  encode,
  formType,
  hiddenOf,
  operate,
  post,
  refusal,
  refused,
  send,
  signedIn,
  token,
  userinfo,
} from "./setting.ts"

let server: RunningServer
beforeAll(async () => {
  server = await serve(config)
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const grant_type = "urn:ietf:params:oauth:grant-type:device_code"
const begin = (fields: Readonly<Record<string, string>> = {}, clientId = "tv"): Promise<Reply> =>
  post(server, "/connect/deviceauthorization", clientId, fields)
const poll = (device: Reply, clientId = "tv"): Promise<Reply> =>
  token(server, clientId, { grant_type, device_code: String(device.json["device_code"]) })
const codeOf = (device: Reply): string => String(device.json["user_code"])

/** The page on which a person confirms a code, as plain HTML. */
const open = async (browser: Surfer, userCode: string): Promise<Reply> =>
  send(server, "GET", `/device?${encode({ user_code: userCode })}`, [cookieOf(browser)])
const answer = (browser: Surfer, hidden: ReadonlyArray<readonly [string, string]>, decision: string): Promise<Reply> =>
  send(server, "POST", "/device", [formType, cookieOf(browser)], encode([...hidden, ["decision", decision]]))
const decide = async (device: Reply, decision: string, username = "alice"): Promise<Reply> => {
  const browser = await signedIn(server, username)
  return answer(browser, hiddenOf((await open(browser, codeOf(device))).body), decision)
}

test("security-checklist, Device: 200 with device_code, user_code, verification_uri, expires_in and interval, no-store (RFC 8628 §3.2)", async () => {
  const { status, json, header } = await begin()
  expect([status, header("cache-control"), header("content-type")]).toEqual([200, "no-store", "application/json"])
  expect(json).toEqual({
    device_code: expect.stringMatching(/^\S{40,}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: `${server.url}/device`,
    verification_uri_complete: `${server.url}/device?user_code=${String(json["user_code"])}`,
    expires_in: 300,
    interval: 5,
  })
})

test("security-checklist, Device: an unknown client, and one that proves nothing, is answered 401 invalid_client (RFC 8628 §3.1)", async () => {
  expect(refusal(await post(server, "/connect/deviceauthorization", undefined, { client_id: "nobody" }))).toEqual(
    refused("invalid_client", 401),
  )
  expect(refusal(await post(server, "/connect/deviceauthorization", undefined, { client_id: "screen" }))).toEqual(
    refused("invalid_client", 401),
  )
})

test("security-checklist, Device: a client that may not use it is unauthorized_client, a scope not its own invalid_scope (RFC 8628 §3.2)", async () => {
  expect(refusal(await begin({}, "web"))).toEqual(refused("unauthorized_client"))
  expect(refusal(await begin({ scope: "openid api.read" }))).toEqual(refused("invalid_scope"))
  expect(refusal(await begin({ scope: "nothing" }))).toEqual(refused("invalid_scope"))
})

test("security-checklist, Device: case, dashes and spaces of a user code are forgiven (RFC 8628 §6.1)", async () => {
  const browser = await signedIn(server)
  const code = codeOf(await begin())
  for (const typed of [code.toLowerCase(), code.replace("-", ""), ` ${code.replace("-", " ")} `, code.split("").join("-")])
    expect((await open(browser, typed)).body, typed).toContain('id="device-allow"')
})

test("security-checklist, Device: user codes hold at least 34 bits, and no two are alike (RFC 8628 §5.1, §6.1)", async () => {
  const codes = await Promise.all(Array.from({ length: 50 }, async () => codeOf(await begin())))
  expect(new Set(codes).size).toBe(50)
  // Eight letters of twenty.
  expect(8 * Math.log2(20)).toBeGreaterThan(34)
})

test("security-checklist, Device: the page names the client and shows the code, even when the address carried it (RFC 8628 §5.4)", async () => {
  const device = await begin({ scope: "openid email" })
  const browser = await signedIn(server)
  const { body } = await open(browser, codeOf(device))
  expect(body).toContain("Television")
  expect(body).toContain(codeOf(device))
  expect(refusal(await poll(device))).toEqual(refused("authorization_pending"))
})

test("security-checklist, Device: approving needs a POST with the CSRF token of this session (RFC 8628 §5.4)", async () => {
  const device = await begin()
  const [alice, bob] = [await signedIn(server), await signedIn(server, "bob")]
  const shown = hiddenOf((await open(alice, codeOf(device))).body)
  const foreign = hiddenOf((await open(bob, codeOf(device))).body)
  const withoutCsrf = shown.filter(([name]) => name !== "csrf")
  expect((await send(server, "GET", `/device?${encode([...shown, ["decision", "allow"]])}`, [cookieOf(alice)])).status).toBe(200)
  expect((await answer(alice, withoutCsrf, "allow")).status).toBe(400)
  expect((await answer(alice, foreign, "allow")).status).toBe(400)
  expect(refusal(await poll(device))).toEqual(refused("authorization_pending"))
  expect((await answer(alice, shown, "allow")).body).toContain('id="device-approved"')
})

test("security-checklist, Device: whoever is not signed in approves nothing, and comes back to the code after signing in (RFC 8628 §3.3)", async () => {
  const device = await begin()
  const browser = new Surfer()
  const login = await browser.follow(`${server.url}/device?user_code=${codeOf(device)}`)
  expect(new URL(login.url).pathname).toBe("/login")
  const { response } = await browser.submit(await login.response.text(), login.url, {
    username: "alice",
    password: config.users[0]?.password ?? "",
  })
  expect(await response.text()).toContain('id="device-allow"')
})

test("security-checklist, Token: a device is told authorization_pending, then slow_down when it polls too fast (RFC 8628 §3.5)", async () => {
  const device = await begin()
  expect(refusal(await poll(device))).toEqual(refused("authorization_pending"))
  expect(refusal(await poll(device))).toEqual(refused("slow_down"))
})

test("security-checklist, Token: a device that was denied is told access_denied (RFC 8628 §3.5)", async () => {
  const device = await begin()
  expect((await decide(device, "deny")).body).toContain('id="device-denied"')
  expect(refusal(await poll(device))).toEqual(refused("access_denied"))
})

test("security-checklist, Token: a device code of another client is invalid_grant, and not used up (RFC 8628 §3.4)", async () => {
  const device = await begin()
  await decide(device, "allow")
  expect(refusal(await poll(device, "screen"))).toEqual(refused("invalid_grant"))
  expect((await poll(device)).status).toBe(200)
})

test("security-checklist, Token: an approved device gets its tokens once, for just what it asked (RFC 8628 §3.5)", async () => {
  const device = await begin({ scope: "openid email" })
  await decide(device, "allow")
  const { status, json, header } = await poll(device)
  expect([status, header("cache-control"), json["scope"]]).toEqual([200, "no-store", "openid email"])
  expect((await userinfo(server, String(json["access_token"]))).json).toMatchObject({ sub: "sub-alice", email: "alice@example.com" })
  expect(refusal(await poll(device))).toEqual(refused("invalid_grant"))
})

test("security-checklist, Token: a person disabled between approval and redemption gets the device nothing (RFC 6749 §5.2)", async () => {
  const device = await begin()
  await decide(device, "allow", "erin")
  await operate(server, "user", "disable", "erin")
  expect(refusal(await poll(device))).toEqual(refused("invalid_grant"))
})

test("security-checklist, Device: after ten wrong codes this browser, and this address, may try no more for a while (RFC 8628 §5.1)", async () => {
  const browser = await signedIn(server, "bob")
  for (let tries = 0; tries < 10; tries++) expect((await open(browser, "BBBB-BBBB")).status).toBe(400)
  const over = await open(browser, "BBBB-BBBB")
  expect([over.status, Number(over.header("retry-after"))]).toEqual([429, expect.toSatisfy((wait: number) => wait > 0 && wait <= 900)])
  // The right code no longer helps, in another browser at the same address neither.
  const device = await begin()
  expect((await open(browser, codeOf(device))).status).toBe(429)
  expect((await open(await signedIn(server), codeOf(device))).status).toBe(429)
})
