import { once } from "node:events"
import { type RequestListener, createServer } from "node:http"
import { createSecureServer, connect as connectHttp2 } from "node:http2"
import { createServer as createSecure } from "node:https"
import { type AddressInfo, connect } from "node:net"
import { resourceServer } from "@postern/verify"
import { guard as expressGuard, metadata as expressMetadata, tokenOf as expressToken } from "@postern/verify/express"
import { check, metadata as fetchMetadata, protect as protectFetch, requestOf } from "@postern/verify/fetch"
import { type HonoContext, guard as honoGuard, metadata as honoMetadata, tokenOf } from "@postern/verify/hono"
import { protect, requestReader } from "@postern/verify/node"
import express from "express"
import { Hono } from "hono"
import { describe, expect, onTestFinished, test } from "vitest"
import { pem } from "../cli/pem.ts"
import { digest, proof } from "../support/proofs.ts"
import type { makeCertificate } from "../support/certificates.ts"
import { tlsFetch } from "../support/tlsFetch.ts"
import { bound, issuer, jwks, now, other, own, token, x5t } from "./setting.ts"

const clock = () => now * 1000

/** Listens on a free port of the loopback address until the test ends. */
const listening = async (
  server: { readonly listen: (port: number, host: string) => unknown } & NodeJS.EventEmitter & {
      address: () => unknown
      close: () => unknown
    },
) => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const apiAt = (url: string, more: object = {}) => resourceServer({ issuer, resource: url, keys: jwks, clock, ...more })

/** Sends a request as bytes, and answers with the status line and the rest. */
const raw = async (port: number, lines: ReadonlyArray<string>): Promise<string> => {
  const socket = connect(port, "127.0.0.1")
  let told = ""
  socket.setEncoding("utf8").on("data", (text: string) => (told += text))
  socket.write(`${["GET /notes HTTP/1.1", "Host: evil.example", "Connection: close", ...lines].join("\r\n")}\r\n\r\n`)
  await once(socket, "close")
  return told
}

const proofAt = (url: string, value: string, claims: object = {}) =>
  proof(now, "GET", "/notes", { claims: { htu: `${url}/notes`, ath: digest(value), ...claims } })

