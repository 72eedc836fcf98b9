import { type Server, createServer, request as ask } from "node:http"
import { type Http2Server, connect, createServer as createHttp2Server } from "node:http2"
import { type AddressInfo, connect as connectSocket } from "node:net"
import { gzipSync } from "node:zlib"
import { type NodeHandlerOptions, toNodeHandler } from "@postern/adapter-http/node"
import { liquidPages } from "@postern/adapter-http/pages"
import type { Message } from "@postern/core/wire"
import { build } from "esbuild"
import express from "express"
import fastify from "fastify"
import { afterEach, describe, expect, test } from "vitest"
import { basic } from "../support/flows.ts"
import { type World, type WorldOptions, world } from "../support/world.ts"

const closing: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const listening = async (server: Server | Http2Server): Promise<string> => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  closing.push(() => ("closeAllConnections" in server && server.closeAllConnections(), server.close()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A world whose provider notes what it is asked. */
const noted = async (options: WorldOptions = {}) => {
  const w = await world({ issuer: "http://127.0.0.1:1", ...options })
  const asked: Array<Message> = []
  const provider = { ...w.provider, handle: (message: Message) => (asked.push(message), w.provider.handle(message)) }
  return { w, asked, provider }
}

const served = async (handlerOptions?: NodeHandlerOptions, options?: WorldOptions) => {
  const setting = await noted(options)
  return { ...setting, url: await listening(createServer(toNodeHandler(setting.provider, handlerOptions))) }
}

const credentials = { authorization: basic("machine", "secret of machine") }
const form = { ...credentials, "content-type": "application/x-www-form-urlencoded" }
const token = (url: string, body = "grant_type=client_credentials", headers: Record<string, string> = form): Promise<Response> =>
  fetch(`${url}/connect/token`, { method: "POST", headers, body })

/** Reads the server's answer to bytes, until it closes. */
const raw = (url: string, text: string): Promise<string> =>
  new Promise((done) => {
    const socket = connectSocket(Number(new URL(url).port), "127.0.0.1")
    let heard = ""
    socket
      .on("data", (chunk) => (heard += chunk.toString()))
      .on("close", () => done(heard))
      .on("error", () => done(heard))
    socket.write(text)
  })

describe("toNodeHandler on node:http", () => {
  test("RFC 6749 §4.4: answers, with every header of the answer and a length", async () => {
    const { url } = await served()
    const answer = await token(url)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ token_type: "Bearer" })
    expect(answer.headers.get("cache-control")).toBe("no-store")
    expect(answer.headers.get("x-request-id")).toMatch(/^.{16,}$/)
    const page = await fetch(`${url}/login`)
    expect(page.headers.getSetCookie()).toHaveLength(1)
    expect(Number(page.headers.get("content-length"))).toBe(Buffer.byteLength(await page.text()))
    const head = await fetch(`${url}/.well-known/openid-configuration`, { method: "HEAD" })
    expect([head.status, await head.text(), Number(head.headers.get("content-length")) > 100]).toEqual([200, "", true])
    expect((await fetch(`${url}/nowhere`)).status).toBe(404)
  })

  test("the message has path and query as they were sent", async () => {
    const { url, asked } = await served()
    await new Promise((done) => ask(`${url}`, { path: "//a/../b%2Fc?x=%20&y" }, done).end())
    expect(asked[0]).toMatchObject({ method: "GET", path: "//a/../b%2Fc", query: "x=%20&y", body: "" })
  })

  test("the caller's address is the connection's; X-Forwarded-For counts from trusted proxies alone", async () => {
    const forwarded = { ...form, "x-forwarded-for": "203.0.113.9, 198.51.100.7" }
    const one = await served()
    await token(one.url, "", forwarded)
    expect(one.asked[0]?.address).toBe("127.0.0.1")
    const other = await served({ trustedProxies: ["127.0.0.0/8"] })
    await token(other.url, "", forwarded)
    expect(other.asked[0]?.address).toBe("198.51.100.7")
    const { provider } = await noted()
    expect(() => toNodeHandler(provider, { trustedProxies: ["everyone"] })).toThrow(/"everyone" is neither/)
  })

  test("RFC 9110 §5.3: repeated fields are joined, and two Authorization fields are no credentials", async () => {
    const { url, asked } = await served()
    const body = "grant_type=client_credentials"
    const text = await raw(
      url,
      `POST /connect/token HTTP/1.1\r\nhost: x\r\nauthorization: ${credentials.authorization}\r\nauthorization: Basic eDp5\r\n` +
        `content-type: application/x-www-form-urlencoded\r\ncookie: a=1\r\ncookie: b=2\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    expect(asked[0]?.headers).toMatchObject({ authorization: `${credentials.authorization}, Basic eDp5`, cookie: "a=1; b=2" })
    expect(text).toMatch(/^HTTP\/1\.1 401 /)
  })

  test("RFC 9110 §15.5.14: a body over the bound is 413 and unread, with a length and without; the answer arrives each time", async () => {
    const { url, asked } = await served()
    for (let round = 0; round < 20; round++) {
      const long = "x".repeat(200_000)
      const stated = await raw(url, `POST /connect/token HTTP/1.1\r\nhost: x\r\ncontent-length: ${long.length}\r\n\r\n${long}`)
      expect(stated).toMatch(/^HTTP\/1\.1 413 .*connection: close.*"error":"invalid_request"/s)
      const chunk = `${long.length.toString(16)}\r\n${long}\r\n`
      const chunked = await raw(url, `POST /connect/token HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunk}`)
      expect(chunked).toMatch(/^HTTP\/1\.1 413 /)
    }
    expect(asked).toEqual([])
    const small = await served({ longestBody: 10 })
    expect((await token(small.url)).status).toBe(413)
    expect((await fetch(`${url}/login?${"x".repeat(9_000)}`)).status).toBe(414)
  })

  test("RFC 9110 §15.6.4: a caller who goes away in the middle of a body is answered nothing, and nothing is decided", async () => {
    const { url, asked } = await served()
    const socket = connectSocket(Number(new URL(url).port), "127.0.0.1")
    await new Promise<void>((done) =>
      socket.write("POST /connect/token HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\ngrant_type=", () => done()),
    )
    socket.destroy()
    expect((await token(url)).status).toBe(200)
    expect(asked).toHaveLength(1)
  })

  test("the files of pages are served below the issuer's path", async () => {
    const pages = liquidPages()
    const { url } = await served({ assets: pages.assets }, { issuer: "http://127.0.0.1:1/auth" })
    const [style] = pages.assets
    const answer = await fetch(`${url}/auth/assets/${style?.name}`)
    expect([answer.status, (await answer.bytes()).length]).toEqual([200, style?.body.length])
    const again = await fetch(`${url}/auth/assets/${style?.name}`, { headers: { "if-none-match": style?.etag ?? "" } })
    expect(again.status).toBe(304)
    expect((await fetch(`${url}/auth/assets/${style?.name}`, { method: "POST" })).status).toBe(405)
    expect((await fetch(`${url}/auth/assets/none.css`)).status).toBe(404)
  })
})

test("toNodeHandler on node:http2: pseudo fields are none, split cookies are joined, bodies need no length (RFC 9113 §8)", async () => {
  const { provider, asked } = await noted()
  const url = await listening(createHttp2Server(toNodeHandler(provider)))
  const session = connect(url)
  closing.push(() => session.destroy())
  const send = (headers: Record<string, string | Array<string>>, body: string) =>
    new Promise<{ readonly status: number; readonly cookies: number; readonly text: string }>((done, fail) => {
      const stream = session.request({ ":method": "POST", ":path": "/connect/token", ...headers }, { endStream: false })
      let [status, cookies, text] = [0, 0, ""]
      stream
        .on("response", (said) => ([status, cookies] = [Number(said[":status"]), said["set-cookie"]?.length ?? 0]))
        .on("data", (chunk: Buffer) => (text += chunk.toString()))
        .on("end", () => done({ status, cookies, text }))
        .on("error", fail)
      stream.end(body)
    })
  const answer = await send({ ...form, cookie: ["a=1", "b=2"] }, "grant_type=client_credentials")
  expect(answer).toMatchObject({ status: 200, text: expect.stringContaining("access_token") })
  expect(Object.keys(asked[0]?.headers ?? {}).filter((name) => name.startsWith(":"))).toEqual([])
  expect(asked[0]).toMatchObject({ headers: { cookie: "a=1; b=2" }, body: "grant_type=client_credentials", address: "127.0.0.1" })
  expect(await send({ ":method": "GET", ":path": "/login" }, "")).toMatchObject({ status: 200, cookies: 1 })
  expect(await send(form, "x".repeat(70_000))).toMatchObject({ status: 413 })
})

describe("toNodeHandler as Express middleware", () => {
  const app = async (
    mount: (app: ReturnType<typeof express>, w: World, provider: Awaited<ReturnType<typeof noted>>["provider"]) => void,
  ) => {
    const { w, provider, asked } = await noted({ issuer: "http://127.0.0.1:1/auth" })
    const server = express()
    mount(server, w, provider)
    return { url: await listening(createServer(server)), asked, w }
  }
  const status = async (url: string) => (await token(`${url}/auth`)).status

  test("goes first, and passes on what is none of the provider's; works below a mount path too", async () => {
    const { url } = await app((server, _, provider) =>
      server
        .use(toNodeHandler(provider))
        .use(express.urlencoded())
        .post("/auth/own", (request, response) => void response.json(request.body)),
    )
    expect(await status(url)).toBe(200)
    const own = await fetch(`${url}/auth/own`, { method: "POST", body: new URLSearchParams({ a: "1" }) })
    expect(await own.json()).toEqual({ a: "1" })
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404)
    const mounted = await app((server, _, provider) => server.use("/auth", toNodeHandler(provider)))
    expect(await status(mounted.url)).toBe(200)
  })

  test("keeps the cookies that others have set", async () => {
    const { url } = await app((server, _, provider) =>
      server.use((_request, response, next) => next(void response.cookie("own", "1"))).use(toNodeHandler(provider)),
    )
    const answer = await fetch(`${url}/auth/login`)
    expect(answer.headers.getSetCookie().map((each) => each.split("=")[0])).toEqual(["own", expect.stringContaining("postern-browser")])
  })

  test("an answer that other code has begun is an error that says so, and keeps no caller waiting", async () => {
    let told: unknown
    const begun = await app((server, _, provider) =>
      server
        .use((_request, response, next) => next(response.writeHead(202).flushHeaders()))
        .use(toNodeHandler(provider))
        .use(((error, _request, response, _next) => void ((told = error), response.end())) satisfies express.ErrorRequestHandler),
    )
    expect(await status(begun.url)).toBe(202)
    expect(told).toMatchObject({
      name: "TypeError",
      message: expect.stringContaining("an answer was begun before the provider saw the request"),
    })
    const alone = await app((server, _, provider) => {
      const handler = toNodeHandler(provider)
      return server.use((request, response) => handler(request, response.writeHead(202)))
    })
    await expect(fetch(`${alone.url}/auth/login`)).rejects.toThrow("fetch failed")
  })

  test("a body that a parser has read is an error that says what to do; bytes that were kept will do", async () => {
    let told: unknown
    const after = await app((server, _, provider) =>
      server
        .use(express.urlencoded())
        .use(toNodeHandler(provider))
        .use(
          ((error, _request, response, _next) => void ((told = error), response.status(500).end())) satisfies express.ErrorRequestHandler,
        ),
    )
    expect(await status(after.url)).toBe(500)
    expect(told).toMatchObject({ name: "TypeError", message: expect.stringContaining("mount toNodeHandler before body parsers") })
    expect(after.asked).toEqual([])
    for (const parser of [
      express.raw({ type: () => true }),
      express.text({ type: () => true }),
      express.urlencoded({ verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }) }),
    ]) {
      const kept = await app((server, _, provider) => server.use(parser).use(toNodeHandler(provider)))
      expect(await status(kept.url)).toBe(200)
    }
  })

  test("Fetch §3.2: scripts of other origins may read a refusal in the provider's place where they may read what the endpoint answers", async () => {
    const { url, w } = await served({ longestBody: 100 })
    const failing = await listening(createServer(toNodeHandler({ ...w.provider, handle: () => Promise.reject(new Error("broken")) })))
    const origin = async (answer: Promise<Response>) => [(await answer).status, (await answer).headers.get("access-control-allow-origin")]
    const long = "x".repeat(9_000)
    expect(await origin(token(url, long))).toEqual([413, "*"])
    expect(await origin(token(`${url}/connect/token?${long}#`))).toEqual([414, "*"])
    expect(await origin(token(failing))).toEqual([500, "*"])
    expect(await origin(fetch(`${url}/login?${long}`))).toEqual([414, null])
    expect(await origin(fetch(`${url}/connect/introspect`, { method: "POST", headers: form, body: long }))).toEqual([413, null])
  })

  test("RFC 9110 §15.5.16: a compressed body is 415, and the answer says so; what a parser before has unpacked is taken", async () => {
    const { url, provider } = await served()
    const packed = await fetch(`${url}/connect/token`, { method: "POST", headers: { ...form, "content-encoding": "gzip" }, body: "x" })
    expect([packed.status, await packed.json()]).toEqual([
      415,
      { error: "invalid_request", error_description: "The body must not be compressed." },
    ])
    const app = express()
    app.use(express.text({ type: () => true }), toNodeHandler(provider))
    const unpacking = await listening(createServer(app))
    const headers = { ...form, "content-encoding": "gzip" }
    const taken = await fetch(`${unpacking}/connect/token`, { method: "POST", headers, body: gzipSync("grant_type=client_credentials") })
    expect(taken.status).toBe(200)
  })

  test("without a next it is reported and 500", async () => {
    const { w, provider } = await noted()
    const handler = toNodeHandler(provider)
    const server = createServer((request, response) => void request.resume().on("end", () => handler(request, response)))
    expect((await token(await listening(server))).status).toBe(500)
    expect(w.reports).toMatchObject([{ cause: { message: expect.stringContaining("the body was read before") } }])
  })
})

