import { afterEach, describe, expect, it } from "vitest"
import { fakeProvider, keptLog, plainAnswer, raw, start, statusOf, stopAll, wire } from "./server.ts"

afterEach(stopAll)

const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n${more}\r\n`
const post = (path: string, body: string, more = ""): string =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`

describe("a request becomes a message", () => {
  it("with its path, query, lower-case headers, body as UTF-8 and the connection's address", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider })
    await raw(
      server,
      post("/connect/token?a=%20b&c", "name=Ärger&x=1", "X-Some-Header: One\r\nX-Some-Header: two\r\nCookie: a=1\r\nCookie: b=2\r\n"),
    )
    expect(provider.messages).toHaveLength(1)
    const [message] = provider.messages
    expect(message).toMatchObject({
      method: "POST",
      path: "/connect/token",
      query: "a=%20b&c",
      body: "name=Ärger&x=1",
      address: "127.0.0.1",
    })
    expect(message?.headers["x-some-header"]).toBe("One, two")
    expect(message?.headers["cookie"]).toBe("a=1; b=2")
  })

  it("paths stay as they were sent: nothing is decoded, folded or trimmed", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider })
    for (const path of [
      "//connect/token",
      "/connect/token/",
      "/Connect/Token",
      "/a/../b",
      "/%63onnect/token",
      "/a;b",
      "/a?b?c",
      "/a?",
      "*",
    ]) {
      const method = path === "*" ? "OPTIONS" : "GET"
      await raw(server, get(path).replace("GET", method))
    }
    await raw(server, get("http://other.example/connect/token?x=1"))
    await raw(server, get("http://other.example"))
    await raw(server, get("http://other.example?x"))
    expect(provider.messages.map(({ path, query }) => `${path} ${query}`)).toEqual([
      "//connect/token ",
      "/connect/token/ ",
      "/Connect/Token ",
      "/a/../b ",
      "/%63onnect/token ",
      "/a;b ",
      "/a b?c",
      "/a ",
      "* ",
      "/connect/token x=1",
      "/ ",
      "/ x",
    ])
  })

  it("a repeated Authorization header is handed on as both, never as the first alone (RFC 9110 §5.3)", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider })
    await raw(server, post("/connect/token", "a=b", "Authorization: Basic YTpi\r\nAuthorization: Basic Yzpk\r\n"))
    expect(provider.messages[0]?.headers["authorization"]).toBe("Basic YTpi, Basic Yzpk")
  })

  it("bytes that are no UTF-8 become replacement characters, not an error", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider })
    const head = Buffer.from(post("/x", "").replace("Content-Length: 0", "Content-Length: 3"))
    await raw(server, Buffer.concat([head, Buffer.from([0x61, 0xff, 0x62])]))
    expect(provider.messages[0]?.body).toBe("a\u{fffd}b")
  })

  it("an issuer's path is part of the message's path", async () => {
    const provider = fakeProvider(plainAnswer, "https://op.example/tenant")
    const server = await start({ provider })
    await raw(server, get("/tenant/connect/authorize"))
    expect(provider.messages[0]?.path).toBe("/tenant/connect/authorize")
  })
})

describe("an answer", () => {
  it("keeps its status, its headers in order and repeated, and its body", async () => {
    const provider = fakeProvider(() => ({
      status: 303,
      headers: [
        ["location", "/x"],
        ["set-cookie", "a=1; Path=/"],
        ["set-cookie", "b=2; Path=/"],
      ],
      body: "ü",
    }))
    const text = await raw(await start({ provider }), get("/"))
    expect(statusOf(text)).toBe(303)
    expect(text).toContain("location: /x\r\nset-cookie: a=1; Path=/\r\nset-cookie: b=2; Path=/\r\ncontent-length: 2\r\n")
    expect(Buffer.from(text.split("\r\n\r\n")[1] ?? "", "latin1").toString()).toBe("ü")
  })

  it("to HEAD is that to GET without its body (RFC 9110 §9.3.2)", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider })
    const [head, body] = (await raw(server, get("/connect/userinfo").replace("GET", "HEAD"))).split("\r\n\r\n")
    expect(provider.messages[0]?.method).toBe("HEAD")
    expect(head).toMatch(/content-length: [1-9]/)
    expect(body).toBe("")
  })

  it("carries the security headers that core has not set, and never twice those it has", async () => {
    const provider = fakeProvider(() => ({ status: 200, headers: [["referrer-policy", "origin"]], body: "" }))
    const text = await raw(await start({ provider }), get("/"))
    expect(text.match(/referrer-policy: .*/g)).toEqual(["referrer-policy: origin"])
    expect(text).toContain("x-content-type-options: nosniff\r\n")
    expect(text).not.toContain("strict-transport-security")
  })

  it("asks browsers for https when the issuer is https (RFC 6797 §6.1)", async () => {
    const text = await raw(await start({ provider: fakeProvider(plainAnswer, "https://op.example") }), get("/"))
    expect(text).toContain("strict-transport-security: max-age=31536000\r\n")
  })

  it("is 500 without detail when the provider has a fault, and the log has the detail", async () => {
    const log = keptLog()
    const provider = fakeProvider(() => {
      throw new Error("the secret of it")
    })
    const text = await raw(await start({ provider, log }), get("/connect/token"))
    expect(statusOf(text)).toBe(500)
    expect(text).not.toContain("secret")
    expect(await log.lines()).toContainEqual(
      expect.objectContaining({ level: "error", message: "defect", fault: expect.stringContaining("the secret of it") }),
    )
  })

  it("goes on a kept connection, and pipelined requests are answered in order (RFC 9112 §9.3.2)", async () => {
    const provider = fakeProvider(async (message) => {
      if (message.path === "/1") await new Promise((resolve) => setTimeout(resolve, 30))
      return plainAnswer(message)
    })
    const line = await wire(await start({ provider }))
    line.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n")
    const text = await line.until(`"/2"`)
    expect(text.indexOf(`"/1"`)).toBeLessThan(text.indexOf(`"/2"`))
    line.cut()
  })

  it("to a request that would upgrade is the ordinary one", async () => {
    const text = await raw(
      await start({ provider: fakeProvider(plainAnswer) }),
      "GET /x HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n",
    )
    expect(statusOf(text)).toBe(200)
  })

  it("invites the body of a request that expects 100-continue (RFC 9110 §10.1.1)", async () => {
    const line = await wire(await start({ provider: fakeProvider(plainAnswer) }))
    line.send("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
    await line.until("100 Continue")
    line.send("a=b")
    expect(await line.closed()).toContain(`"body":"a=b"`)
  })
})