describe("Node", () => {
  const start = async (more: object = {}) => {
    let listener: RequestListener = () => undefined
    const server = createServer((request, response) => listener(request, response))
    const port = await listening(server)
    const url = `http://127.0.0.1:${port}`
    const api = apiAt(url, more)
    listener = protect(api, { scope: "read" }, (_request, response, { subject }) => void response.end(`notes of ${subject}`))
    return { port, url, api }
  }

  test("a good token is answered by the operation, others here, and the metadata has its path", async () => {
    const { url } = await start()
    const ask = (headers: Record<string, string>, path = "/notes") => fetch(url + path, { headers })
    expect(await (await ask({ authorization: `Bearer ${token({ aud: url })}` })).text()).toBe("notes of alice")
    const bare = await ask({})
    const place = `${url}/.well-known/oauth-protected-resource`
    expect([bare.status, bare.headers.get("www-authenticate"), bare.headers.get("cache-control")]).toEqual([
      401,
      expect.stringMatching(
        `^Bearer resource_metadata="${place}", scope="read", DPoP algs="ES256 .*", resource_metadata="${place}", scope="read"$`,
      ),
      "no-store",
    ])
    const described = await ask({}, "/.well-known/oauth-protected-resource")
    expect([described.status, described.headers.get("access-control-allow-origin"), await described.json()]).toEqual([
      200,
      "*",
      expect.objectContaining({ resource: url, authorization_servers: [issuer], bearer_methods_supported: ["header"] }),
    ])
    const value = bound({ aud: url })
    expect((await ask({ authorization: `DPoP ${value}`, dpop: proofAt(url, value) })).status).toBe(200)
  })

  test("RFC 6750 §2, RFC 9449 §4.3 (1): two Authorization fields and two DPoP fields arrive as two, as bytes", async () => {
    const { port, url } = await start()
    const good = token({ aud: url })
    const value = bound({ aud: url })
    expect(await raw(port, [`Authorization: Bearer ${good}`])).toMatch(/^HTTP\/1.1 200 /)
    expect(await raw(port, [`Authorization: Bearer ${good}`, "Authorization: Bearer other"])).toMatch(/^HTTP\/1.1 400 [^]*invalid_request/)
    expect(await raw(port, [`authorization: Bearer ${good}`, `AUTHORIZATION: Bearer ${good}`])).toMatch(/^HTTP\/1.1 400 /)
    const proofs = [proofAt(url, value), proofAt(url, value)]
    expect(await raw(port, [`Authorization: DPoP ${value}`, ...proofs.map((each) => `DPoP: ${each}`)])).toMatch(
      /^HTTP\/1.1 401 [^]*invalid_dpop_proof/,
    )
    expect(await raw(port, [`Authorization: DPoP ${value}`, `dPoP: ${proofAt(url, value)}`])).toMatch(/^HTTP\/1.1 200 /)
  })

  test("RFC 9449 §4.3 (9): a proof for the Host that was sent is for another server", async () => {
    const { port, url } = await start()
    const value = bound({ aud: url })
    const dpop = proofAt("http://evil.example", value)
    expect(await raw(port, [`Authorization: DPoP ${value}`, `DPoP: ${dpop}`])).toMatch(/^HTTP\/1.1 401 [^]*invalid_dpop_proof/)
  })

  test("the absolute form of a request target is taken for its path (RFC 9112 §3.2.2)", async () => {
    const { port, url } = await start()
    const socket = connect(port, "127.0.0.1")
    const value = bound({ aud: url })
    let told = ""
    socket.setEncoding("utf8").on("data", (text: string) => (told += text))
    const head = [`GET http://evil.example/notes?a=b HTTP/1.1`, "Host: evil.example", "Connection: close", `Authorization: DPoP ${value}`]
    socket.write(`${[...head, `DPoP: ${proofAt(url, value)}`].join("\r\n")}\r\n\r\n`)
    await once(socket, "close")
    expect(told).toMatch(/^HTTP\/1.1 200 /)
  })

  test("a target of another scheme makes no other host of the public URL (RFC 9112 §3.2, RFC 9449 §4.3 (9))", async () => {
    const { port, url } = await start()
    const value = bound({ aud: url })
    const socket = connect(port, "127.0.0.1")
    let told = ""
    socket.setEncoding("utf8").on("data", (text: string) => (told += text))
    const dpop = proofAt(url, value, { htu: `${url}m://evil.example/notes` })
    socket.write(
      ["GET m://evil.example/notes HTTP/1.1", "Host: x", "Connection: close", `Authorization: DPoP ${value}`, `DPoP: ${dpop}`].join("\r\n"),
    )
    socket.write("\r\n\r\n")
    await once(socket, "close")
    expect(told).toMatch(/^HTTP\/1.1 401 [^]*invalid_dpop_proof/)
  })

  test("an operation that throws is answered with 500, and so is a verdict that cannot be made", async () => {
    const server = createServer()
    const url = `http://127.0.0.1:${await listening(server)}`
    const broken = { verify: () => Promise.reject(new Error("a defect")) }
    server.on(
      "request",
      protect(apiAt(url, { jwts: broken }), {}, (_request, response) => void response.end("in")),
    )
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token({ aud: url })}` } })
    expect([answer.status, await answer.text()]).toEqual([500, ""])
  })

  test("RFC 8705 §3: the certificate of the connection, over TLS, HTTP/1.1 and HTTP/2", async () => {
    const tls = { key: pem.key, cert: pem.cert, requestCert: true, rejectUnauthorized: false }
    const server = createSecure(tls)
    const url = `https://localhost:${await listening(server)}`
    const listener = protect(apiAt(url, { bound: "certificate" }), {}, (_request, response) => void response.end("in"))
    server.on("request", listener)
    const authorization = `Bearer ${token({ aud: url, cnf: { "x5t#S256": x5t(own) } })}`
    const ask = async (certificate?: ReturnType<typeof makeCertificate>) =>
      (
        await tlsFetch({ ca: pem.cert, ...(certificate && { cert: certificate.cert, key: certificate.key }) })(`${url}/notes`, {
          headers: { authorization },
        })
      ).status
    expect([await ask(own), await ask(other), await ask()]).toEqual([200, 401, 401])
    const second = createSecureServer(tls)
    const place = `https://localhost:${await listening(second)}`
    second.on("request", protect(apiAt(place, { audiences: [url] }), {}, (_request, response) => void response.end("in")) as never)
    const session = connectHttp2(place, { ca: pem.cert, cert: own.cert, key: own.key })
    onTestFinished(() => session.destroy())
    const stream = session.request({ ":path": "/notes", authorization })
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>]
    expect(headers[":status"]).toBe(200)
  })

  test("RFC 8705 §6.5: a certificate in a header counts from a listed proxy alone, and never without one", async () => {
    const header = { "client-cert": `:${own.der.toString("base64")}:` }
    const rawHeaders = Object.entries(header).flat()
    const seen = (remoteAddress: string, from?: ReadonlyArray<string>) =>
      requestReader(from && { certificateProxies: { form: "client-cert", from } })({
        method: "GET",
        url: "/",
        rawHeaders,
        socket: { remoteAddress },
      } as never).peerCertificate
    expect(seen("10.0.0.7", ["10.0.0.0/8"])?.der).toEqual(new Uint8Array(own.der))
    expect(seen("::ffff:10.0.0.7", ["10.0.0.0/8"])?.der).toEqual(new Uint8Array(own.der))
    expect([seen("192.0.2.1", ["10.0.0.0/8"]), seen("10.0.0.7"), seen("", ["10.0.0.0/8"])]).toEqual([undefined, undefined, undefined])
    const envoy = (hash: string) =>
      requestReader({ certificateProxies: { form: "envoy", from: ["127.0.0.1"] } })({
        method: "GET",
        url: "/",
        rawHeaders: ["X-Forwarded-Client-Cert", `Hash=${hash};Cert="${encodeURIComponent(own.cert)}"`],
        socket: { remoteAddress: "127.0.0.1" },
      } as never).peerCertificate
    const hex = Buffer.from(x5t(own), "base64url").toString("hex")
    expect([envoy(hex.toUpperCase()) === undefined, envoy("0".repeat(64))]).toEqual([false, undefined])
    expect([seen("10.0.0.7", ["10.0.0.6"]), seen("2001:db8::7", ["10.0.0.0/8"])]).toEqual([undefined, undefined])
    for (const entry of ["10.0.0.7", "::ffff:10.0.0.7", "10.0.0.7/32", "0.0.0.0/0"]) expect(seen("10.0.0.7", [entry])).toBeDefined()
    for (const entry of ["2001:db8::7", "2001:db8::/32"]) expect(seen("2001:db8::7", [entry])).toBeDefined()
    // An empty prefix, of a variable that is not set, would be a network of everybody.
    for (const entry of [
      "nowhere",
      "10.0.0.0/99",
      "10.0.0.0/",
      "::/",
      "10.0.0.0/8/9",
      "10.0.0.0/0x8",
      "10.0.0.0/ 8",
      "10.0.0.0/-1",
      "2001:db8::/129",
      "",
    ])
      expect(() => seen("10.0.0.7", [entry])).toThrow(
        new TypeError(`@postern/verify: certificateProxies.from: "${entry}" is neither an IP address nor a network`),
      )
    const misread: ReadonlyArray<readonly [options: object, fault: string]> = [
      [{ certificateProxy: {} }, "certificateProxy: is no member of it; did you mean certificateProxies?"],
      [{ certificateProxies: { form: "nginx", from: "10.0.0.7" } }, "certificateProxies.from: is a string, and must be a list of texts"],
      [
        { certificateProxies: { form: "nginx", from: [], verified: true } },
        "certificateProxies.verified: is no member of it; did you mean verifies?",
      ],
      [{ certificateProxies: { form: "apache", from: [] } }, "certificateProxies.form: is no form of a proxy"],
    ]
    for (const [options, fault] of misread) expect(() => requestReader(options)).toThrow(new TypeError(`@postern/verify: ${fault}`))
  })
})

