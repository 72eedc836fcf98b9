import type { ServerResponse } from "node:http"
import type { Answer } from "@postern/core/wire"

/** Writes answers with the header fields that all of them carry. */
export type WriteAnswer = (outgoing: ServerResponse, answer: Answer | FileAnswer, last: boolean) => void

/** An answer whose body is bytes, such as an image. */
export interface FileAnswer extends Omit<Answer, "body"> {
  readonly body: Uint8Array
}

/** One year, in seconds. */
const hstsAge = 31_536_000

/**
 * Creates the writer. It adds default headers that core has not set, and `Strict-Transport-Security` (RFC 6797) when the issuer uses https.
 */
export const answerWriter = (issuer: string): WriteAnswer => {
  const secure = issuer.startsWith("https:")
  return (outgoing, { status, headers, body }, last) => {
    // The caller has disconnected, or an answer was already sent.
    if (outgoing.destroyed || outgoing.headersSent) return
    const lines: Array<string> = []
    let sniff = false
    let referrer = false
    let length = status === 204 || status === 304
    for (const [name, value] of headers) {
      lines.push(name, value)
      if (name === "x-content-type-options") sniff = true
      else if (name === "referrer-policy") referrer = true
      else if (name === "content-length") length = true
    }
    if (!length) lines.push("content-length", String(typeof body === "string" ? Buffer.byteLength(body) : body.byteLength))
    if (!sniff) lines.push("x-content-type-options", "nosniff")
    if (!referrer) lines.push("referrer-policy", "no-referrer")
    if (secure) lines.push("strict-transport-security", `max-age=${hstsAge}`)
    if (last) lines.push("connection", "close")
    outgoing.writeHead(status, lines)
    // Node omits the body of an answer to HEAD.
    outgoing.end(body)
  }
}
