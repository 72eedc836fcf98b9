import type { Answer } from "@postern/core/wire"
import type { FileAnswer } from "../answer.ts"
import { defaultLimits } from "../limits.ts"
import { lingering } from "../lingering.ts"
import type { NodeRequest, NodeResponse } from "./pair.ts"

const linger = lingering(defaultLimits)

/** Writes an answer. If `last` is true, the connection is closed, because the rest of the request was not read. */
export const write = (request: NodeRequest, response: NodeResponse, answer: Answer | FileAnswer, last: boolean): undefined => {
  // The caller has disconnected, or the request was already answered.
  if (response.destroyed || response.headersSent) return
  const { status, body } = answer
  response.statusCode = status
  for (const [name, values] of grouped(answer.headers)) {
    const before = name === "set-cookie" ? [response.getHeader(name) ?? []].flat().map(String) : []
    response.setHeader(name, before.length + values.length === 1 ? (values[0] ?? "") : [...before, ...values])
  }
  if (status !== 204 && status !== 304) response.setHeader("content-length", Buffer.byteLength(body))
  if (last) end(request, response)
  if (request.method === "HEAD" || body.length === 0) response.end()
  else response.end(body)
}

const grouped = (headers: Answer["headers"]): ReadonlyMap<string, Array<string>> => {
  const groups = new Map<string, Array<string>>()
  for (const [name, value] of headers) {
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [value])
    else group.push(value)
  }
  return groups
}

/**
 * Closes a connection or an HTTP/2 stream whose request was not read. Further input is discarded, so that the caller can read the answer.
 */
const end = (request: NodeRequest, response: NodeResponse): void => {
  if ("stream" in request) return dropped(request)
  response.setHeader("connection", "close")
  linger.announce(request.socket)
}

const dropped = (request: NodeRequest): void => {
  let left = defaultLimits.lingerBytes
  request.on("data", (chunk: Uint8Array) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.resume()
}
