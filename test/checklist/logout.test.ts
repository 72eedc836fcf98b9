import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, command, serve } from "../support/server.ts"
import type { Surfer } from "../support/surfer.ts"
import {
  type Pairs,
  ask,
  config,
  cookieOf,
  encode,
  formType,
  headOf,
  hiddenOf,
  introspect,
  operate,
  pause,
  redeem,
  send,
  signedIn,
  spoilt,
  tokensFor,
  unsigned,
  userinfo,
} from "./setting.ts"

let server: RunningServer
let alice: Surfer
let hint: string
beforeAll(async () => {
  server = await serve(config)
  alice = await signedIn(server)
  hint = (await tokensFor(server, alice)).id
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const path = "/connect/endsession"
const back = "https://app.example/out"
const end = (browser: Surfer, fields: Readonly<Record<string, string>>) =>
  send(server, "GET", `${path}?${encode(fields)}`, [cookieOf(browser)])
/** Tells if the person is still signed in; it must be asked of what was refused. */
const isSignedIn = async (browser: Surfer): Promise<boolean> =>
  (await ask(server, browser, { prompt: "none" })).params["code"] !== undefined

test("security-checklist, Logout: post_logout_redirect_uri is matched exactly; no redirect, and the session stays (RP-Initiated Logout §3)", async () => {
  for (const uri of [
    "https://evil.example/",
    `${back}/`,
    `${back}?x`,
    `${back}#x`,
    "https://app.example/OUT",
    "https://app.example:443/out",
    "https://app.example/x/../out",
    "//app.example/out",
    "javascript:alert(1)",
    "https://app.example/cb",
  ]) {
    const answer = await end(alice, { id_token_hint: hint, post_logout_redirect_uri: uri })
    expect([uri, answer.status, answer.to]).toEqual([uri, 400, undefined])
    expect(answer.body).not.toContain("evil")
  }
  expect(await isSignedIn(alice)).toBe(true)
})

test("security-checklist, Logout: post_logout_redirect_uri is tied to the client of the hint (RP-Initiated Logout §3)", async () => {
  const foreign = "https://other.example/out"
  for (const more of [{}, { client_id: "other" }]) {
    const answer = await end(alice, { id_token_hint: hint, post_logout_redirect_uri: foreign, ...more })
    expect([answer.status, answer.to]).toEqual([400, undefined])
  }
  const none = await end(alice, { post_logout_redirect_uri: back })
  expect([none.status, none.to]).toEqual([400, undefined])
  expect(await isSignedIn(alice)).toBe(true)
})

test("security-checklist, Logout: a hint that is spoilt, unsigned or no ID token -> refused, no redirect, the session stays (RP-Initiated Logout §4)", async () => {
  const { access } = await tokensFor(server, alice)
  for (const id_token_hint of [spoilt(hint), unsigned(hint), access, "x", "a.b.c"]) {
    const answer = await end(alice, { id_token_hint, post_logout_redirect_uri: back })
    expect([answer.status, answer.to]).toEqual([400, undefined])
  }
  expect(await isSignedIn(alice)).toBe(true)
})

test("security-checklist, Logout: no hint, or another person's -> ask (RP-Initiated Logout §2, §6)", async () => {
  const bob = await signedIn(server, "bob")
  for (const fields of [{}, { id_token_hint: hint }, { client_id: "web", post_logout_redirect_uri: back }] as const) {
    const answer = await end(bob, fields)
    expect([answer.status, answer.body.includes('id="logout-confirm"')]).toEqual([200, true])
  }
  expect(await isSignedIn(bob)).toBe(true)
})

test("security-checklist, Logout: the POST carries a CSRF token; without it, a wrong one or another session's nobody is signed out (RP-Initiated Logout §6)", async () => {
  const bob = await signedIn(server, "bob")
  const page = await end(bob, {})
  const hidden = hiddenOf(page.body)
  expect(hidden.map(([name]) => name)).toContain("csrf")
  const theirs = hiddenOf((await end(alice, {})).body)
  for (const fields of [[], [["csrf", "wrong"]], [["csrf", ""]], theirs] as ReadonlyArray<Pairs>)
    for (const target of [path, "/logout"]) {
      await send(server, "POST", target, [formType, cookieOf(bob)], encode(fields))
      await send(server, "GET", `${target}?${encode(fields)}`, [cookieOf(bob)])
    }
  for (const target of [path, "/logout"]) await send(server, "GET", `${target}?${encode(hidden)}`, [cookieOf(bob)])
  expect(await isSignedIn(bob)).toBe(true)
})

test("security-checklist, Logout: after it prompt=none -> login_required, even with the old cookie (RP-Initiated Logout §2)", async () => {
  const bob = await signedIn(server, "bob")
  const page = await end(bob, {})
  const cookies = new Map(bob.cookies)
  const out = await bob.submit(page.body, `${server.url}${path}`, {})
  expect([out.response.status, (await out.response.text()).includes('id="logged-out"')]).toEqual([200, true])
  for (const [name, value] of cookies) bob.cookies.set(name, value)
  expect((await ask(server, bob, { prompt: "none" })).params["error"]).toBe("login_required")
})

test("security-checklist, Logout: with the session's own hint the browser goes back with state and nothing else (RP-Initiated Logout §3)", async () => {
  const carol = await signedIn(server, "carol")
  const { params } = await ask(server, carol)
  const id = String((await redeem(server, params["code"] ?? "")).json["id_token"])
  const state = "a b&c=d\r\nset-cookie: x=1"
  const answer = await end(carol, { id_token_hint: id, post_logout_redirect_uri: back, state })
  expect([answer.status, answer.to, answer.params]).toEqual([303, back, { state }])
  expect(answer.header("set-cookie") ?? "").not.toContain("x=1")
  expect((await ask(server, carol, { prompt: "none" })).params["error"]).toBe("login_required")
})

test("security-checklist, Authorize: registration refuses fragments, http beyond loopback, javascript, data, and private schemes with no dot (RFC 6749 §3.1.2, RFC 9700 §2.6, RFC 8252 §7.1)", async () => {
  const uris = ["http://app.example/cb", "javascript:alert(1)", "data:text/html,x", "myapp:/cb"]
  const web = ["https://app.example/cb#x", ...uris].map((uri) => ({ redirect_uris: [uri], client_secret: "s" }))
  const own = { application_type: "native", token_endpoint_auth_method: "none" }
  const native = ["com.example.app:/cb#x", ...uris].map((uri) => ({ redirect_uris: [uri], ...own }))
  const clients = [...web, ...native].map((client, at) => ({ client_id: `c${at}`, scope: "openid", ...client }))
  const file = join(server.folder, "registration.json")
  writeFileSync(file, JSON.stringify({ issuer: "https://id.example.com", clients }))
  const [code, said] = await new Promise<readonly [unknown, string]>((resolve) => {
    execFile(process.execPath, [command, "check-config", file], (error, out, err) => resolve([error?.code ?? 0, out + err]))
  })
  expect(code).toBe(1)
  expect([...said.matchAll(/clients\[(\d+)\]\.redirect_uris\[0\]/g)].map(([, at]) => Number(at))).toEqual(clients.map((_, at) => at))
})

test("security-checklist, Metadata and keys: a retired key stays, and what it signed is still good (RFC 7517 §5, specification §5)", async () => {
  const { access, id } = await tokensFor(server, alice)
  const keyIds = async (): Promise<ReadonlyArray<unknown>> =>
    ((await send(server, "GET", "/.well-known/openid-configuration/jwks")).json["keys"] as ReadonlyArray<Record<string, unknown>>).map(
      ({ kid }) => kid,
    )
  await operate(server, "keys", "rotate", "--now")
  const old = headOf(id)["kid"]
  let next = id
  for (let tries = 0; headOf(next)["kid"] === old && tries < 60; tries++) {
    await pause(250)
    next = (await tokensFor(server, alice)).id
  }
  const kids = await keyIds()
  expect(kids).toEqual(expect.arrayContaining([old, headOf(next)["kid"]]))
  expect(headOf(next)["kid"]).not.toBe(old)
  expect(new Set(kids).size).toBe(kids.length)
  expect((await userinfo(server, access)).status).toBe(200)
  expect((await introspect(server, "web", access)).json["active"]).toBe(true)
  expect((await ask(server, alice, { prompt: "none", id_token_hint: id })).params["code"]).toMatch(/^c_/)
})
