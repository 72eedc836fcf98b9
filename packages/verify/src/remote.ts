import { type JsonObject, messageOf } from "@postern/core/model"
import type { Awaitable } from "@postern/core/ports"
import { boundedText, readObject } from "@postern/core/wire"

/** Fetches a document. Either the global `fetch` or a function of your own. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The maximum length of a document, in bytes. */
const longest = 65_536

/** The time limit of a fetch, in milliseconds. */
const patience = 5_000

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i

/** Reports whether a URL may be fetched or used as an identifier: it must be https, or http to a loopback host, without credentials. */
export const isSafeUrl = (text: unknown): boolean => {
  if (typeof text !== "string" || !URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== "" || password !== "") return false
  return protocol === "https:" || (protocol === "http:" && loopback.test(hostname))
}

/** A response that was read completely. */
export interface Fetched {
  readonly contentType: string
  readonly text: string
}

/**
 * Waits for an operation of the embedder, for at most 5 seconds. A later result is dropped: the operation may ignore the signal, and must
 * not hold a request, or a place among the introspections, forever.
 */
export const timely = async <A>(run: (signal: AbortSignal) => Awaitable<A>): Promise<A> => {
  const ending = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`no answer within ${patience / 1000} seconds`)
      reject(error)
      ending.abort(error)
    }, patience)
  })
  try {
    return await Promise.race([run(ending.signal), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Fetches a document of at most 64 KiB within 5 seconds. Follows no redirect and throws for any status except 200. */
export const fetchText = async (fetch: Fetch, url: string, init: RequestInit): Promise<Fetched> => {
  if (!isSafeUrl(url)) throw new Error(`${url} is neither https nor of this machine`)
  try {
    return await timely(async (signal) => fetched(await fetch(url, { ...init, redirect: "manual", signal })))
  } catch (error) {
    throw new Error(`${url} cannot be fetched: ${messageOf(error)}`)
  }
}

const fetched = async ({ status, headers, body }: Response): Promise<Fetched> => {
  if (status !== 200) {
    void body?.cancel().catch(() => undefined)
    throw new Error(`answered with status ${status}`)
  }
  const text = await boundedText(body, longest)
  if (text === undefined) throw new Error(`longer than ${longest} bytes`)
  return { contentType: headers.get("content-type") ?? "", text }
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