describe("Express", () => {
  test("below a mount path: the whole path counts, the token is the request's, errors go to the application", async () => {
    const app = express()
    const server = createServer(app)
    const url = `http://127.0.0.1:${await listening(server)}`
    const api = apiAt(`${url}/v1`)
    const notes = express.Router()
    notes.get("/notes", expressGuard(api, { scope: "read" }), (request, response) => void response.json(expressToken(request).scope))
    notes.get("/open", (request, response) => void response.json(expressToken(request).scope))
    app.use(expressMetadata(api))
    app.use("/v1", notes)
    const value = bound({ aud: `${url}/v1` })
    const dpop = proof(now, "GET", "/", { claims: { htu: `${url}/v1/notes`, ath: digest(value) } })
    const answer = await fetch(`${url}/v1/notes?a=b`, { headers: { authorization: `DPoP ${value}`, dpop } })
    expect([answer.status, await answer.json()]).toEqual([200, ["read", "write"]])
    expect((await fetch(`${url}/v1/notes`)).headers.get("www-authenticate")).toContain(`${url}/.well-known/oauth-protected-resource/v1"`)
    expect(await (await fetch(`${url}/.well-known/oauth-protected-resource/v1`)).json()).toMatchObject({ resource: `${url}/v1` })
    expect((await fetch(`${url}/.well-known/oauth-protected-resource`)).status).toBe(404)
    // No operation without a guard takes itself for guarded.
    expect((await fetch(`${url}/v1/open`)).status).toBe(500)
  })
})

