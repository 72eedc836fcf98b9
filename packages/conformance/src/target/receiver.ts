import { createServer, type IncomingMessage, type Server } from "node:http"
import { isLoopback } from "./loopback.ts"
import { Unreachable } from "./target.ts"
import type { Posted } from "./web.ts"

/** The maximum bytes of a message. */
const mostBytes = 65_536

/** The maximum messages to keep for one address. */
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

/** Listens at the host and port of an address. Rejects with `Unreachable` if the port is in use. */
export const listening = (server: Server, { hostname, port }: URL, what: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new Unreachable(`nobody can listen for ${what} at port ${port || "80"}: ${error.code ?? error.message}`)),
    )
    server.listen(Number(port || 80), hostname.replace(/^\[|\]$/g, ""), resolve)
  })

/**
 * Listens at the clients' registered loopback addresses and accepts every message: logout tokens (OpenID Connect Back-Channel Logout §2.5)
 * and notices of CIBA results (CIBA Core §10.2). The servers do not keep the process alive. Undefined if no address is on loopback. Rejects
 * with `Unreachable` if a port is in use.
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

/** The logout tokens in messages. Other messages are skipped. */
export const logoutTokens = (posted: ReadonlyArray<Posted>): ReadonlyArray<string> =>
  posted.flatMap(({ body }) => new URLSearchParams(body).get("logout_token") ?? [])
