import type { Received, Sent } from "../exchange/exchange.ts"

type Headers = Readonly<Record<string, string>>

/** The origin of an address; "null" if it has none. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "null")

const plainTypes = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$)/i

/** Names of headers that a browser sets itself, or that a script may set without a preflight (Fetch §2.2.2). */
const plainHeaders =
  /^(?:accept|accept-encoding|accept-language|content-language|content-length|cache-control|pragma|connection|cookie|dnt|host|origin|priority|referer|user-agent|upgrade-insecure-requests|sec-.*)$/

/** Reports whether a body has a content type that a form may send cross-origin. */
export const isPlainBody = (headers: Headers): boolean => plainTypes.test(headers["content-type"] ?? "text/plain")

const namesToAsk = (headers: Headers): ReadonlyArray<string> =>
  Object.keys(headers)
    .map((name) => name.toLowerCase())
    .filter((name) => (name === "content-type" ? !isPlainBody(headers) : !plainHeaders.test(name)))
    .toSorted()

const isSimple = (method: string): boolean => ["GET", "HEAD", "POST"].includes(method)

/** Reports whether CORS lets pages of an origin read a response (Fetch §4.10). */
export const isReadable = ({ headers }: Received, origin: string): boolean =>
  [origin, "*"].includes(headers.get("access-control-allow-origin") ?? "")

const listOf = (received: Received, name: string): ReadonlyArray<string> =>
  (received.headers.get(name) ?? "").split(",").map((each) => each.trim())

/**
 * Sends the CORS preflight for a request that needs one (Fetch §4.8), and reports whether the request is allowed. Chromium sends no
 * preflight for requests that we answer.
 */
export const isTaken = async (
  { method, url, headers }: Pick<Sent, "method" | "url"> & { readonly headers: Headers },
  origin: string,
  send: (sent: Sent) => Promise<Received>,
): Promise<boolean> => {
  const names = namesToAsk(headers)
  if (isSimple(method) && names.length === 0) return true
  const asking = { origin, "access-control-request-method": method, "access-control-request-headers": names.join(",") }
  const answer = await send({ method: "OPTIONS", url, headers: asking })
  const [methods, allowed] = [
    listOf(answer, "access-control-allow-methods"),
    listOf(answer, "access-control-allow-headers").map((each) => each.toLowerCase()),
  ]
  return (
    answer.status >= 200 &&
    answer.status < 300 &&
    isReadable(answer, origin) &&
    (isSimple(method) || methods.includes(method) || methods.includes("*")) &&
    names.every((name) => allowed.includes(name) || (name !== "authorization" && allowed.includes("*")))
  )
}
