import { type IncomingMessage, request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { Readable } from "node:stream"
import { pinned } from "@postern/adapter-http"

/** Milliseconds for an answer. */
const patience = 10_000

/** A request, without the address that it goes to. */
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
 * Sends a request to addresses that were looked up and judged before: the name is not looked up again, so that no second answer of its server leads elsewhere. No redirect
 * is followed, and no proxy of the environment comes between. Rejects where no answer comes in ten seconds.
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
