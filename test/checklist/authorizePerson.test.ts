import { cookieName } from "@postern/core/wire"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import {
  type Reply,
  ask,
  claimsOf,
  codeFor,
  config,
  cookieOf,
  encode,
  password,
  pause,
  redeem,
  request,
  send,
  signedIn,
  spoilt,
  tokensFor,
  unsigned,
} from "./setting.ts"

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

type Changes = Readonly<Record<string, string | undefined>>

/** Status, error and whether a page of ours was shown. */
const outcome = ({ status, params, to, mark }: Reply) => ({ status, to, mark, error: params["error"] })
const sentBack = (error: string, mark = "?") => ({ status: 303, to: "https://app.example/cb", mark, error })
const isLoginPage = (answer: Reply): boolean => answer.status === 200 && answer.body.includes('name="password"')

/** Signs in on the page that a request leads to, and goes on from there. */
const signInOn = async (browser: Surfer, changes: Changes, username = "alice"): Promise<URL> => {
  const at = await browser.follow(`${server.url}/connect/authorize?${encode(request("web", changes))}`)
  return new URL((await browser.submit(await at.response.text(), at.url, { username, password })).url)
}
const idTokenOf = async (code: string, clientId = "web"): Promise<Record<string, unknown>> =>
  claimsOf(String((await redeem(server, code, clientId)).json["id_token"]))

test("security-checklist, Authorize: the user says no -> access_denied (RFC 6749 §4.1.2.1)", async () => {
  const at = await alice.follow(`${server.url}/connect/authorize?${encode(request("asks"))}`)
  const answer = await alice.submit(await at.response.text(), at.url, { decision: "deny" })
  expect(Object.fromEntries(new URL(answer.url).searchParams)).toMatchObject({ error: "access_denied", state: "st", iss: server.url })
})

test("security-checklist, Authorize: prompt=none without a session -> login_required, never a page (OpenID Connect Core §3.1.2.6)", async () => {
  expect(outcome(await ask(server, new Surfer(), { prompt: "none" }))).toEqual(sentBack("login_required"))
})

test("security-checklist, Authorize: prompt=none without consent -> consent_required, never a page (OpenID Connect Core §3.1.2.6)", async () => {
  expect(outcome(await ask(server, bob, { prompt: "none" }, "asks"))).toEqual(sentBack("consent_required"))
})

test("security-checklist, Authorize: prompt=none with another value -> invalid_request, never a page (OpenID Connect Core §3.1.2.1)", async () => {
  for (const prompt of ["none login", "login none", "none consent", "none none select_account"])
    expect(outcome(await ask(server, alice, { prompt }))).toEqual(sentBack("invalid_request"))
})

test("security-checklist, Authorize: prompt=login forces a new auth_time and does not loop (OpenID Connect Core §3.1.2.1)", async () => {
  const browser = await signedIn(server, "carol")
  const before = await idTokenOf(await codeFor(server, browser, "web", { max_age: "1000" }))
  await pause(1100)
  const back = await signInOn(browser, { prompt: "login" }, "carol")
  expect(back.origin).toBe("https://app.example")
  const after = await idTokenOf(back.searchParams.get("code") ?? "")
  expect(Number(after["auth_time"])).toBeGreaterThan(Number(before["auth_time"]))
  expect(after["sub"]).toBe(before["sub"])
})

test("security-checklist, Authorize: prompt=login cannot be skipped by going to the resume path at once (OpenID Connect Core §3.1.2.1)", async () => {
  const first = await send(server, "GET", `/connect/authorize?${encode(request("web", { prompt: "login" }))}`, [cookieOf(alice)])
  const interaction = first.params["interaction"] ?? ""
  const again = await send(server, "GET", `/connect/authorize/resume?${encode({ interaction })}`, [cookieOf(alice)])
  expect([again.status, again.to]).toEqual([303, "/login"])
})

test("security-checklist, Authorize: max_age exceeded -> login page; max_age=0 too (OpenID Connect Core §3.1.2.1)", async () => {
  expect(isLoginPage(await ask(server, alice, { max_age: "0" }))).toBe(true)
  const browser = await signedIn(server, "bob")
  await pause(2100)
  expect(isLoginPage(await ask(server, browser, { max_age: "1" }))).toBe(true)
  expect(outcome(await ask(server, browser, { max_age: "1", prompt: "none" }))).toEqual(sentBack("login_required"))
})

test("security-checklist, Authorize: max_age=0 is met by the sign-in it asks for, and does not loop (OpenID Connect Core §3.1.2.1)", async () => {
  const back = await signInOn(new Surfer(), { max_age: "0" })
  expect(back.searchParams.get("code")).toMatch(/^c_/)
})

test("security-checklist, Authorize: max_age given -> auth_time in the ID token (OpenID Connect Core §2)", async () => {
  const claims = await idTokenOf(await codeFor(server, alice, "web", { max_age: "100000" }))
  expect(Number.isInteger(claims["auth_time"])).toBe(true)
  expect(Number(claims["auth_time"])).toBeLessThanOrEqual(Number(claims["iat"]))
})

test("security-checklist, Authorize: max_age that is no number of seconds -> invalid_request (OpenID Connect Core §3.1.2.1)", async () => {
  for (const max_age of ["-1", "1e99", "x", "0x10", "1.5", " 1", "9".repeat(400), "NaN", "Infinity", "١"])
    expect(outcome(await ask(server, alice, { max_age }))).toEqual(sentBack("invalid_request"))
})

test("security-checklist, Authorize: id_token_hint of another user with prompt=none -> login_required (OpenID Connect Core §3.1.2.1)", async () => {
  const { id } = await tokensFor(server, alice)
  expect(outcome(await ask(server, bob, { prompt: "none", id_token_hint: id }))).toEqual(sentBack("login_required"))
  expect((await ask(server, alice, { prompt: "none", id_token_hint: id })).params["code"]).toMatch(/^c_/)
})

test("security-checklist, Authorize: id_token_hint of a bad signature or alg none -> error, never a session (IdentityServer4 CVE-2026-4349)", async () => {
  const { id, access } = await tokensFor(server, alice)
  for (const id_token_hint of [spoilt(id), unsigned(id), access, "x", "..", `${id}.`, `${id.split(".").slice(0, 2).join(".")}.`])
    for (const prompt of [undefined, "none"])
      for (const browser of [new Surfer(), alice]) {
        const answer = await ask(server, browser, { prompt, id_token_hint })
        expect(outcome(answer)).toEqual(sentBack("invalid_request"))
        expect(answer.params["code"]).toBeUndefined()
        if (browser !== alice) expect(browser.cookies.get(cookieName("session", server.url))).toBeUndefined()
      }
})
