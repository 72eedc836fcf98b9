import { type IncomingMessage, request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { Readable } from "node:stream"
import { pinned } from "@postern/adapter-http"

/** The response timeout in milliseconds. */
const patience = 10_000

/** A request without its URL. */
export interface Sending {
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

const withoutBody = new Set([204, 205, 304])

const answerOf = (incoming: IncomingMessage): Response => {
  const { statusCode: status = 0, rawHeaders } = incoming
  const headers = new Headers()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "")
  if (!withoutBody.has(status)) return new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>, { status, headers })
  incoming.resume()
  return new Response(null, { status, headers })
}

/**
 * Sends a request to addresses that were resolved and checked before. The name isn't resolved again, so that DNS rebinding has no effect.
 * Redirects are not followed, and proxies of the environment are ignored. Rejects without a response within ten seconds.
 */
export const sendTo = (addresses: ReadonlyArray<string>, url: URL, { method, headers, body }: Sending): Promise<Response> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest
    const request = send(url, {
      method,
      agent: false,
      lookup: pinned(addresses),
      signal: AbortSignal.timeout(patience),
      headers: {
        ...headers,
        "accept-encoding": "identity",
        "user-agent": "Postern",
        ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
      },
    })
    request.once("response", (incoming) => {
      try {
        resolve(answerOf(incoming))
      } catch (error) {
        incoming.destroy()
        reject(error)
      }
    })
    request.on("error", reject)
    request.end(body)
  })
