import { type AddressInfo, type Server, type Socket, createServer } from "node:net"
import { TLSSocket } from "node:tls"
import { ldapAuthenticator } from "@postern/people-ldap"
import { afterAll, beforeAll, expect, test } from "vitest"
import { pem } from "../cli/pem.ts"

/** The id and the operation of a message (RFC 4511 §4.1.1), whose length may be written in several bytes. */
const read = (given: Buffer | string): { readonly id: number; readonly operation: number } => {
  const data = typeof given === "string" ? Buffer.from(given) : given
  const length = data[1] ?? 0
  const at = 2 + (length < 0x80 ? 0 : length & 0x7f)
  return { id: data[at + 2] ?? 0, operation: data[at + 3] ?? 0 }
}

/** A result "success" (RFC 4511 §4.1.9). */
const success = (id: number, operation: number): Buffer =>
  Buffer.from([0x30, 0x0c, 0x02, 0x01, id, operation, 0x07, 0x0a, 0x01, 0x00, 0x04, 0x00, 0x04, 0x00])

const [extendedResponse, searchRequest, searchResultDone] = [0x78, 0x63, 0x65]

/** A directory of nobody, which upgrades a connection and answers over TLS alone, by a certificate for localhost. */
const upgrade = (socket: Socket): void => {
  socket.once("data", (data) => {
    socket.write(success(read(data).id, extendedResponse))
    const secure = new TLSSocket(socket, { isServer: true, key: pem.key, cert: pem.cert })
    secure.on("error", () => socket.destroy())
    secure.on("data", (message) => {
      const { id, operation } = read(message)
      if (operation === searchRequest) secure.write(success(id, searchResultDone))
    })
  })
  socket.on("error", () => socket.destroy())
}

let server: Server
const sockets = new Set<Socket>()
beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket)
    upgrade(socket)
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

// The settings are frozen: they are the caller's.
const people = (host: string, tls: object = {}) =>
  ldapAuthenticator({
    url: `ldap://${host}:${(server.address() as AddressInfo).port}`,
    startTls: true,
    tls: Object.freeze({ ca: pem.cert, ...tls }),
    base: "dc=example,dc=com",
  })

test("RFC 4513 §3.1.3: by StartTLS a certificate for localhost is taken for that name, each time", async () => {
  const own = people("localhost")
  expect(await own.find("a")).toBeUndefined()
  expect(await own.find("b")).toBeUndefined()
})

test("RFC 4513 §3.1.3: by StartTLS a certificate for localhost is refused for an address", async () => {
  await expect(people("127.0.0.1").find("a")).rejects.toThrow(/127\.0\.0\.1/)
})

test("the caller's own servername comes first", async () => {
  expect(await people("127.0.0.1", { servername: "localhost" }).find("a")).toBeUndefined()
  await expect(people("localhost", { servername: "other.example.com" }).find("a")).rejects.toThrow(/other\.example\.com/)
})
