import { createServer, type IncomingMessage, type Server } from "node:http"
import type { RoleClient } from "./roles.ts"
import { Unreachable } from "./target.ts"

/** Bytes of a logout token that are read, with its form. */
const mostBytes = 65_536

/** Tokens that are kept for one address. */
const mostTokens = 1000

const isLoopback = (url: URL): boolean => url.protocol === "http:" && /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname)

const tokenIn = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > mostBytes) return undefined
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString()).get("logout_token") ?? undefined
}

const listening = (server: Server, { hostname, port }: URL): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new Unreachable(`nobody can listen for logout tokens at port ${port || "80"}: ${error.code ?? error.message}`)),
    )
    server.listen(Number(port || 80), hostname.replace(/^\[|\]$/g, ""), resolve)
  })

/**
 * Listens where clients have registered to take logout tokens, on loopback, and takes every one (OpenID Connect Back-Channel Logout §2.5). It holds no
 * process up. Rejects with `Unreachable` where a port is taken.
 */
export const logoutReceiver = async (
  clients: ReadonlyArray<RoleClient>,
): Promise<((client: RoleClient) => ReadonlyArray<string>) | undefined> => {
  const addresses = clients.flatMap(({ backchannel_logout_uri: uri }) => (uri !== undefined && URL.canParse(uri) ? [new URL(uri)] : []))
  const byOrigin = Map.groupBy(addresses.filter(isLoopback), ({ origin }) => origin)
  if (byOrigin.size === 0) return undefined
  const received = new Map<string, Array<string>>()
  for (const [origin, [address]] of byOrigin) {
    if (address === undefined) continue
    const server = createServer((request, response) => {
      void tokenIn(request).then(
        (token) => {
          const at = `${origin}${request.url ?? ""}`
          const known = received.get(at) ?? []
          if (token === undefined || request.method !== "POST") return response.writeHead(400).end()
          if (known.length < mostTokens) received.set(at, [...known, token])
          return response.writeHead(200, { "cache-control": "no-store" }).end()
        },
        () => response.destroy(),
      )
    })
    await listening(server, address)
    server.unref()
  }
  return ({ backchannel_logout_uri: uri = "" }) => (URL.canParse(uri) ? (received.get(new URL(uri).href) ?? []) : [])
}