describe("web-standard requests and Hono", () => {
  const url = "https://api.example"
  const api = apiAt(url)
  const asking = (value: string | undefined, path = "/notes", scheme = "Bearer") =>
    new Request(url + path, value === undefined ? {} : { headers: { authorization: `${scheme} ${value}` } })

  test("fetch: answers, hands on the token, and carries the nonce on", async () => {
    const handler = protectFetch(api, { scope: "read" }, (request, { subject }) => new Response(`${subject} ${tokenOf(request).id}`))
    expect(await (await handler(asking(token({ aud: url })))).text()).toBe("alice one")
    expect((await handler(asking(undefined))).status).toBe(401)
    expect((await handler(asking(token({ aud: url }), "/notes?access_token=x"))).status).toBe(400)
    expect(await (await handler(asking(undefined, "/.well-known/oauth-protected-resource"))).json()).toMatchObject({ resource: url })
    const nonces = apiAt(url, { dpop: { nonceKey: "k".repeat(32) } })
    const guarded = protectFetch(nonces, {}, () => Response.redirect("https://elsewhere.example/", 303))
    const value = bound({ aud: url })
    const ask = (claims: object) =>
      guarded(new Request(`${url}/notes`, { headers: { authorization: `DPoP ${value}`, dpop: proofAt(url, value, claims) } }))
    const asked = await ask({})
    const nonce = asked.headers.get("dpop-nonce")
    expect([asked.status, typeof nonce]).toEqual([401, "string"])
    const passed = await ask({ nonce })
    expect([passed.status, passed.headers.get("dpop-nonce"), passed.headers.get("location")]).toEqual([
      303,
      nonce,
      "https://elsewhere.example/",
    ])
  })

  test("fetch: two fields of a name are two", async () => {
    const headers = new Headers()
    for (const each of ["a", "b"]) headers.append("authorization", `Bearer ${each}`)
    expect(requestOf(new Request(url, { headers })).headers["authorization"]).toBe("Bearer a, Bearer b")
    expect((await check(api, new Request(url, { headers }))).response?.status).toBe(400)
  })

  test("fetch: a certificate that the runtime vouches for", async () => {
    const value = token({ aud: url, cnf: { "x5t#S256": x5t(own) } })
    const caller = { peerCertificate: { der: new Uint8Array(own.der), verified: false } }
    expect((await check(api, asking(value), {}, caller)).token?.confirmation).toEqual({ "x5t#S256": x5t(own) })
    expect((await check(api, asking(value))).response?.status).toBe(401)
    expect(fetchMetadata(api, asking(undefined))).toBeUndefined()
  })

  test("Hono: lets a request pass to its handler, or answers", async () => {
    const written: Array<readonly [string, string]> = []
    const context = (request: Request): HonoContext => ({
      req: { raw: request },
      header: (name, value) => void written.push([name, value]),
    })
    let passed = 0
    const next = async () => void passed++
    const good = asking(token({ aud: url }))
    expect(await honoGuard(api, { scope: "read" })(context(good), next)).toBeUndefined()
    expect([passed, tokenOf(good).subject]).toEqual([1, "alice"])
    expect((await honoGuard(api)(context(asking(undefined)), next))?.status).toBe(401)
    expect((await honoMetadata(api)(context(asking(undefined, "/.well-known/oauth-protected-resource")), next))?.status).toBe(200)
    expect([await honoMetadata(api)(context(good), next), passed, written]).toEqual([undefined, 2, []])
  })

  test("RFC 9449 §8.2: Hono carries the nonce on in whatever response the operation makes", async () => {
    const value = bound({ aud: url })
    const guarded = new Hono()
    guarded.use("*", honoGuard(apiAt(url, { dpop: { nonceKey: "k".repeat(32) } })))
    guarded.get("/text", (context) => context.text("in"))
    guarded.get("/response", () => new Response("in", { headers: { "x-own": "yes" } }))
    guarded.get("/fetched", () => fetch("data:text/plain,in"))
    guarded.get("/fails", () => {
      throw new Error("fails")
    })
    guarded.onError((_error, context) => context.text("failed", 500))
    const ask = (path: string, nonce: string | null) => {
      const claims = { htu: url + path, ath: digest(value), ...(nonce !== null && { nonce }) }
      return guarded.request(url + path, { headers: { authorization: `DPoP ${value}`, dpop: proof(now, "GET", path, { claims }) } })
    }
    const nonce = (await ask("/text", null)).headers.get("dpop-nonce")
    for (const [path, status] of [
      ["/text", 200],
      ["/response", 200],
      ["/fetched", 200],
      ["/missing", 404],
      ["/fails", 500],
    ] as const) {
      const answered = await ask(path, nonce)
      expect([path, answered.status, answered.headers.get("dpop-nonce")]).toEqual([path, status, nonce])
    }
    expect((await ask("/response", nonce)).headers.get("x-own")).toBe("yes")
  })
})

