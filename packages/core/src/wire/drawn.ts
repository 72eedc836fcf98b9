/** A page that an embedder has rendered, read completely. */
export interface ReadPage {
  /** The document. */
  readonly text: string
  /** The status of a `Response`; undefined for 200, and if there is no `Response`. */
  readonly status: number | undefined
  /** The allowed headers of a `Response`, by lower-case name. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
}

/** The maximum length of a document, in UTF-16 code units: 1 MiB of Latin text. */
export const longestPage = 1_048_576

/**
 * Headers that a page may set. The others concern the whole provider: its cookies, its caches, its framing, redirects, and the encoding of
 * the body.
 */
const carried: ReadonlySet<string> = new Set([
  "accept-ch",
  "content-language",
  "content-security-policy",
  "content-security-policy-report-only",
  "cross-origin-embedder-policy",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "document-policy",
  "link",
  "origin-agent-cluster",
  "permissions-policy",
  "report-to",
  "reporting-endpoints",
  "server-timing",
  "vary",
  "x-robots-tag",
])

/** The maximum number of chunks of a streamed page. */
const mostChunks = 100_000

type OnTimeout = (stop: () => void) => void

/**
 * Reads a page, which is a string, a stream, or a `Response` of any runtime. Throws or rejects for anything else, and if it is too long.
 */
export function readPage(drawn: string): ReadPage
export function readPage(drawn: unknown, onTimeout: OnTimeout): Promise<ReadPage>
export function readPage(drawn: unknown, onTimeout: OnTimeout = ignored): ReadPage | Promise<ReadPage> {
  // Libraries wrap a string in an object to mark it as escaped.
  if (typeof drawn === "string" || drawn instanceof String)
    return { text: document(short(drawn.toString())), status: undefined, headers: [] }
  if (isResponse(drawn)) return readResponse(drawn, onTimeout)
  if (isStream(drawn)) return textOf(drawn, onTimeout).then((text) => ({ text: document(text), status: undefined, headers: [] }))
  throw new TypeError(
    `render answered ${drawn === null ? "null" : `a value of type ${typeof drawn}`}: a page is a text, a stream or a Response`,
  )
}

const ignored = (): void => undefined

const short = (text: string): string => {
  if (text.length > longestPage) throw new RangeError(`the page is longer than ${longestPage} characters`)
  return text
}

/** Refuses an empty document: the person would see a blank page, and nobody would learn of it. */
const document = (text: string): string => {
  if (!/\S/.test(text)) throw new TypeError("render answered an empty page: a page is a whole document")
  return text
}

/** A `Response` may be an instance of the runtime's class, or of a library's own. */
const isResponse = (value: unknown): value is Response =>
  typeof value === "object" && value !== null && "status" in value && "headers" in value && "body" in value

type Stream = AsyncIterable<unknown> | ReadableStream<unknown>

const isStream = (value: unknown): value is Stream =>
  typeof value === "object" && value !== null && ("getReader" in value || Symbol.asyncIterator in value)

const readResponse = async ({ status, headers, body }: Response, onTimeout: OnTimeout): Promise<ReadPage> => {
  if (!isPageStatus(status)) {
    await body?.cancel().catch(ignored)
    throw new RangeError(`a page cannot be answered with status ${status}: to send the browser elsewhere, set interactions`)
  }
  const brought: Array<readonly [string, string]> = []
  headers.forEach((value, name) => {
    if (carried.has(name.toLowerCase()) && !/[\0\r\n]/.test(value)) brought.push([name.toLowerCase(), value])
  })
  return {
    text: document(body === null ? "" : await textOf(body, onTimeout)),
    status: status === 200 ? undefined : status,
    headers: brought,
  }
}

/** Reports whether a status may have a page: success or failure, with a body (RFC 9110 §15). */
const isPageStatus = (status: number): boolean =>
  Number.isInteger(status) && ((status >= 200 && status < 300 && status !== 204 && status !== 205) || (status >= 400 && status < 600))

/** The common interface of both kinds of streams. */
interface Chunks {
  readonly next: () => Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>
  readonly stop: () => unknown
}

const chunksOf = (stream: Stream): Chunks => {
  if ("getReader" in stream) {
    const reader = stream.getReader()
    return { next: async () => reader.read(), stop: () => reader.cancel() }
  }
  const iterator = stream[Symbol.asyncIterator]()
  return { next: async () => iterator.next(), stop: () => iterator.return?.() }
}

/** Stops a stream without waiting for it; a failure is ignored. */
const stopped = ({ stop }: Chunks): void => void (async () => stop())().catch(ignored)

const textOf = async (stream: Stream, onTimeout: OnTimeout): Promise<string> => {
  const chunks = chunksOf(stream)
  onTimeout(() => stopped(chunks))
  const decoder = new TextDecoder()
  let text = ""
  try {
    // A stream that is always ready would never let a timer fire.
    for (let count = 0; count < mostChunks; count++) {
      const { done, value } = await chunks.next()
      if (done === true) return short(text + decoder.decode())
      text = short(text + decoded(value, decoder))
    }
    throw new RangeError(`the stream of a page has more than ${mostChunks} chunks`)
  } catch (cause) {
    stopped(chunks)
    throw cause
  }
}

const decoded = (chunk: unknown, decoder: TextDecoder): string => {
  if (typeof chunk === "string") return chunk
  if (chunk instanceof Uint8Array) return decoder.decode(chunk, { stream: true })
  throw new TypeError(`the stream of a page has a chunk of type ${typeof chunk}: a chunk is a text or bytes`)
}

/** Returns the status of an answer with a page. An error stays an error, whatever the page states. */
export const pageStatus = (ours: number, theirs: number | undefined): number =>
  theirs === undefined || (ours >= 400 && theirs < 400) ? ours : theirs

/**
 * Adds the headers of a page to the provider's. If there are two Content-Security-Policies, both apply (CSP Level 3 §8.1), so that a page
 * can only restrict further; they are sent as one list (§2.2.2).
 */
export const withPageHeaders = (
  ours: ReadonlyArray<readonly [string, string]>,
  brought: ReadPage["headers"],
): ReadonlyArray<readonly [string, string]> => {
  if (brought.length === 0) return ours
  const known = new Set(ours.map(([name]) => name))
  const joined = ours.map(
    ([name, value]) => [name, [value, ...brought.flatMap((each) => (each[0] === name ? [each[1]] : []))].join(", ")] as const,
  )
  return [...joined, ...brought.filter(([name]) => !known.has(name))]
}
