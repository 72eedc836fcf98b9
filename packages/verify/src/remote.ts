import type { JsonObject } from "@postern/core/model"
import { boundedText, readObject } from "@postern/core/wire"

/** Fetches a document: the global `fetch`, or one of your own. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The longest document that is read, in bytes. */
const longest = 65_536

/** Milliseconds for a whole fetch. */
const patience = 5_000

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i

/** Reports whether a URL may be fetched, or be an identifier of the web: https, or http to this very machine. */
export const isSafeUrl = (text: unknown): boolean => {
  if (typeof text !== "string" || !URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== "" || password !== "") return false
  return protocol === "https:" || (protocol === "http:" && loopback.test(hostname))
}

/** An answer, read to its end. */
export interface Fetched {
  readonly contentType: string
  readonly text: string
}

/** Fetches a document of 64 KiB at most within 5 seconds; throws for any status but 200, and follows no redirect. */
export const fetchText = async (fetch: Fetch, url: string, init: RequestInit): Promise<Fetched> => {
  if (!isSafeUrl(url)) throw new Error(`${url} is neither https nor of this machine`)
  const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(patience) }).catch((error: unknown) => {
    throw new Error(`${url} cannot be fetched: ${toldOf(error)}`)
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`${url} answered with status ${response.status}`)
  }
  return { contentType: response.headers.get("content-type") ?? "", text: await read(response, url) }
}

const toldOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

const read = async ({ body }: Response, url: string): Promise<string> => {
  const text = await boundedText(body, longest)
  if (text === undefined) throw new Error(`${url} is longer than ${longest} bytes`)
  return text
}

/** Fetches a JSON object. */
export const fetchObject = async (
  fetch: Fetch,
  url: string,
  init: RequestInit = { headers: { accept: "application/json" } },
): Promise<JsonObject> => {
  const { text } = await fetchText(fetch, url, init)
  const object = readObject(text)
  if (object === undefined) throw new Error(`${url} is no JSON object`)
  return object
}
