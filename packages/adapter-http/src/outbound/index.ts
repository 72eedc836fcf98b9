import { lookup as systemLookup } from "node:dns/promises"
import { type IncomingMessage, request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import {
  type CachingHeaders,
  type OutboundAnswer,
  type OutboundBody,
  type OutboundLimits,
  type OutboundPort,
  hostOf,
} from "@postern/core/ports"
import { isLoopbackAddress, isPublicAddress, pinned } from "./address.ts"
import { type Breaker, breaker } from "./breaker.ts"
import { addressesByName } from "./names.ts"

/** Options of the fetch of other parties' documents. */
export interface OutboundOptions {
  /** Lets URLs of this very machine pass, and http to it: for development. */
  readonly loopback?: boolean
  /** Certificates to trust instead of the system's, PEM. */
  readonly ca?: string
  /** Finds the addresses of every host name. When not given, the system's resolver does, and the name servers for URLs that anybody could have chosen. */
  readonly resolve?: (hostname: string) => Promise<ReadonlyArray<string>>
  /** The name servers that are asked for URLs that anybody could have chosen, each an address with or without a port; the system's when not given. */
  readonly nameServers?: ReadonlyArray<string>
  /** Milliseconds for all of it, from the name to the last byte; 5000 when not given. */
  readonly timeout?: number
  /** Leaves hosts alone that failed time after time; one of its own when not given. */
  readonly breaker?: Breaker
  /**
   * Leaves hosts alone for URLs that anybody could have chosen (`ofStranger`): documents of clients, logos, and all that clients state which no operator registered.
   * Their failures keep nobody from the keys or the logout endpoint of another client at the same host. One of its own when not given.
   */
  readonly strangers?: Breaker
}

/** The longest document that is read, in bytes (RFC 9101 §10.4.1). */
const longest = 65_536

/** The reason why a document was not fetched. */
class Refused extends Error {}

const resolveBySystem = async (hostname: string): Promise<ReadonlyArray<string>> =>
  (await systemLookup(hostname, { all: true, verbatim: true })).map(({ address }) => address)

const isOfStranger = (sent: Sent): boolean => ("accept" in sent ? sent.limits : sent).ofStranger === true

/**
 * The way in which the addresses of a host are found. Names that strangers chose are kept out of the system's resolver: it looks up two at a time for the whole
 * process, and one whose servers are silent takes ten seconds, or longer. Under development names of this machine are found, which no name server knows.
 */
const resolverOf = (sent: Sent, { loopback = false, resolve, nameServers }: OutboundOptions, signal: AbortSignal) =>
  resolve ?? (isOfStranger(sent) && !loopback ? addressesByName(signal, nameServers) : resolveBySystem)

/** The addresses of a URL's host: every one of them must be one that may be reached, or none is. */
const reachable = async (
  url: URL,
  resolve: (hostname: string) => Promise<ReadonlyArray<string>>,
  { loopback = false }: OutboundOptions,
): Promise<ReadonlyArray<string>> => {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const addresses = isIP(host) === 0 ? await resolve(host) : [host]
  if (addresses.length === 0) throw new Refused("the host has no address")
  if (loopback && addresses.every(isLoopbackAddress)) return addresses
  if (url.protocol !== "https:") throw new Refused("http is for loopback in development only")
  if (!addresses.every(isPublicAddress)) throw new Refused("the host has an address that is not public")
  return addresses
}

/** A request to somebody else: a GET that accepts a kind of document, or a POST. */
type Sent = { readonly accept: string; readonly limits: OutboundLimits } | OutboundBody

const headersOf = (sent: Sent): Readonly<Record<string, string>> => {
  if ("accept" in sent) return { accept: sent.accept }
  const { contentType, authorization } = sent
  return { "content-type": contentType, ...(authorization === undefined ? {} : { authorization: authorization.reveal() }) }
}

const responseTo = (
  url: URL,
  sent: Sent,
  addresses: ReadonlyArray<string>,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest
    const request = send(url, {
      method: "accept" in sent ? "GET" : "POST",
      // A connection of its own: none is kept, and no proxy of the environment comes between.
      agent: false,
      lookup: pinned(addresses),
      rejectUnauthorized: true,
      signal,
      headers: { ...headersOf(sent), "accept-encoding": "identity", "user-agent": "Postern" },
      ...(ca === undefined ? {} : { ca }),
    })
    request.once("response", resolve)
    request.on("error", reject)
    request.end("accept" in sent ? undefined : sent.text)
  })

