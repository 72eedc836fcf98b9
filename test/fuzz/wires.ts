import fc from "fast-check"
import { nastyTexts } from "./nasty.ts"
import type { Wire } from "./sockets.ts"

const close = "Connection: close\r\n"
const form = "Content-Type: application/x-www-form-urlencoded\r\n"
const host = "Host: 127.0.0.1\r\n"
const head = (line: string, more = ""): string => `${line}\r\n${host}${more}`
const wait = (name: string, ...parts: ReadonlyArray<string>): Wire => ({ name, parts, end: "wait" })

const paths = [
  "/",
  "/login",
  "/consent",
  "/device",
  "/logout",
  "/connect/authorize",
  "/connect/authorize/resume",
  "/connect/token",
  "/connect/userinfo",

  "/connect/revocation",
  "/connect/introspect",
  "/connect/deviceauthorization",
  "/connect/endsession",
  "/sessions/end",
  "/health/live",
  "/metrics",
  "/.well-known/openid-configuration",
  "/.well-known/openid-configuration/jwks",
  "/nowhere",
]
const methods = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "TRACE", "CONNECT", "PROPFIND", "M-SEARCH", "FOO", "get", "PRI"]
const path = fc.constantFrom(...paths)
const method = fc.constantFrom(...methods)
const latin = (text: string): string => Buffer.from(text, "utf8").toString("latin1")
/** Text that may stand in a request line or a header: it does not end the line. Everything else may. */
const inLine = (text: string): string => latin(text).replaceAll(/[\r\n]/gu, "")
const nasty = fc.constantFrom(...nastyTexts.filter((text) => text.length < 8_000))

/** A whole request that the parser takes: what it is made of is nasty, its form is not. */
const whole: fc.Arbitrary<Wire> = fc.tuple(method, path, nasty, nasty, nasty).map(([verb, at, query, name, body]) => {
  const text = `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(body.toWellFormed())}&client_id=web`
  const target = `${at}?x=${encodeURIComponent(query.toWellFormed())}`
  return wait("whole", `${head(`${verb} ${target} HTTP/1.1`, `${form}${close}Content-Length: ${text.length}\r\n`)}\r\n${text}`)
})

const target: fc.Arbitrary<Wire> = fc
  .tuple(
    fc.constantFrom("GET", "POST"),
    fc.oneof(
      fc.tuple(path, nasty).map(([at, text]) => at + inLine(text)),
      fc.tuple(path, nasty).map(([at, text]) => `${at}?${inLine(text)}`),
      fc.constantFrom(
        "*",
        "?",
        "//",
        "///connect/token",
        "http://",
        "http://evil.example",
        "http://evil.example:99999999/connect/token",
        "https:///x",
        "//evil.example/login",
      ),
      fc.constantFrom(
        "/%",
        "/%zz",
        "/%00",
        "/connect/%2e%2e/login",
        "/connect/token%",
        "/%c0%af",
        "/%ff%fe",
        "\\login",
        "/login#x",
        "ftp://x/",
        "x",
        "[::1]:80",
      ),
      fc.constantFrom(
        "/login?".padEnd(8_190, "a"),
        "/login?".padEnd(8_193, "a"),
        "/".repeat(8_000),
        "/connect/authorize?".padEnd(15_000, "&"),
      ),
    ),
  )
  .map(([verb, text]) => wait("target", `${head(`${verb} ${text} HTTP/1.1`, `${close}Content-Length: 0\r\n`)}\r\n`))

const headers: fc.Arbitrary<Wire> = fc.oneof(
  fc
    .tuple(
      path,
      fc.constantFrom(
        "Cookie",
        "Authorization",
        "Accept-Language",
        "Content-Type",
        "Origin",
        "X-Forwarded-For",
        "Forwarded",
        "Expect",
        "Upgrade",
      ),
      nasty,
    )
    .map(([at, name, text]) => wait("header", `${head(`GET ${at} HTTP/1.1`, `${name}: ${inLine(text)}\r\n${close}`)}\r\n`)),
  fc
    .tuple(path, fc.constantFrom(50, 500, 1_990, 2_100))
    .map(([at, many]) => wait("header flood", `${head(`GET ${at} HTTP/1.1`, `${close}${"A:b\r\n".repeat(many)}`)}\r\n`)),
  fc
    .tuple(path, fc.constantFrom(15_000, 17_000, 100_000))
    .map(([at, long]) => wait("huge cookie", `${head(`GET ${at} HTTP/1.1`, `${close}Cookie: a=${"x".repeat(long)}\r\n`)}\r\n`)),
  path.map((at) => wait("many cookies", `${head(`GET ${at} HTTP/1.1`, `${close}${"Cookie: postern-session=s_x\r\n".repeat(400)}`)}\r\n`)),
  path.map((at) =>
    wait(
      "two of each",
      `${head(`POST ${at} HTTP/1.1`, `${close}${form}${form}Authorization: Basic YTpi\r\nAuthorization: Bearer x\r\nContent-Length: 0\r\n`)}\r\n`,
    ),
  ),
  fc
    .constantFrom(
      "Host: a\r\nHost: b\r\n",
      "",
      "Host:\r\n",
      "Host: a b\r\n",
      "Host : a\r\n",
      " Host: a\r\n",
      "Host: a\r\n folded\r\n",
      ": x\r\n",
      "\u0000: x\r\n",
    )
    .map((lines) => wait("hosts", `GET / HTTP/1.1\r\n${lines}${close}\r\n`)),
)

