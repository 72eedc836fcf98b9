import type { Answer, Message, PeerCertificate } from "./message.ts"

/** The maximum length of a body, in bytes. */
export const longestBody = 65_536

const ignored = (): void => undefined

/**
 * Reads the text of a body up to a limit in bytes; undefined if it is longer. `begun` receives the function that stops reading, after which
 * the text is incomplete.
 */
export const boundedText = async (
  body: ReadableStream<Uint8Array> | null,
  most: number,
  begun: (stop: () => void) => void = ignored,
): Promise<string | undefined> => {
  if (body === null) return ""
  const decoder = new TextDecoder()
  const reader = body.getReader()
  // Not waited for: a stream may take forever to end, or fail to.
  const stop = (): void => void reader.cancel().catch(ignored)
  begun(stop)
  let text = ""
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    // An empty piece counts as a byte, because a stream of them would never end.
    length += value.byteLength || 1
    if (length > most) {
      stop()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

const readBody = async (request: Request, begun?: (stop: () => void) => void): Promise<string | undefined> => {
  if (request.bodyUsed || request.body?.locked === true)
    throw new TypeError("the body was read before the provider saw the request: hand it over first")
  return boundedText(request.body, longestBody, begun)
}

/** The sender of a request, as far as the server knows. */
export interface Caller {
  /** The caller's IP address, from a source that you trust: the connection, or a header that your own proxy writes. */
  readonly address?: string | undefined
  /**
   * The caller's certificate, from a source that you trust: the connection, or a header that your own proxy sets and removes from incoming
   * requests.
   */
  readonly peerCertificate?: PeerCertificate | undefined
}

/** Reports whether a value is a request of any runtime, or of a library's own class. */
export const isRequest = (value: unknown): value is Request => {
  try {
    const { url, method, headers } = (value ?? {}) as Partial<Request>
    return typeof url === "string" && URL.canParse(url) && typeof method === "string" && typeof headers === "object" && headers !== null
  } catch {
    return false
  }
}

/**
 * Converts a web-standard request into a message; undefined if its body is longer than {@link longestBody}. The address is that of
 * `caller`, and unknown without it: no header is used for it. Rejects if the body cannot be read, because it was consumed before or the
 * caller disconnected.
 */
export const fromRequest = (request: Request, caller?: Caller): Promise<Message | undefined> => messageFrom(request, caller)

/** {@link fromRequest}, whose reading of the body can be stopped. */
export const messageFrom = async (
  request: Request,
  caller: Caller | undefined,
  begun?: (stop: () => void) => void,
): Promise<Message | undefined> => {
  if (!isRequest(request)) throw new TypeError("fromRequest: request: must be a Request, with the whole URL")
  const { pathname, search } = new URL(request.url)
  const body = request.method === "GET" || request.method === "HEAD" ? "" : await readBody(request, begun)
  if (body === undefined) return undefined
  // Runtimes pass a handler more than the request (Bun its server, workerd its environment), so anything that is not a string is no
  // address.
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

/** Converts an answer into a web-standard response. */
export const toResponse = ({ status, headers, body }: Answer, method: string): Response => {
  const written = new Headers()
  for (const [name, value] of headers) written.append(name, value)
  return new Response(body === "" || method === "HEAD" ? null : body, { status, headers: written })
}

const refusedBody = (status: number, error: string, description: string): Response =>
  Response.json({ error, error_description: description }, { status, headers: { "cache-control": "no-store" } })

/** Creates the response to a body that is too long (RFC 9110 §15.5.14). */
export const tooLong = (): Response => refusedBody(413, "invalid_request", "The body is too long.")

/** Creates the response to a body that did not arrive in time (RFC 9110 §15.5.9). */
export const tooLate = (): Response => refusedBody(408, "invalid_request", "The body did not arrive in time.")

/** Creates the response to a body that broke off before its end (RFC 9112 §8). */
export const brokenOff = (): Response => refusedBody(400, "invalid_request", "The body is incomplete.")

/** Creates the response to a body that the server around the provider has read, so that its content is lost. */
export const unread = (): Response => refusedBody(500, "server_error", "The body could not be read.")
