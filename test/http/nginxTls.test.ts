import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect } from "node:tls"
import { describe, expect, onTestFinished, test } from "vitest"
import { behindNginx } from "../../bench/servers/nginx.ts"
import { pem } from "../cli/pem.ts"
import { nginxThere } from "../postgres/nginx/nginx.ts"

/** A server that counts its connections and says the number of each, behind nginx with the files of `examples/cluster`. */
const proxied = async () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-nginx-tls-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [keyFile, certificateFile] = [join(folder, "key.pem"), join(folder, "certificate.pem")]
  writeFileSync(keyFile, pem.key)
  writeFileSync(certificateFile, pem.cert)
  let connections = 0
  const server = createServer((_, response) => response.end(String(connections)))
  server.on("connection", () => connections++)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const place = await behindNginx(folder, { keyFile, certificateFile, certificate: pem.cert }, () =>
    Promise.resolve({ port, pids: [], stop: async () => void server.close() }),
  )
  onTestFinished(place.stop)
  return { port: place.port, connections: () => connections }
}

const asked = async (port: number, session?: Buffer) => {
  let ticket: Buffer | undefined
  const socket = connect({ port, host: "127.0.0.1", servername: "localhost", ca: pem.cert, ...(session === undefined ? {} : { session }) })
  socket.on("session", (made: Buffer) => (ticket = made))
  await once(socket, "secureConnect")
  const of = { resumed: socket.isSessionReused(), protocol: socket.getProtocol() }
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
  socket.resume()
  await once(socket, "end")
  socket.destroy()
  return { ...of, ticket }
}

describe.skipIf(!nginxThere)("nginx with the recipe of examples/cluster", () => {
  test("resumes TLS sessions (RFC 8446 §2.2), and keeps its connection to Postern for the next request (RFC 9112 §9.3)", async () => {
    const { port, connections } = await proxied()
    const before = connections()
    const first = await asked(port)
    expect(first).toMatchObject({ resumed: false, protocol: "TLSv1.3" })
    for (let times = 0; times < 5; times++) expect((await asked(port, first.ticket)).resumed).toBe(true)
    expect(connections() - before).toBeLessThanOrEqual(1)
  })
})
