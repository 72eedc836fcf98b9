import { type IncomingMessage, type RequestListener, type ServerResponse, type Server, createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { isPublicAddress, nodeOutbound } from "@postern/adapter-http"
import { secretOf } from "@postern/core/model"
import { type OutboundLimits, OutwardRefused } from "@postern/core/ports"
import { afterEach, describe, expect, test, vi } from "vitest"
import { pem } from "../cli/pem.ts"

const running: Array<Server> = []
afterEach(async () => {
  await Promise.all(
    running.splice(0).map((server) => {
      server.closeAllConnections()
      return new Promise((closed) => server.close(closed))
    }),
  )
})

const listening = async (server: Server): Promise<number> => {
  running.push(server)
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens))
  return (server.address() as AddressInfo).port
}

/** A server of plain http on loopback, and what it was asked. */
const plain = async (answer: RequestListener) => {
  const asked: Array<IncomingMessage> = []
  const port = await listening(
    createServer((request, response) => {
      asked.push(request)
      answer(request, response)
    }),
  )
  return { port, asked }
}

/** A server of https for `localhost`, with a certificate that nobody knows. */
const secure = async (answer: RequestListener) => listening(createSecureServer({ key: pem.key, cert: pem.cert }, answer))

const ok: RequestListener = (_, response) => response.writeHead(200, { "content-type": "application/jwt" }).end("document")

const resolver =
  (...addresses: ReadonlyArray<string>) =>
  () =>
    Promise.resolve(addresses)

const development = { loopback: true, resolve: resolver("127.0.0.1") }

const unfetched = (reason: string) => ({ _tag: "Unfetched", reason })
const unreachable = (reason: string) => ({ ...unfetched(reason), isUnreachable: true })

describe("what may be reached (RFC 9101 §10.4.1)", () => {
  test.for([
    ["8.8.8.8", true],
    ["93.184.216.34", true],
    ["2606:4700:4700::1111", true],
    ["0.0.0.0", false],
    ["10.1.2.3", false],
    ["100.64.0.1", false],
    ["127.0.0.1", false],
    ["127.255.255.254", false],
    ["169.254.169.254", false],
    ["172.16.0.1", false],
    ["172.31.255.255", false],
    ["192.0.0.8", false],
    ["192.0.2.1", false],
    ["192.88.99.1", false],
    ["192.168.1.1", false],
    ["198.18.0.1", false],
    ["198.51.100.1", false],
    ["203.0.113.1", false],
    ["224.0.0.1", false],
    ["240.0.0.1", false],
    ["255.255.255.255", false],
    ["::", false],
    ["::1", false],
    ["::7f00:1", false],
    ["::ffff:127.0.0.1", false],
    ["::ffff:8.8.8.8", false],
    ["64:ff9b::7f00:1", false],
    ["64:ff9b:1::a00:1", false],
    ["100::1", false],
    ["2001::1", false],
    ["2001:db8::1", false],
    ["2002:7f00:1::", false],
    ["3fff::1", false],
    ["4000::1", false],
    ["fc00::1", false],
    ["fd12:3456::1", false],
    ["fe80::1", false],
    ["fec0::1", false],
    ["ff02::1", false],
    ["localhost", false],
    ["", false],
  ] as const)("%s: %s", ([address, expected]) => {
    expect(isPublicAddress(address)).toBe(expected)
  })

  test.for([
    ["http://app.example/r", ["93.184.216.34"], "http is for loopback in development only"],
    ["https://app.example/r", ["127.0.0.1"], "the host has an address that is not public"],
    ["https://app.example/r", ["10.0.0.1"], "the host has an address that is not public"],
    ["https://app.example/r", ["93.184.216.34", "192.168.0.1"], "the host has an address that is not public"],
    ["https://app.example/r", ["2606:4700:4700::1111", "::1"], "the host has an address that is not public"],
    ["https://app.example/r", ["not an address"], "the host has an address that is not public"],
    ["https://app.example/r", [], "the host has no address"],
    ["https://127.0.0.1/r", ["93.184.216.34"], "the host has an address that is not public"],
    ["https://0x7f.1/r", ["93.184.216.34"], "the host has an address that is not public"],
    ["https://2130706433/r", ["93.184.216.34"], "the host has an address that is not public"],
    ["https://[::ffff:169.254.169.254]/r", ["93.184.216.34"], "the host has an address that is not public"],
    ["https://user@app.example/r", ["93.184.216.34"], "the URL carries a user name"],
    ["file:///etc/passwd", ["93.184.216.34"], "not an https URL"],
    ["nonsense", ["93.184.216.34"], "not an https URL"],
  ] as const)("%s at %s: %s, and nothing is connected to", async ([url, addresses, reason]) => {
    expect(await nodeOutbound({ resolve: resolver(...addresses) }).fetch(url, "*/*")).toEqual(unfetched(reason))
  })

  test("a name that nobody knows is not fetched", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }))
    expect(await nodeOutbound({ resolve }).fetch("https://app.example/r", "*/*")).toEqual(unreachable("the connection failed: ENOTFOUND"))
  })

  test("development reaches loopback, and this machine alone: a name that is elsewhere too is refused", async () => {
    const { port, asked } = await plain(ok)
    const outbound = nodeOutbound({ loopback: true, resolve: resolver("127.0.0.1", "10.0.0.1") })
    expect(await outbound.fetch(`http://app.example:${port}/r`, "*/*")).toEqual(unfetched("http is for loopback in development only"))
    expect(await outbound.fetch(`https://app.example:${port}/r`, "*/*")).toEqual(unfetched("the host has an address that is not public"))
    expect(asked).toEqual([])
  })

  test("the system's resolver is asked when no other is given", async () => {
    const { port } = await plain(ok)
    expect(await nodeOutbound({ loopback: true }).fetch(`http://localhost:${port}/r`, "*/*")).toMatchObject({ _tag: "Fetched" })
    expect(await nodeOutbound().fetch(`https://localhost:${port}/r`, "*/*")).toEqual(
      unfetched("the host has an address that is not public"),
    )
  })

  test("the connection goes to the address that was looked at: a name that answers otherwise the second time is not asked again", async () => {
    const { port, asked } = await plain(ok)
    const resolve = vi.fn<() => Promise<ReadonlyArray<string>>>().mockResolvedValueOnce(["127.0.0.1"]).mockResolvedValue(["10.0.0.1"])
    const answer = await nodeOutbound({ loopback: true, resolve }).fetch(`http://rebinding.example:${port}/r`, "*/*")
    expect(answer).toMatchObject({ _tag: "Fetched", body: "document" })
    expect(resolve.mock.calls).toEqual([["rebinding.example"]])
    expect(asked[0]?.headers.host).toBe(`rebinding.example:${port}`)
  })
})

