import type { Answer, Message } from "./message.ts"

/** The longest body that is read, in bytes. */
export const longestBody = 65_536

/** Reads a body up to the bound; undefined for a longer one. */
const readBody = async (request: Request): Promise<string | undefined> => {
  if (request.body === null) return ""
  const decoder = new TextDecoder()
  const reader = request.body.getReader()
  let text = ""
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.byteLength
    if (length > longestBody) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

/**
 * A web-standard request as a message; undefined when its body is too long. The address stays unknown: a runtime that knows it calls
 * `handle` itself.
 */
export const fromRequest = async (request: Request): Promise<Message | undefined> => {
  const { pathname, search } = new URL(request.url)
  const body = request.method === "GET" || request.method === "HEAD" ? "" : await readBody(request)
  if (body === undefined) return undefined
  return {
    method: request.method,
    path: pathname,
    query: search.slice(1),
    headers: Object.fromEntries(request.headers),
    body,
    address: undefined,
  }
}

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
