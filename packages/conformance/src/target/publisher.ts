import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { isLoopback } from "./loopback.ts"
import { listening } from "./receiver.ts"
import type { Published, Publisher } from "./web.ts"

/**
 * Publishes clients' documents at a port of this machine, if the provider's issuer is on loopback; undefined for any other. The server does
 * not keep the process alive.
 */
export const publisher = async (issuer: string): Promise<Publisher | undefined> => {
  if (!URL.canParse(issuer) || !isLoopback(new URL(issuer))) return undefined
  const answers = new Map<string, Published>()
  const server = createServer((request, response) => {
    const { status, contentType, body, location } = answers.get(request.url ?? "") ?? { status: 404, contentType: "text/plain", body: "" }
    // Documents may be cached, because each requirement publishes at its own paths.
    const headers = { "content-type": contentType, "cache-control": "max-age=300", ...(location === undefined ? {} : { location }) }
    response.writeHead(status, headers).end(body)
  })
  await listening(server, new URL("http://127.0.0.1:0"), "requests for documents")
  server.unref()
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publish: (path, published) => void answers.set(path, published),
  }
}