describe("what is sent and read", () => {
  test("the answer is status, type and text; the request names what is accepted, and carries no credential", async () => {
    const { port, asked } = await plain((_, response) => response.writeHead(404, { "content-type": "text/plain" }).end("gone ü"))
    vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:9")
    vi.stubEnv("NODE_USE_ENV_PROXY", "1")
    expect(await nodeOutbound(development).fetch(`http://app.example:${port}/a?b=c#d`, "application/jwt")).toEqual({
      _tag: "Fetched",
      status: 404,
      contentType: "text/plain",
      body: "gone ü",
    })
    expect(asked[0]?.url).toBe("/a?b=c")
    expect(asked[0]?.headers).toEqual({
      host: `app.example:${port}`,
      accept: "application/jwt",
      "accept-encoding": "identity",
      "user-agent": "Postern",
      connection: "close",
    })
  })

  test("a redirect is not followed", async () => {
    const { port, asked } = await plain((_, response) => response.writeHead(302, { location: "/elsewhere" }).end())
    expect(await nodeOutbound(development).fetch(`http://app.example:${port}/r`, "*/*")).toEqual(
      unfetched("answered with status 302; redirects are not followed"),
    )
    expect(asked.map(({ url }) => url)).toEqual(["/r"])
  })

  test.for([
    ["redirects", 302, (response) => response.writeHead(302, { location: "/elsewhere" }).end()],
    ["answers at length", 200, (response) => response.writeHead(200).end("x".repeat(70_000))],
    ["packs its answer", 204, (response) => response.writeHead(204, { "content-encoding": "gzip" }).end()],
    ["never ends its body", 200, (response) => response.writeHead(200).write("a")],
    ["asks for patience", 503, (response) => response.writeHead(503, { "retry-after": "7" }).end()],
  ] satisfies ReadonlyArray<readonly [string, number, (response: ServerResponse) => unknown]>)(
    "Back-Channel Logout §2.8: the status says what came of a message to who %s",
    async ([, status, answer]) => {
      const { port, asked } = await plain((_, response) => void answer(response))
      const body = { contentType: "application/x-www-form-urlencoded", text: "logout_token=a.b.c", authorization: secretOf("Bearer b") }
      const outbound = nodeOutbound(development)
      const sent = await outbound.post?.(`http://app.example:${port}/r`, body, new AbortController().signal)
      expect(sent).toMatchObject({ _tag: "Fetched", status, body: "", ...(status === 503 ? { retryAfter: "7" } : {}) })
      expect(asked).toHaveLength(1)
      expect(asked[0]?.headers).toMatchObject({ "content-type": "application/x-www-form-urlencoded", authorization: "Bearer b" })
    },
  )

  test("64 KiB are read, and not one byte more, whatever the length that is stated", async () => {
    const { port } = await plain(({ url }, response) => {
      response.writeHead(200).write("x".repeat(65_536))
      response.end(url === "/longer" ? "x" : "")
    })
    expect(await nodeOutbound(development).fetch(`http://app.example:${port}/r`, "*/*")).toMatchObject({ body: "x".repeat(65_536) })
    expect(await nodeOutbound(development).fetch(`http://app.example:${port}/longer`, "*/*")).toEqual(unfetched("longer than 65536 bytes"))
  })

  test("tighter limits of one fetch hold: fewer bytes, less time; a port's own limits are never exceeded", async () => {
    const { port } = await plain(({ url }, response) => {
      if (url === "/slow") return
      response.writeHead(200, { "cache-control": "max-age=60", age: "7" }).end("x".repeat(5_120))
    })
    const outbound = nodeOutbound(development)
    const fetch = (path: string, limits: OutboundLimits) => outbound.fetch(`http://app.example:${port}${path}`, "*/*", limits)
    expect(await fetch("/r", { bytes: 5_120 })).toMatchObject({ _tag: "Fetched", caching: { cacheControl: "max-age=60", age: "7" } })
    expect(await fetch("/r", { bytes: 5_119 })).toEqual(unfetched("longer than 5119 bytes"))
    expect(await fetch("/r", { bytes: 1_000_000 })).toMatchObject({ _tag: "Fetched" })
    expect(await fetch("/slow", { milliseconds: 100 })).toEqual(unreachable("not there within 100 ms"))
  })

  const stranger = { ofStranger: true } as const

  test("an endpoint that a stranger chose and that fails keeps nobody from the keys at the same host", async () => {
    const { port } = await plain(({ url }, response) => (url === "/keys" ? response.end("keys") : response.destroy()))
    const outbound = nodeOutbound(development)
    const [hole, keys] = [`http://app.example:${port}/hole`, `http://app.example:${port}/keys`]
    const body = { contentType: "text/plain", text: "told", ...stranger }
    const post = () => outbound.post?.(hole, body, new AbortController().signal)
    for (let time = 0; time < 3; time++) expect(await post()).toMatchObject({ _tag: "Unfetched", isUnreachable: true })
    await expect(post()).rejects.toThrow(OutwardRefused)
    expect(await outbound.fetch(keys, "*/*")).toMatchObject({ _tag: "Fetched", body: "keys" })
  })

  test("a host that fails for documents, whose addresses anybody can choose, is asked for keys and told of sign-outs as before", async () => {
    const { port, asked } = await plain(({ url }, response) => (url === "/keys" ? response.end("keys") : response.destroy()))
    const outbound = nodeOutbound(development)
    const [document, keys] = [`http://app.example:${port}/document`, `http://app.example:${port}/keys`]
    for (let time = 0; time < 3; time++)
      expect(await outbound.fetch(document, "*/*", stranger)).toMatchObject({ _tag: "Unfetched", isUnreachable: true })
    await expect(outbound.fetch(document, "*/*", { bytes: 5_120, ...stranger })).rejects.toThrow(OutwardRefused)
    expect(await outbound.fetch(keys, "*/*")).toMatchObject({ _tag: "Fetched", body: "keys" })
    const body = { contentType: "text/plain", text: "told" }
    expect(await outbound.post?.(keys, body, new AbortController().signal)).toMatchObject({ _tag: "Fetched", status: 200 })
    expect(asked).toHaveLength(5)
  })

  test("and one that fails for keys is left alone for them, and asked for documents", async () => {
    const { port } = await plain(({ url }, response) => (url === "/keys" ? response.destroy() : response.end("document")))
    const outbound = nodeOutbound(development)
    const [document, keys] = [`http://app.example:${port}/document`, `http://app.example:${port}/keys`]
    for (let time = 0; time < 3; time++) expect(await outbound.fetch(keys, "*/*", {})).toMatchObject({ isUnreachable: true })
    await expect(outbound.fetch(keys, "*/*")).rejects.toThrow(OutwardRefused)
    expect(await outbound.fetch(document, "*/*", stranger)).toMatchObject({ _tag: "Fetched", body: "document" })
  })

  test("a body that is no text is given as base64, and Date only beside Expires", async () => {
    const bytes = Buffer.from([0x89, 0x50, 0xff, 0x00])
    const expires = "Mon, 01 Mar 2027 00:10:00 GMT"
    const { port } = await plain((_, response) => response.writeHead(200, { expires, date: expires }).end(bytes))
    const answer = await nodeOutbound(development).fetch(`http://app.example:${port}/r`, "*/*", { isBinary: true })
    expect(answer).toMatchObject({ body: bytes.toString("base64"), caching: { expires, date: expires } })
  })

  test("an answer without end is let go", async () => {
    const closed: Array<Promise<void>> = []
    const { port } = await plain((_, response) => {
      const more = () => {
        while (response.write("x".repeat(10_000)));
      }
      response.on("drain", more)
      closed.push(new Promise((resolve) => response.once("close", () => resolve())))
      response.writeHead(200)
      more()
    })
    expect(await nodeOutbound(development).fetch(`http://app.example:${port}/r`, "*/*")).toEqual(unfetched("longer than 65536 bytes"))
    await Promise.all(closed)
  })

  test("a compressed answer is not unpacked: it could unfold to more than memory holds", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const { port } = await plain((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb))
    expect(await nodeOutbound(development).fetch(`http://app.example:${port}/r`, "*/*")).toEqual(
      unfetched("the answer is compressed, which was not asked for"),
    )
  })

  test.for([
    ["never answers", () => undefined],
    ["sends its header and no body", (_, response) => response.writeHead(200).write("a")],
  ] satisfies ReadonlyArray<readonly [string, RequestListener]>)("a server that %s is given up", async ([, answer]) => {
    const { port } = await plain(answer)
    expect(await nodeOutbound({ ...development, timeout: 150 }).fetch(`http://app.example:${port}/r`, "*/*")).toEqual(
      unreachable("not there within 150 ms"),
    )
  })

  test("a resolver that never answers is given up", async () => {
    const resolve = () => new Promise<never>(() => undefined)
    expect(await nodeOutbound({ resolve, timeout: 50 }).fetch("https://app.example/r", "*/*")).toEqual(
      unreachable("not there within 50 ms"),
    )
  })

  test("a server that closes the connection midway is not believed", async () => {
    const { port } = await plain((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("a", () => response.destroy())
    })
    expect(await nodeOutbound(development).fetch(`http://app.example:${port}/r`, "*/*")).toEqual(
      unreachable("the connection failed: ECONNRESET"),
    )
  })
})

