import { createServer, type IncomingMessage, type Server } from "node:http"
import { isLoopback } from "./loopback.ts"
import { Unreachable } from "./target.ts"
import type { Posted } from "./web.ts"

/** Bytes of a message that are read. */
const mostBytes = 65_536

/** Messages that are kept for one address. */
const mostMessages = 1000

const bodyOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > mostBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Listens at the host and port of an address. Rejects with `Unreachable` where the port is taken. */
export const listening = (server: Server, { hostname, port }: URL, what: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new Unreachable(`nobody can listen for ${what} at port ${port || "80"}: ${error.code ?? error.message}`)),
    )
    server.listen(Number(port || 80), hostname.replace(/^\[|\]$/g, ""), resolve)
  })

/**
 * Listens where clients have registered to be sent messages, on loopback, and takes every one: logout tokens (OpenID Connect Back-Channel Logout §2.5) and results
 * of CIBA requests (CIBA Core §10.2). It holds no process up. Undefined where no address is on loopback; rejects with `Unreachable` where a port is taken.
 */
export const receiver = async (
  uris: ReadonlyArray<string | undefined>,
): Promise<((uri: string | undefined) => ReadonlyArray<Posted>) | undefined> => {
  const addresses = uris.flatMap((uri) => (uri !== undefined && URL.canParse(uri) ? [new URL(uri)] : []))
  const byOrigin = Map.groupBy(addresses.filter(isLoopback), ({ origin }) => origin)
  if (byOrigin.size === 0) return undefined
  const received = new Map<string, Array<Posted>>()
  for (const [origin, [address]] of byOrigin) {
    if (address === undefined) continue
    const server = createServer((request, response) => {
      void bodyOf(request).then(
        (body) => {
          const at = `${origin}${request.url ?? ""}`
          const known = received.get(at) ?? []
          if (body === undefined || request.method !== "POST") return response.writeHead(400).end()
          const { "content-type": contentType = "", authorization } = request.headers
          if (known.length < mostMessages) received.set(at, [...known, { contentType, authorization, body }])
          return response.writeHead(204, { "cache-control": "no-store" }).end()
        },
        () => response.destroy(),
      )
    })
    await listening(server, address, "messages to clients")
    server.unref()
  }
  return (uri = "") => (URL.canParse(uri) ? (received.get(new URL(uri).href) ?? []) : [])
}

/** The logout tokens of messages; what is none is left out. */
export const logoutTokens = (posted: ReadonlyArray<Posted>): ReadonlyArray<string> =>
  posted.flatMap(({ body }) => new URLSearchParams(body).get("logout_token") ?? [])