test("RFC 8705 §6.5: toNodeHandler refuses two sources of certificates for the same requests, and takes each alone", async () => {
  const { provider } = await noted()
  const certificateProxies = { form: "nginx", from: ["10.0.0.7"] } as const
  for (const clientCertificates of [true, false])
    expect(() => toNodeHandler(provider, { clientCertificates, certificateProxies })).toThrow(
      /^toNodeHandler: clientCertificates and certificateProxies are two sources/,
    )
  for (const options of [{ clientCertificates: true }, { certificateProxies }])
    expect(toNodeHandler(provider, options)).toBeTypeOf("function")
})

test("toNodeHandler in Fastify: as a plugin whose parsers leave the body alone", async () => {
  const { provider } = await noted()
  const handler = toNodeHandler(provider)
  const app = fastify()
  closing.push(() => app.close())
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
    scope.all("/*", (request, reply) => {
      reply.hijack()
      handler(request.raw, reply.raw)
    })
  })
  app.post("/own", async ({ body }) => body)
  const url = await app.listen({ port: 0, host: "127.0.0.1" })
  expect((await token(url)).status).toBe(200)
  expect((await fetch(`${url}/.well-known/openid-configuration`)).status).toBe(200)
  const own = await fetch(`${url}/own`, { method: "POST", headers: { "content-type": "application/json" }, body: '{"a":1}' })
  expect(await own.json()).toEqual({ a: 1 })
})

test("@postern/adapter-http/node loads no server of ours, no templates and no Effect runtime for Node", async () => {
  const { metafile } = await build({
    stdin: { contents: 'export * from "@postern/adapter-http/node"', resolveDir: import.meta.dirname },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    metafile: true,
    logLevel: "error",
  })
  const inputs = Object.keys(metafile.inputs)
  expect(
    inputs.filter((file) => /platform-node|liquidjs|openid-client|adapter-http\/src\/(?:pages|serve|run|upstream)/.test(file)),
  ).toEqual([])
})
