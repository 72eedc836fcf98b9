import { createServer, get } from "node:http"
import { connect, createServer as createServer2 } from "node:http2"
import type { AddressInfo, Server } from "node:net"
import { createProviders } from "@postern/core"
import { toNodeHandler } from "@postern/adapter-http/node"
import { expect, onTestFinished, test } from "vitest"
import { issuersWorld } from "../support/issuers.ts"

const document = "/.well-known/openid-configuration"

/** The providers of two issuers at the address of a server, once it listens. */
const listening = async (server: Server): Promise<{ readonly origin: string; readonly providers: ReturnType<typeof createProviders> }> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { shared } = await issuersWorld({ issuers: { one: { issuer: "https://op.example" } } })
  const issuers = { one: { issuer: `${origin}/one` }, two: { issuer: `${origin}/two` } }
  return { origin, providers: createProviders({ ...shared, issuers }) }
}

/** Asks with a host of the caller's choice. */
const statusOf = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => get(url, { headers: { host } }, (response) => resolve(response.resume().statusCode)).on("error", reject))

test("RFC 9110 §7.2: a Node server has the issuers of its host, the files of their pages, and leaves the rest to its application", async () => {
  const server = createServer()
  const { origin, providers } = await listening(server)
  const assets = [{ name: "look.css", contentType: "text/css", body: Buffer.from("a {}"), etag: '"a"' }]
  const handler = toNodeHandler(providers, { assets })
  server.on("request", (request, response) => handler(request, response, () => response.writeHead(418).end()))
  for (const name of ["one", "two"])
    expect(await (await fetch(`${origin}/${name}${document}`)).json()).toMatchObject({ issuer: `${origin}/${name}` })
  expect(await (await fetch(`${origin}/two/assets/look.css`)).text()).toBe("a {}")
  expect((await fetch(`${origin}/three${document}`)).status).toBe(418)
  expect((await fetch(`${origin}/one/other`)).status).toBe(418)
  expect(await statusOf(`${origin}/one${document}`, "evil.example")).toBe(418)
})

test("RFC 9110 §15.5.20: where it answers for the whole server, another host is answered 421", async () => {
  const server = createServer()
  const { origin, providers } = await listening(server)
  server.on("request", toNodeHandler(providers))
  expect(await statusOf(`${origin}/one${document}`, "evil.example")).toBe(421)
  expect(await statusOf(`${origin}/three${document}`, new URL(origin).host)).toBe(404)
})

test("RFC 9113 §8.3.1: the authority of an HTTP/2 request is its host", async () => {
  const server = createServer2()
  const { origin, providers } = await listening(server)
  server.on("request", toNodeHandler(providers))
  const session = connect(origin)
  onTestFinished(() => session.close())
  const stream = session.request({ ":path": `/two${document}` })
  stream.setEncoding("utf8")
  let body = ""
  for await (const chunk of stream) body += String(chunk)
  expect(JSON.parse(body)).toMatchObject({ issuer: `${origin}/two` })
})
