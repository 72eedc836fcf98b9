import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { once } from "node:events"
import { createServer as createSecureServer } from "node:https"
import { expect, onTestFinished, test } from "vitest"
import { type Conversation, getting, membersOf, WrongAnswer } from "../../bench/load/conversation.ts"
import { measure } from "../../bench/load/run.ts"
import { type Answer, type Link, cookiesOf, header, wire } from "../../bench/load/wire.ts"
import { dressed, inBrowser } from "../../bench/scenarios/browserHeaders.ts"
import { pem } from "../cli/pem.ts"

/** A server that answers each request as it is told, on a free port. */
const answering = async (answer: (socket: Socket, request: number) => void): Promise<number> => {
  let requests = 0
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on("data", () => answer(socket, ++requests))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const answerOf = (port: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const connection = wire({ port })
    onTestFinished(connection.close)
    connection.send(getting("/"), resolve, reject)
  })

const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\nSet-Cookie: a=1; Path=/\r\nset-cookie: b=; Max-Age=0\r\n\r\n{"is":true}'

test("the load reads an answer that arrives in one piece", async () => {
  const answer = await answerOf(await answering((socket) => socket.write(whole)))
  expect(answer).toMatchObject({ status: 200, body: '{"is":true}' })
  expect(header(answer, "content-length")).toBe("11")
  expect(cookiesOf(answer)).toEqual([
    ["a", "1"],
    ["b", ""],
  ])
})

test("the load reads an answer that is cut at any byte", async () => {
  const port = await answering((socket, request) => {
    socket.setNoDelay(true)
    socket.write(whole.slice(0, request), () => setImmediate(() => socket.write(whole.slice(request))))
  })
  for (let at = 1; at < whole.length; at++) expect((await answerOf(port)).body).toBe('{"is":true}')
})

test("the load reads a chunked answer (RFC 9112 §7.1)", async () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"is\r\n7\r\n":true}\r\n0\r\n\r\n'
  expect((await answerOf(await answering((socket) => socket.write(chunked)))).body).toBe('{"is":true}')
})

test("the load takes bytes behind an answer for a fault", async () => {
  await expect(answerOf(await answering((socket) => socket.write(`${whole}more`)))).rejects.toThrow("more than one answer")
})

const asking = (until: number): (() => Conversation | undefined) => {
  let left = until
  return () =>
    left-- > 0
      ? (function* (): Conversation {
          const answer = yield getting("/")
          if (membersOf(answer, "a test")["is"] !== true) throw new WrongAnswer("a test", answer)
        })()
      : undefined
}

test("a round counts each operation once, and opens a connection anew that the server closes", async () => {
  const closing = whole.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
  const port = await answering((socket, request) => (request % 3 === 0 ? socket.end(closing) : socket.write(whole)))
  const round = await measure({ places: [{ port }], pids: [process.pid], operations: [asking(10), asking(10)], seconds: 30 })
  expect(round).toMatchObject({ operations: 20, errors: 0 })
})

test("a round counts a connection that was lost as an error", async () => {
  const port = await answering((socket, request) => (request === 2 ? socket.destroy() : socket.write(whole)))
  const round = await measure({ places: [{ port }], pids: [process.pid], operations: [asking(5)], seconds: 30 })
  expect(round).toMatchObject({ operations: 4, errors: 1 })
})

test("the first wrong answer ends a round", async () => {
  const port = await answering((socket, request) => socket.write(request < 4 ? whole : whole.replace("true", "null")))
  const round = measure({ places: [{ port }], pids: [process.pid], operations: [asking(10)], seconds: 30 })
  await expect(round).rejects.toThrow('a test: 200 {"is":null}')
})

test("a round whose connections are fresh opens one for each operation", async () => {
  const sockets = new Set<number | undefined>()
  const port = await answering((socket) => {
    sockets.add(socket.remotePort)
    socket.write(whole)
  })
  await measure({ places: [{ port }], pids: [process.pid], operations: [asking(5)], seconds: 30, link: "fresh" })
  expect(sockets.size).toBe(5)
})

test("the load resumes a TLS session when it is asked to, and never otherwise (RFC 8446 §2.2)", async () => {
  const certificate = pem.cert
  const reused: Array<boolean> = []
  const server = createSecureServer({ key: pem.key, cert: certificate }, (request, response) => {
    reused.push((request.socket as TLSSocket).isSessionReused())
    response.end('{"is":true}')
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const round = async (link: Link): Promise<ReadonlyArray<boolean>> => {
    reused.length = 0
    const load = { places: [{ port, certificate }], pids: [process.pid], operations: [asking(4)], seconds: 30 }
    expect(await measure({ ...load, link })).toMatchObject({ operations: 4, errors: 0 })
    return [...reused]
  }
  expect(await round("resumed")).toEqual([false, true, true, true])
  expect(await round("fresh")).toEqual([false, false, false, false])
  expect(await round("kept")).toEqual([false, false, false, false])
  // The server forgets the tickets it gave: what was to be resumed is an error.
  const wireOf = wire({ port, certificate }, "resumed")
  onTestFinished(wireOf.close)
  const ask = (): Promise<Answer> => new Promise((resolve, reject) => wireOf.send(getting("/"), resolve, reject))
  await ask()
  server.setTicketKeys(Buffer.alloc(48, 7))
  await expect(ask()).rejects.toThrow("against what was asked")
})

test("a browser's request has 1.5 KB of cookies before its own, and the same body", () => {
  const plain = dressed(getting("/a"))
  expect(/\r\ncookie: (.*)\r\n/.exec(plain)?.[1]?.length).toBeGreaterThan(1450)
  expect(plain.endsWith("\r\n\r\n")).toBe(true)
  expect(dressed(getting("/a", "cookie: own=1\r\n"))).toMatch(/\r\ncookie: _site_0=.*; own=1\r\n\r\n$/)
  const [operation] = inBrowser({ operations: [asking(1)] }).operations
  expect(operation?.()?.next().value).toBe(plain.replace("/a", "/"))
})
