import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls"
import { newTicketSecret, type ServeOptions, type TlsFiles } from "@postern/adapter-http"
import { expect, onTestFinished, test } from "vitest"
import { renewal } from "../../packages/adapter-http/src/listener.ts"
import { sessionLifetime, ticketKeys, ticketSecretAt } from "../../packages/adapter-http/src/tickets.ts"
import { pem } from "../cli/pem.ts"
import { fakeProvider, plainAnswer, start } from "./server.ts"

/** Files of the certificate for localhost, and a way to write another certificate into them. */
const files = (): TlsFiles & { readonly write: (certificate: string) => void } => {
  const home = mkdtempSync(join(tmpdir(), "postern-tls-"))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const [key, cert] = [join(home, "key.pem"), join(home, "cert.pem")]
  let written = 0
  const write = (certificate: string): void => {
    writeFileSync(cert, certificate)
    utimesSync(cert, ++written, written)
  }
  writeFileSync(key, pem.key)
  write(pem.cert)
  return { key, cert, write }
}

/** A server with that certificate. */
const secure = async (tls: TlsFiles, options: Partial<ServeOptions> = {}) => {
  const server = await start({ tls, provider: fakeProvider(plainAnswer), ...options })
  onTestFinished(server.stop)
  return server
}

const trusting = { ca: [pem.cert, pem.expired], servername: "localhost", checkServerIdentity: () => undefined, rejectUnauthorized: false }

/** Asks once over a connection of its own; answers with what TLS came to. */
const asked = async (port: number, options: ConnectionOptions = {}) => {
  let ticket: Buffer | undefined
  const socket = connect({ port, host: "127.0.0.1", ...trusting, ...options })
  socket.on("session", (session: Buffer) => (ticket = session))
  await once(socket, "secureConnect")
  const of = {
    resumed: socket.isSessionReused(),
    protocol: socket.getProtocol(),
    cipher: socket.getCipher().name,
    alpn: socket.alpnProtocol,
  }
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
  socket.resume()
  await once(socket, "end")
  socket.destroy()
  return { ...of, ticket }
}

const refused = async (port: number, options: ConnectionOptions): Promise<string> => {
  const socket = connect({ port, host: "127.0.0.1", ...trusting, ...options })
  onTestFinished(() => void socket.destroy())
  const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException]
  return error.code ?? error.message
}

const versions = ["TLSv1.2", "TLSv1.3"] as const
const pinnedTo = (version: (typeof versions)[number]): ConnectionOptions => ({ minVersion: version, maxVersion: version })

test.for(versions)("a session is resumed, also after the certificate was renewed (RFC 8446 §2.2, RFC 5077 §3.1): %s", async (version) => {
  const tls = files()
  const server = await secure(tls)
  const first = await asked(server.port, pinnedTo(version))
  expect(first.resumed).toBe(false)
  const again = await asked(server.port, { ...pinnedTo(version), session: first.ticket })
  expect(again.resumed).toBe(true)
  tls.write(pem.cert)
  expect(server.takeCertificate(tls)).toBe(true)
  expect((await asked(server.port, { ...pinnedTo(version), session: first.ticket })).resumed).toBe(true)
})

test.for(versions)("a session is not resumed under a certificate of other names (RFC 8446 §2.2): %s", async (version) => {
  const tls = files()
  const server = await secure(tls)
  const { ticket } = await asked(server.port, pinnedTo(version))
  expect(new X509Certificate(pem.expired).subject).not.toBe(new X509Certificate(pem.cert).subject)
  tls.write(pem.expired)
  expect(server.takeCertificate(tls)).toBe(true)
  expect((await asked(server.port, { ...pinnedTo(version), session: ticket })).resumed).toBe(false)
})