const read = async (response: IncomingMessage, { bytes = longest, isBinary = false }: OutboundLimits): Promise<string> => {
  const most = Math.min(bytes, longest)
  const pieces: Array<Buffer> = []
  let length = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > most) throw new Refused(`longer than ${most} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString(isBinary ? "base64" : "utf8")
}

/** The header fields that say how long a document is good for; undefined where it has none. */
const cachingOf = ({ "cache-control": cacheControl, age, expires, date }: IncomingMessage["headers"]): CachingHeaders | undefined =>
  cacheControl === undefined && expires === undefined
    ? undefined
    : { cacheControl, age, expires, ...(expires === undefined ? {} : { date }) }

const answered = ({ statusCode: status = 0, headers }: IncomingMessage, body: string): OutboundAnswer => {
  const retryAfter = headers["retry-after"]
  const told = retryAfter === undefined ? {} : { retryAfter }
  const caching = cachingOf(headers)
  return { _tag: "Fetched", status, contentType: headers["content-type"], body, ...told, ...(caching === undefined ? {} : { caching }) }
}

const fetched = async (text: string, sent: Sent, options: OutboundOptions, signal: AbortSignal): Promise<OutboundAnswer> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== "https:" && url?.protocol !== "http:") throw new Refused("not an https URL")
  if (url.username !== "" || url.password !== "") throw new Refused("the URL carries a user name")
  const addresses = await reachable(url, resolverOf(sent, options, signal), options)
  signal.throwIfAborted()
  const response = await responseTo(url, sent, addresses, options.ca, signal)
  try {
    const { statusCode: status = 0, headers } = response
    // The receiver of a message has it by now: the status says what came of it, and the rest is of no use.
    if (!("accept" in sent)) return answered(response, "")
    if (status >= 300 && status < 400) throw new Refused(`answered with status ${status}; redirects are not followed`)
    // A packed body could unfold to more than memory holds; none was asked for.
    const encoding = headers["content-encoding"]
    if (encoding !== undefined && encoding !== "identity") throw new Refused("the answer is compressed, which was not asked for")
    return answered(response, await read(response, sent.limits))
  } finally {
    response.destroy()
  }
}

const toldOf = (error: unknown, late: boolean, timeout: number): string => {
  if (error instanceof Refused) return error.message
  if (late) return `not there within ${timeout} ms`
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined
  return code === undefined ? "the connection failed" : `the connection failed: ${code}`
}

/** A fetch's outcome, and if the host could not be reached or did not answer in time. */
interface Attempt {
  readonly answer: OutboundAnswer
  readonly isUnreachable: boolean
}

const attempt = async (
  url: string,
  sent: Sent,
  { timeout: longestWait = 5_000, ...options }: OutboundOptions,
  ended?: AbortSignal,
): Promise<Attempt> => {
  const timeout = Math.min(longestWait, ("accept" in sent ? sent.limits.milliseconds : undefined) ?? longestWait)
  const aborting = new AbortController()
  const signal = ended === undefined ? aborting.signal : AbortSignal.any([aborting.signal, ended])
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
  const timer = setTimeout(() => aborting.abort(), timeout)
  try {
    // The race is for the resolver, which cannot be told to stop.
    return { answer: await Promise.race([fetched(url, sent, options, signal), late]), isUnreachable: false }
  } catch (error) {
    const isUnreachable = !(error instanceof Refused)
    const reason = toldOf(error, signal.aborted, timeout)
    return { answer: { _tag: "Unfetched", reason, ...(isUnreachable ? { isUnreachable } : {}) }, isUnreachable }
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Fetches what clients publish and sends them messages, over Node: https to public addresses alone, each of them looked at and then connected to; no redirect, no
 * credentials, no proxy; at most 64 KiB within 5 seconds. A host that failed time after time is left alone for a while: a fetch of it rejects
 * with `OutwardRefused`.
 */
export const nodeOutbound = (options: OutboundOptions = {}): OutboundPort => {
  const { breaker: registered = breaker(), strangers = breaker() } = options
  const ask = async (url: string, sent: Sent, ended?: AbortSignal): Promise<OutboundAnswer> => {
    const { answer } = await (isOfStranger(sent) ? strangers : registered).call(
      hostOf(url),
      () => attempt(url, sent, options, ended),
      ({ isUnreachable }) => isUnreachable,
    )
    return answer
  }
  return { fetch: (url, accept, limits = {}) => ask(url, { accept, limits }), post: ask }
}
