import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { connect } from "node:tls"
import { expect, it, onTestFinished, vi } from "vitest"
import { pem } from "../cli/pem.ts"
import { folder, patience } from "../cli/run.ts"
import { listening, serve } from "../cli/running.ts"

vi.setConfig({ testTimeout: 2 * patience })

/** Connects and tells if a session is resumed by whichever worker accepts the connection, and its ticket. */
const asked = async (port: number, session?: Buffer) => {
  let ticket: Buffer | undefined
  const socket = connect({ port, host: "127.0.0.1", servername: "localhost", ca: pem.cert, ...(session === undefined ? {} : { session }) })
  socket.on("session", (made: Buffer) => (ticket = made))
  await once(socket, "secureConnect")
  const resumed = socket.isSessionReused()
  socket.write("GET /.well-known/openid-configuration HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
  socket.resume()
  await once(socket, "end")
  socket.destroy()
  return { resumed, ticket }
}

it("a TLS session that one worker began is resumed by every worker, also after the certificate was renewed (RFC 8446 §2.2)", async () => {
  const at = (name: string) => ({ key_file: "./key.pem", cert_file: `./${name}.pem` })
  const config = { issuer: "https://localhost:8443", listen: { port: 0 }, workers: 2 }
  const { cwd, remove } = folder({ ...config, tls: at("one") })
  onTestFinished(remove)
  writeFileSync(join(cwd, "key.pem"), pem.key)
  for (const name of ["one", "two"]) writeFileSync(join(cwd, `${name}.pem`), pem.cert)
  const server = await serve({ cwd })
  const port = Number(new URL(listening(server)).port)
  const { ticket } = await asked(port)
  // Connections are handed to the workers in turn.
  for (let times = 0; times < 6; times++) expect((await asked(port, ticket)).resumed).toBe(true)
  writeFileSync(join(cwd, "postern.json"), JSON.stringify({ ...config, tls: at("two") }))
  server.signal("SIGHUP")
  await server.says(/configuration reloaded.*"certificate":true/)
  for (let times = 0; times < 6; times++) expect((await asked(port, ticket)).resumed).toBe(true)
})