test("processes with one secret resume each other's sessions, and others do not (RFC 5077 §5.5)", async () => {
  const [tls, tickets] = [files(), newTicketSecret(Date.now())]
  const [one, two, other] = [await secure(tls, { tickets }), await secure(tls, { tickets }), await secure(tls)]
  const { ticket } = await asked(one.port)
  expect((await asked(two.port, { session: ticket })).resumed).toBe(true)
  expect((await asked(other.port, { session: ticket })).resumed).toBe(false)
})

test("keys of tickets change each half day, in every process alike, and the one before cannot be computed (RFC 5077 §5.5)", async () => {
  const halfDay = 43_200_000
  const at = 20_000 * halfDay + 5
  const secret = newTicketSecret(at)
  expect(ticketSecretAt(secret, at + halfDay - 6)).toEqual(secret)
  const [next, third] = [ticketSecretAt(secret, at + halfDay), ticketSecretAt(secret, at + 2 * halfDay)]
  expect(ticketKeys(next, pem.cert)).not.toEqual(ticketKeys(secret, pem.cert))
  expect(ticketSecretAt(next, at + 2 * halfDay)).toEqual(third)
  // A clock that goes back does not bring an earlier key back.
  expect(ticketSecretAt(third, at)).toEqual(third)
  expect(sessionLifetime * 1000).toBeLessThanOrEqual(halfDay)

  let now = at
  const tls = files()
  const server = await secure(tls, { clock: () => now })
  const { ticket } = await asked(server.port)
  now += halfDay
  expect(server.takeCertificate(tls)).toBe(false)
  expect((await asked(server.port, { session: ticket })).resumed).toBe(false)
})

test("a process that serves keeps no secret of tickets of an earlier period (RFC 5077 §5.5)", () => {
  let now = Date.now()
  const kept = { files: files(), tickets: newTicketSecret(now) }
  const first = kept.tickets
  const look = renewal(createServer(), kept, () => now)
  now += 43_200_000
  expect(look()).toBe(false)
  expect(kept.tickets).toEqual(ticketSecretAt(first, now))
  expect(kept.tickets.secret).not.toBe(first.secret)
})

test("only TLS 1.2 with the suites that are recommended, and TLS 1.3, are spoken (RFC 9325 §3.1, §4.2, FAPI 2.0 Security Profile §5.2.2)", async () => {
  const { port } = await secure(files())
  expect(await asked(port)).toMatchObject({ protocol: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256" })
  expect(await asked(port, pinnedTo("TLSv1.2"))).toMatchObject({ cipher: expect.stringMatching(/^ECDHE-ECDSA-AES(128|256)-GCM/) })
  const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "ALL@SECLEVEL=0" } as const
  expect(await refused(port, old)).toMatch(/PROTOCOL_VERSION|NO_PROTOCOLS/)
  for (const ciphers of ["ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA", "AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"])
    expect(await refused(port, { ...pinnedTo("TLSv1.2"), ciphers })).toMatch(/HANDSHAKE_FAILURE/)
})

test("HTTP/1.1 is agreed on by ALPN, and a client that speaks something else alone is refused (RFC 7301 §3.2)", async () => {
  const { port } = await secure(files())
  expect((await asked(port, { ALPNProtocols: ["h2", "http/1.1"] })).alpn).toBe("http/1.1")
  expect(await refused(port, { ALPNProtocols: ["h2"] })).toMatch(/NO_APPLICATION_PROTOCOL/)
})

test("a client cannot renegotiate (RFC 9325 §3.5)", async () => {
  const { port } = await secure(files())
  const socket: TLSSocket = connect({ port, host: "127.0.0.1", ...trusting, ...pinnedTo("TLSv1.2") })
  onTestFinished(() => void socket.destroy())
  await once(socket, "secureConnect")
  socket.resume()
  const told = await new Promise<Error | null>((resolve) => {
    socket.once("error", resolve)
    socket.renegotiate({}, resolve)
  })
  expect(told?.message ?? "renegotiated").toMatch(/no renegotiation/i)
})
