import { once } from "node:events"
import { type AddressInfo, connect } from "node:net"
import { expect, test } from "vitest"
import { playgroundServer } from "../../packages/cli/src/demo/playground.ts"
import { recentTrails } from "../../packages/cli/src/demo/recentTrails.ts"
import { freePort } from "../support/server.ts"

/** Sends a request line, and answers with the status line. */
const status = async (port: number, line: string): Promise<string> => {
  const socket = connect(port, "127.0.0.1")
  socket.end(`${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
  let text = ""
  for await (const chunk of socket.setEncoding("utf8")) text += String(chunk)
  return text.split("\r\n", 1)[0] ?? ""
}

test("the playground answers every request target (RFC 9112 §3.2): a browser's page may ask it for one that is no URL", async () => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const places = { issuer: origin, redirectUri: `${origin}/callback`, homeUri: `${origin}/` }
  const server = playgroundServer(
    { ...places, clientId: "spa", scopes: [], details: [], television: { clientId: "tv", scope: "" }, people: [] },
    recentTrails(1),
  )
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  expect((server.address() as AddressInfo).port).toBe(port)
  try {
    for (const target of ["//", "///", "http://[", "http://", "//[", "https://a:b:c/"])
      expect([target, await status(port, `GET ${target}`)]).toEqual([target, "HTTP/1.1 400 Bad Request"])
    for (const target of ["/%", "/\u007f", "/__proto__", "//other.example/callbacks", "*"])
      expect([target, await status(port, `GET ${target}`)]).toEqual([target, expect.stringMatching(/^HTTP\/1\.1 40[04]/)])
    expect(await status(port, "GET /setup.json")).toBe("HTTP/1.1 200 OK")
  } finally {
    server.close()
  }
})