const version: fc.Arbitrary<Wire> = fc
  .tuple(
    method,
    path,
    fc.constantFrom("HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "HTTP/0.9", "HTTP/9.9", "HTTP/1.1 ", "HTTP/1", "http/1.1", "", "XTTP/1.1"),
  )
  .map(([verb, at, which]) => wait("version", `${verb} ${at} ${which}\r\n${host}${close}Content-Length: 0\r\n\r\n`))

const chunkHead = `${head("POST /connect/token HTTP/1.1", `${form}${close}Transfer-Encoding: chunked\r\n`)}\r\n`
const body: fc.Arbitrary<Wire> = fc.oneof(
  fc
    .constantFrom(
      "zz\r\n",
      "-1\r\n",
      "5\r\nabc\r\n0\r\n\r\n",
      "3\r\nabcdef\r\n0\r\n\r\n",
      "ffffffffffffffff\r\nabc\r\n",
      "3;ext=\u0000\r\nabc\r\n0\r\n\r\n",
      `3;${"x".repeat(20_000)}\r\nabc\r\n0\r\n\r\n`,
      "3\nabc\n0\n\n",
      "0x3\r\nabc\r\n0\r\n\r\n",
      "0\r\nTrailer: x\r\nTransfer-Encoding: chunked\r\n\r\n",
      `0\r\n${"T: x\r\n".repeat(4_000)}\r\n`,
      "1\r\na\r\n".repeat(5_000),
      `${"4000\r\n"}${"a".repeat(16_384)}\r\n`.repeat(6),
    )
    .map((chunks) => ({ name: "chunks", parts: [chunkHead, chunks], end: "finish" }) as const),
  fc
    .constantFrom(
      "Content-Length: 65536\r\n",
      "Content-Length: 65537\r\n",
      "Content-Length: 99999999999999999999\r\n",
      "Content-Length: 1e3\r\n",
      "Content-Length: +3\r\n",
      "Content-Length: 3, 3\r\n",
      "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: chunked, identity\r\n",
      "Transfer-Encoding: gzip\r\n",
      "Expect: 100-continue\r\nContent-Length: 3\r\n",
      "Expect: 200-ok\r\nContent-Length: 3\r\n",
      "Content-Encoding: gzip\r\nContent-Length: 3\r\n",
      "Upgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 3\r\n",
    )
    .map(
      (length) =>
        ({
          name: length,
          parts: [`${head("POST /connect/token HTTP/1.1", form + close + length)}\r\n`, "a=b".padEnd(70_000, "c")],
          end: "finish",
        }) as const,
    ),
  fc.tuple(path, fc.uint8Array({ maxLength: 400 })).map(([at, bytes]) => {
    const text = Buffer.from(bytes).toString("latin1")
    return wait("bytes in the body", `${head(`POST ${at} HTTP/1.1`, `${form}${close}Content-Length: ${text.length}\r\n`)}\r\n${text}`)
  }),
  fc
    .tuple(path, fc.constantFrom("application/json", "multipart/form-data; boundary=x", "text/plain", ""), nasty)
    .map(([at, type, text]) => {
      const bytes = latin(text)
      return wait(
        "another type",
        `${head(`POST ${at} HTTP/1.1`, `Content-Type: ${type}\r\n${close}Content-Length: ${bytes.length}\r\n`)}\r\n${bytes}`,
      )
    }),
)

const pipeline: fc.Arbitrary<Wire> = fc.tuple(fc.array(path, { minLength: 2, maxLength: 40 }), fc.boolean()).map(([each, cut]) => {
  const all = each.map((at, place) => `${head(`GET ${at} HTTP/1.1`, place === each.length - 1 ? close : "")}\r\n`)
  return { name: "pipeline", parts: [all.join("")], end: cut ? "vanish" : "wait" }
})

const smuggled: fc.Arbitrary<Wire> = path.map((at) => ({
  name: "a request in a body",
  parts: [
    `${head(`GET ${at} HTTP/1.1`, "Content-Length: 44\r\n")}\r\nGET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
    `${head("GET / HTTP/1.1", close)}\r\n`,
  ],
  end: "finish",
}))

/** A sound request of which only so much arrives. */
const partial: fc.Arbitrary<Wire> = fc.tuple(path, fc.nat(200), fc.constantFrom("finish", "vanish")).map(([at, length, end]) => ({
  name: `the first ${length} characters`,
  parts: [`${head(`POST ${at} HTTP/1.1`, `${form}Content-Length: 100\r\n`)}\r\n${"a=b&".repeat(20)}`.slice(0, length)],
  end,
}))

const garbage: fc.Arbitrary<Wire> = fc
  .array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { minLength: 1, maxLength: 4 })
  .map((each) => ({
    name: "bytes",
    parts: each.map((bytes) => Buffer.from(bytes).toString("latin1")),
    end: "finish",
  }))

/** Whatever may come over a connection. */
export const anyWire: fc.Arbitrary<Wire> = fc.oneof(whole, target, headers, version, body, pipeline, smuggled, partial, garbage)
