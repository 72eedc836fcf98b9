import { once } from "node:events"
import { type IncomingMessage, createServer } from "node:http"
import { pathToFileURL } from "node:url"
import type { Maintained } from "@postern/core/maintain"
import type { FunctionEvent, FunctionResult, handler as example } from "../../examples/lambda/handler.ts"

/** The event that AWS makes of a request: payload format 2.0, whose cookies stand beside the headers and whose forms are Base64. */
const eventOf = async (request: IncomingMessage, host: string): Promise<FunctionEvent> => {
  const { pathname, search } = new URL(request.url ?? "/", `http://${host}`)
  const { cookie, ...headers } = request.headers
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(Buffer.from(part as Uint8Array))
  const body = Buffer.concat(parts)
  return {
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...(cookie === undefined ? {} : { cookies: cookie.split("; ") }),
    ...(body.length === 0 ? {} : { body: body.toString("base64") }),
    isBase64Encoded: body.length > 0,
    requestContext: { domainName: host, http: { method: request.method ?? "GET", sourceIp: request.socket.remoteAddress ?? "" } },
  }
}

/** A function that is served. */
export interface ServedFunction {
  /** Sends it the event of a schedule. */
  readonly schedule: () => Promise<Maintained>
  readonly stop: () => Promise<void>
}

/** Puts a function behind a server, as a function URL is one. */
export const serveFunction = async (file: string, issuer: string, port: number): Promise<ServedFunction> => {
  process.env["ISSUER"] = issuer
  const { handler } = (await import(pathToFileURL(file).href)) as { readonly handler: typeof example }
  const server = createServer((request, response) => {
    void eventOf(request, `127.0.0.1:${port}`)
      .then((event) => handler(event) as Promise<FunctionResult>)
      .then(({ statusCode, headers, cookies, body }) => {
        response.writeHead(statusCode, { ...headers, ...(cookies.length === 0 ? {} : { "set-cookie": [...cookies] }) })
        response.end(body)
      })
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    schedule: () => handler({ "detail-type": "Scheduled Event" }) as Promise<Maintained>,
    stop: async () => {
      delete process.env["ISSUER"]
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