describe("RFC 9728 §2, §3.1: metadata", () => {
  test.each([
    ["https://api.example", "/.well-known/oauth-protected-resource"],
    ["https://api.example/", "/.well-known/oauth-protected-resource"],
    ["https://api.example/v1/notes", "/.well-known/oauth-protected-resource/v1/notes"],
    ["https://api.example/v1?tenant=a", "/.well-known/oauth-protected-resource/v1?tenant=a"],
  ])("of %s stands at %s", (resource, place) => {
    const api = resourceServer({ issuer, resource, keys: jwks })
    const [path = "", query = ""] = place.split("?")
    expect(api.metadataPath).toBe(place)
    expect(api.metadataFor({ method: "GET", path, query })?.status).toBe(200)
    expect(api.metadataFor({ method: "POST", path, query })).toBeUndefined()
    expect(api.metadataFor({ method: "GET", path: `${path}x`, query })).toBeUndefined()
  })

  test("states what is demanded of tokens, and no more than there is", () => {
    const of = (more: object) => resourceServer({ issuer, resource: "https://api.example", keys: jwks, ...more }).metadata
    expect(of({ bound: "dpop", dpop: { algorithms: ["ES256"] }, scopes: ["read"], metadata: { resource_name: "Notes" } })).toEqual({
      resource_name: "Notes",
      resource: "https://api.example",
      authorization_servers: [issuer],
      scopes_supported: ["read"],
      bearer_methods_supported: ["header"],
      dpop_signing_alg_values_supported: ["ES256"],
      dpop_bound_access_tokens_required: true,
    })
    expect(of({ bound: "certificate", dpop: false })).toMatchObject({ tls_client_certificate_bound_access_tokens: true })
    for (const more of [{ dpop: false }, { bound: "certificate" }]) expect(of(more)).not.toHaveProperty("dpop_signing_alg_values_supported")
    const urn = resourceServer({ issuer, resource: "urn:api", url: "https://api.example", keys: jwks })
    expect([urn.metadataPath, urn.metadataFor({ method: "GET", path: "/.well-known/oauth-protected-resource", query: "" })]).toEqual([
      undefined,
      undefined,
    ])
  })
})