describe("TLS", () => {
  test("a server whose certificate is known and names it is read", async () => {
    const port = await secure(ok)
    const answer = await nodeOutbound({ ...development, ca: pem.cert }).fetch(`https://localhost:${port}/r`, "*/*")
    expect(answer).toMatchObject({ _tag: "Fetched", status: 200, contentType: "application/jwt", body: "document" })
  })

  test("a certificate that nobody vouches for is refused, even where the environment says to take any", async () => {
    const port = await secure(ok)
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0")
    expect(await nodeOutbound(development).fetch(`https://localhost:${port}/r`, "*/*")).toEqual(
      unreachable("the connection failed: DEPTH_ZERO_SELF_SIGNED_CERT"),
    )
  })

  test("a certificate of another name is refused", async () => {
    const port = await secure(ok)
    expect(await nodeOutbound({ ...development, ca: pem.cert }).fetch(`https://app.example:${port}/r`, "*/*")).toEqual(
      unreachable("the connection failed: ERR_TLS_CERT_ALTNAME_INVALID"),
    )
  })

  test("a server that does not speak TLS is refused", async () => {
    const { port } = await plain(ok)
    expect(await nodeOutbound(development).fetch(`https://localhost:${port}/r`, "*/*")).toMatchObject({
      _tag: "Unfetched",
      reason: expect.stringContaining("the connection failed: "),
    })
  })
})
