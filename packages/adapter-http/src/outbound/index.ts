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
import { type MemberKinds, memberFaults, refuseFaults } from "@postern/core/options"
import { isLoopbackAddress, isPublicAddress, pinned } from "./address.ts"
import { type Breaker, breaker } from "./breaker.ts"
import { pieces } from "../pieces.ts"
import { addressesByName } from "./names.ts"

/** Options for outbound requests to other parties. */
export interface OutboundOptions {
  /** Allows loopback URLs, also over http, for development. */
  readonly loopback?: boolean
  /** CA certificates to trust in place of the system's, in PEM. */
  readonly ca?: string
  /**
   * Resolves all host names. By default the system's resolver is used, and name servers directly for URLs that anybody could have chosen.
   */
  readonly resolve?: (hostname: string) => Promise<ReadonlyArray<string>>
  /** The name servers for URLs that anybody could have chosen, each an address with an optional port. Default: the system's. */
  readonly nameServers?: ReadonlyArray<string>
  /** The total time in milliseconds, from name resolution to the last byte. Default: 5000. */
  readonly timeout?: number
  /** The circuit breaker for hosts that fail repeatedly. Default: a new one. */
  readonly breaker?: Breaker
  /**
   * The circuit breaker for URLs that anybody could have chosen (`ofStranger`): client documents, logos, and all client-supplied URLs that
   * no operator registered. It is separate so that their failures do not block the keys or the logout endpoint of another client on the
   * same host. Default: a new one.
   */
  readonly strangers?: Breaker
}

const kinds: MemberKinds<OutboundOptions> = {
  loopback: "boolean?",
  ca: "text?",
  resolve: "function?",
  nameServers: "texts?",
  timeout: "number?",
  breaker: "object?",
  strangers: "object?",
}

/** The maximum size of a document, in bytes (RFC 9101 §10.4.1). */
const longest = 65_536

/** The reason for which a document was not fetched. */
class Refused extends Error {}

const resolveBySystem = async (hostname: string): Promise<ReadonlyArray<string>> =>
  (await systemLookup(hostname, { all: true, verbatim: true })).map(({ address }) => address)

const isOfStranger = (sent: Sent): boolean => ("accept" in sent ? sent.limits : sent).ofStranger === true

/**
 * Selects the resolver for a request. Host names chosen by strangers are kept out of the system's resolver, which runs two lookups at a
 * time for the whole process, and a lookup with unresponsive name servers takes ten seconds or more. In development it is used anyway,
 * because only it knows local names.
 */
const resolverOf = (sent: Sent, { loopback = false, resolve, nameServers }: OutboundOptions, signal: AbortSignal) =>
  resolve ?? (isOfStranger(sent) && !loopback ? addressesByName(signal, nameServers) : resolveBySystem)

/** Resolves a URL's host. Throws unless every address is allowed. */
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

/** An outbound request: a GET that accepts a media type, or a POST. */
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
      // A new connection without keep-alive, so that neither a pooled socket nor a proxy from the environment is used.
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
  const body = pieces()
  for await (const piece of response as AsyncIterable<Buffer>) {
    if (body.length() + piece.length > most) throw new Refused(`longer than ${most} bytes`)
    body.add(piece)
  }
  return body.whole().toString(isBinary ? "base64" : "utf8")
}

/** Returns the header fields that determine a document's freshness; undefined if there are none. */
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
    // The message has been delivered, and its result is in the status, so the body is not read.
    if (!("accept" in sent)) return answered(response, "")
    if (status >= 300 && status < 400) throw new Refused(`answered with status ${status}; redirects are not followed`)
    // A compressed body could expand beyond the available memory, and no compression was requested.
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

/** The result of a fetch, and whether the host was unreachable or timed out. */
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
    // The race is needed because the system's resolver cannot be aborted.
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
 * Fetches documents that clients publish and sends messages to them, over Node. Requests use https to public addresses only, and each
 * address is checked before it is connected to. No redirects are followed, and no credentials or proxies are used. At most 64 KiB are read
 * within 5 seconds. If a host fails repeatedly, requests to it reject with `OutwardRefused` for a while.
 */
export const nodeOutbound = (options: OutboundOptions = {}): OutboundPort => {
  refuseFaults("nodeOutbound", memberFaults(options, kinds))
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
