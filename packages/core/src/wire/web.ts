import type { Answer, Message, PeerCertificate } from "./message.ts"

/** The longest body that is read, in bytes. */
export const longestBody = 65_536

/** Reads the text of a body up to a bound in bytes; undefined for a longer one. */
export const boundedText = async (body: ReadableStream<Uint8Array> | null, most: number): Promise<string | undefined> => {
  if (body === null) return ""
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ""
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.byteLength
    if (length > most) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

const readBody = async (request: Request): Promise<string | undefined> => {
  if (request.bodyUsed || request.body?.locked === true)
    throw new TypeError("the body was read before the provider saw the request: hand it over first")
  return boundedText(request.body, longestBody)
}

/** The sender of a request, as far as the shell knows. */
export interface Caller {
  /** The caller's IP address, from a source that you trust: the connection, or a header that your own proxy writes. */
  readonly address?: string | undefined
  /** The caller's certificate, from a source that you trust: the connection, or a header that your own proxy writes and deletes from outside. */
  readonly peerCertificate?: PeerCertificate | undefined
}

/**
 * A web-standard request as a message; undefined when its body is longer than {@link longestBody}. The address is that of `caller` and
 * unknown without one: no header is read for it. Rejects where the body cannot be read: somebody read it before, or the caller went away.
 */
export const fromRequest = async (request: Request, caller?: Caller): Promise<Message | undefined> => {
  const { pathname, search } = new URL(request.url)
  const body = request.method === "GET" || request.method === "HEAD" ? "" : await readBody(request)
  if (body === undefined) return undefined
  // Runtimes hand a handler more than the request (Bun its server, workerd its environment): whatever is no text is no address.
  const address: unknown = caller?.address
  return {
    method: request.method,
    path: pathname,
    query: search.slice(1),
    headers: Object.fromEntries(request.headers),
    body,
    address: typeof address === "string" && address !== "" ? address : undefined,
    peerCertificate: certificateOf(caller?.peerCertificate),
  }
}

const certificateOf = (given: unknown): PeerCertificate | undefined =>
  typeof given === "object" &&
  given !== null &&
  "der" in given &&
  given.der instanceof Uint8Array &&
  "verified" in given &&
  typeof given.verified === "boolean"
    ? { der: given.der, verified: given.verified }
    : undefined

/** An answer as a web-standard response. */
export const toResponse = ({ status, headers, body }: Answer, method: string): Response => {
  const written = new Headers()
  for (const [name, value] of headers) written.append(name, value)
  return new Response(body === "" || method === "HEAD" ? null : body, { status, headers: written })
}

/** The answer to a body that is too long (RFC 9110 §15.5.14). */
export const tooLong = (): Response =>
  Response.json(
    { error: "invalid_request", error_description: "The body is too long." },
    { status: 413, headers: { "cache-control": "no-store" } },
  )

/** The answer to a body that could not be read: whatever was in it is gone. */
export const unread = (): Response =>
  Response.json(
    { error: "server_error", error_description: "The body could not be read." },
    { status: 500, headers: { "cache-control": "no-store" } },
  )
