import { cookieName } from "@postern/core/wire"
import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import type { Surfer } from "../support/surfer.ts"
import { type Pairs, basic, config, cookieOf, encode, formType, request, send, signedIn, token } from "./setting.ts"

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

const path = "/connect/token"
const fields = { grant_type: "client_credentials" }
const authorized: Pairs = [["authorization", basic("machine")]]

/** Says bytes as they are; answers with all that comes back until the connection ends. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve) => {
    let heard = ""
    const line = connect(Number(new URL(server.url).port), "127.0.0.1", () => line.write(text, "latin1"))
    const late = setTimeout(() => line.destroy(), 3000)
    line.setEncoding("latin1").on("data", (chunk: string) => void (heard += chunk))
    line.on("error", () => undefined)
    line.on("close", () => {
      clearTimeout(late)
      resolve(heard)
    })
  })
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
const head = (lines: ReadonlyArray<string>): string =>
  ["POST /connect/token HTTP/1.1", "Host: h", "Connection: close", ...lines, "", ""].join("\r\n")
const alive = async (): Promise<void> => expect((await token(server, "machine", fields)).status).toBe(200)

test("security-checklist, Beyond: request smuggling: two lengths, length and chunks, or a folded header -> 400, and one answer (RFC 9112 §6.3)", async () => {
  const body = encode(fields)
  for (const lines of [
    [`Content-Length: ${body.length}`, `Content-Length: ${body.length + 1}`],
    [`Content-Length: ${body.length}`, "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: chunked, identity", `Content-Length: ${body.length}`],
    [`Content-Length: +${body.length}`],
    [`Content-Length: -1`],
    [`Content-Length : ${body.length}`],
    ["X-A: b\r\n folded: c", "Content-Length: 1e1"],
  ]) {
    const answer = await raw(head(lines) + body)
    expect([lines, statusOf(answer), answer.split("HTTP/1.1 ").length - 1]).toEqual([lines, 400, 1])
    expect(answer).not.toContain("access_token")
  }
  await alive()
})

test("security-checklist, Beyond: header injection: no header of the caller comes back, x-request-id included (RFC 9110 §5.5)", async () => {
  const mark = "injected-by-the-caller"
  const headers: Pairs = ["x-request-id", "x-correlation-id", "traceparent", "accept-language", "user-agent", "referer", "origin"].map(
    (name) => [name, mark],
  )
  for (const target of ["/login", "/nowhere", `/connect/authorize?${encode(request("nobody"))}`, path]) {
    const answer = await send(server, "GET", target, headers)
    const shown = ["x-request-id", "content-language", "vary", "location", "set-cookie", "access-control-allow-origin"].map((name) =>
      answer.header(name),
    )
    expect(`${shown.join()}${answer.body}`).not.toContain(mark)
    expect(answer.header("x-request-id")).toMatch(/^[\w-]{16,}$/)
  }
})

test("security-checklist, Beyond: response splitting: encoded line breaks in any parameter never become a header (RFC 9110 §5.5)", async () => {
  const hostile = "%0d%0aset-cookie:%20split=1%0d%0a%0d%0a<html>"
  for (const name of ["state", "nonce", "scope", "ui_locales", "login_hint", "redirect_uri", "client_id", "prompt", "claims"]) {
    const query = `${encode(request().filter(([each]) => each !== name))}&${name}=${hostile}`
    const answer = await send(server, "GET", `/connect/authorize?${query}`, [cookieOf(alice)])
    expect(answer.header("set-cookie") ?? "").not.toContain("split")
    expect([303, 400]).toContain(answer.status)
  }
})

test("security-checklist, Beyond: huge inputs: long targets, bodies and headers are refused at once, and the server serves on (RFC 9110 §15.5)", async () => {
  expect((await send(server, "GET", `/connect/authorize?state=${"x".repeat(10_000)}`)).status).toBe(414)
  const big = await raw(`${head([...formLines, "Content-Length: 99999999"])}grant_type=`)
  expect(statusOf(big)).toBe(413)
  expect(statusOf(await raw(head([`X-Big: ${"x".repeat(20_000)}`])))).toBe(431)
  await alive()
})
const formLines = ["Content-Type: application/x-www-form-urlencoded"]

test("security-checklist, Beyond: huge inputs: ten thousand parameters, or names that collide, are answered in time (RFC 6749 §3.2)", async () => {
  const began = performance.now()
  const many = Array.from({ length: 10_000 }, (_, at) => `p${at}=`).join("&")
  for (const body of [
    many.slice(0, 60_000),
    "&".repeat(60_000),
    "=".repeat(60_000),
    "%".repeat(60_000),
    `grant_type=${"%C3%A9".repeat(9000)}`,
    `scope=${"a+".repeat(20_000)}`,
  ]) {
    const answer = await send(server, "POST", path, [formType, ...authorized], body)
    expect([400, 413]).toContain(answer.status)
  }
  const scope = await token(server, "machine", { ...fields, scope: "api.read ".repeat(5000) })
  expect([200, 400]).toContain(scope.status)
  expect(performance.now() - began).toBeLessThan(5000)
})

test("security-checklist, Beyond: weird encodings are neither decoded twice nor an error of ours (RFC 6749 appendix B)", async () => {
  for (const body of [
    "grant%255ftype=client_credentials",
    "grant_type=%C0%AFclient_credentials",
    "grant_type=%ED%A0%80",
    "grant_type=client_credentials%00",
    "grant_type=client%5fcredentials%20",
    "\ufeffgrant_type=client_credentials",
    "grant_type;=client_credentials",
    "grant_type[]=client_credentials",
    "GRANT_TYPE=client_credentials",
    "g\u0000rant_type=x",
    "__proto__[grant_type]=client_credentials",
    "constructor=x&__proto__=y&toString=z",
  ]) {
    const answer = await send(server, "POST", path, [formType, ...authorized], body)
    expect([body, answer.status, answer.json["access_token"]]).toEqual([body, 400, undefined])
  }
  const utf16 = await send(server, "POST", path, [["content-type", `${formType[1]}; charset=utf-16`], ...authorized], "g\u0000r\u0000")
  expect(utf16.status).toBe(400)
})

test("security-checklist, Beyond: a compressed body is not unpacked (RFC 9110 §8.4)", async () => {
  const body = gzipSync("a".repeat(1_000_000)).toString("latin1")
  const lines = [...formLines, "Content-Encoding: gzip", `Content-Length: ${body.length}`, `Authorization: ${basic("machine")}`]
  expect([400, 415]).toContain(statusOf(await raw(head(lines) + body)))
})

test("security-checklist, Beyond: names that every object has are no client, scope, grant or user of ours (RFC 6749 §5.2)", async () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]) {
    const unknown = await token(server, undefined, { ...fields, client_id: name, client_secret: "x" })
    expect([unknown.status, unknown.json["error"]]).toEqual([401, "invalid_client"])
    const scope = await token(server, "machine", { ...fields, scope: name })
    expect([scope.status, scope.json["error"]]).toEqual([400, "invalid_scope"])
    const asked = await send(server, "GET", `/connect/authorize?${encode(request(name))}`)
    expect([asked.status, asked.to]).toEqual([400, undefined])
    const person = await token(server, "ropc", { grant_type: "password", username: name, password: "x" })
    expect([person.status, person.json["error"]]).toEqual([400, "invalid_grant"])
  }
})

test("security-checklist, Beyond: a path is matched as it was sent: no folding, decoding, trimming or climbing (RFC 3986 §6.2)", async () => {
  for (const target of [
    "/connect/token/",
    "//connect/token",
    "/connect//token",
    "/CONNECT/token",
    "/connect/%74oken",
    "/connect/token;x=1",
    "/connect/token%00",
    "/x/../connect/token",
    "/./connect/token",
    "/connect\\token",
  ])
    expect([target, (await send(server, "POST", target, [formType, ...authorized], encode(fields))).status]).toEqual([target, 404])
  for (const target of [
    "/assets/../../package.json",
    "/assets/%2e%2e/%2e%2e/etc/passwd",
    "/assets/..%2f..%2fetc/passwd",
    "/../../etc/passwd",
    "/postern.json",
    "/data/postern.sqlite",
    "/.git/config",
  ]) {
    const answer = await send(server, "GET", target)
    expect([target, answer.status, answer.body.includes("root:")]).toEqual([target, 404, false])
  }
})

test("security-checklist, Beyond: TRACE, CONNECT and made-up methods do nothing, and TRACE echoes nothing (RFC 9110 §9.3.8)", async () => {
  for (const method of ["TRACE", "PROPFIND", "PURGE", "SEARCH"])
    for (const target of ["/login", path, "/connect/authorize"]) {
      const answer = await send(server, method, target, [["x-mark", "echo-me"], cookieOf(alice)])
      expect([method, target, answer.status, answer.body.includes("echo-me")]).toEqual([method, target, 405, false])
    }
  expect(statusOf(await raw("BREW /connect/token HTTP/1.1\r\nHost: h\r\n\r\n"))).toBe(400)
  expect(await raw("CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n")).not.toMatch(/^HTTP\/1\.1 2/)
  await alive()
})

test("security-checklist, Beyond: duplicated headers: two types, two cookies, two Hosts do not confuse it (RFC 9110 §5.3)", async () => {
  const types: Pairs = [["content-type", "application/json"], formType]
  expect((await send(server, "POST", path, [...types, ...authorized], encode(fields))).status).toBe(400)
  const hosts = await raw(head([...formLines, "Host: evil.example", "Content-Length: 0"]))
  expect([200, 400, 401]).toContain(statusOf(hosts))
  expect(hosts).not.toContain("evil")
  const split: Pairs = [["cookie", "a=b"], cookieOf(alice), ["cookie", `${cookieName("session", server.url)}=s_evil`]]
  const answer = await send(server, "GET", `/connect/authorize?${encode([...request(), ["prompt", "none"]])}`, split)
  expect([answer.status, answer.to]).toEqual([303, "https://app.example/cb"])
})

test("security-checklist, Beyond: CORS where scripts may call: every origin, never with credentials, and no cookie counts there (RFC 9700 §2.6)", async () => {
  for (const target of [path, "/connect/userinfo"]) {
    const preflight = await send(server, "OPTIONS", target, [
      ["origin", "null"],
      ["access-control-request-method", "POST"],
    ])
    expect([preflight.status, preflight.header("access-control-allow-credentials")]).toEqual([204, undefined])
    expect(["*", undefined]).toContain(preflight.header("access-control-allow-origin"))
    const answer = await send(server, "POST", target, [formType, cookieOf(alice), ["origin", "https://evil.example"]], "x=y")
    expect([answer.status, answer.header("access-control-allow-credentials"), answer.header("set-cookie")]).toEqual([
      401,
      undefined,
      undefined,
    ])
  }
})

test("security-checklist, Beyond: no answer says what software, or which version, gave it; errors show no stack (RFC 9110 §10.2.4)", async () => {
  for (const [method, target] of [
    ["GET", "/nowhere"],
    ["GET", "/login"],
    ["POST", path],
    ["GET", "/connect/authorize"],
  ] as const) {
    const { header, body } = await send(server, method, target)
    expect([header("server"), header("x-powered-by"), header("via")]).toEqual([undefined, undefined, undefined])
    expect(body).not.toMatch(/node_modules|\bat \w+ \(|\.ts:\d+/)
  }
})
