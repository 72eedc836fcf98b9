/** A page as an embedder has drawn it, read to its end. */
export interface ReadPage {
  /** The document. */
  readonly text: string
  /** The status that a `Response` asks for; undefined for 200, and where there is no `Response`. */
  readonly status: number | undefined
  /** The headers of a `Response` that a page may bring, by lower-case name. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
}

/** The longest document, in UTF-16 code units: 1 MiB of Latin text. */
export const longestPage = 1_048_576

/**
 * Headers that a page may bring. The others say something for the whole provider: its cookies, its caches, its framing, where a browser goes next and how the
 * bytes are written.
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

/** The most chunks that a page is streamed in. */
const mostChunks = 100_000

type OnTimeout = (stop: () => void) => void

/** Reads a page, which is a text, a stream of one, or a `Response` of any runtime. Throws, or rejects, for what is none of these, and for what is too long. */
export function readPage(drawn: string): ReadPage
export function readPage(drawn: unknown, onTimeout: OnTimeout): Promise<ReadPage>
export function readPage(drawn: unknown, onTimeout: OnTimeout = ignored): ReadPage | Promise<ReadPage> {
  // Libraries mark a text as escaped by an object of it.
  if (typeof drawn === "string" || drawn instanceof String) return { text: short(drawn.toString()), status: undefined, headers: [] }
  if (isResponse(drawn)) return readResponse(drawn, onTimeout)
  if (isStream(drawn)) return textOf(drawn, onTimeout).then((text) => ({ text, status: undefined, headers: [] }))
  throw new TypeError(
    `render answered ${drawn === null ? "null" : `a value of type ${typeof drawn}`}: a page is a text, a stream or a Response`,
  )
}

const ignored = (): void => undefined

const short = (text: string): string => {
  if (text.length > longestPage) throw new RangeError(`the page is longer than ${longestPage} characters`)
  return text
}

/** A `Response` may be of a class of its runtime's, or of a library's own. */
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
  return { text: body === null ? "" : await textOf(body, onTimeout), status: status === 200 ? undefined : status, headers: brought }
}

/** Statuses with a document: of success or of failure, and with a body (RFC 9110 §15). */
const isPageStatus = (status: number): boolean =>
  Number.isInteger(status) && ((status >= 200 && status < 300 && status !== 204 && status !== 205) || (status >= 400 && status < 600))

/** A stream as both kinds have it. */
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

/** Stops a stream; nobody waits for that, and nothing is left to say when it fails. */
const stopped = ({ stop }: Chunks): void => void (async () => stop())().catch(ignored)

const textOf = async (stream: Stream, onTimeout: OnTimeout): Promise<string> => {
  const chunks = chunksOf(stream)
  onTimeout(() => stopped(chunks))
  const decoder = new TextDecoder()
  let text = ""
  try {
    // A stream that never waits would let no clock end it.
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

/** The status of an answer with a page: an error stays one, whatever the page says. */
export const pageStatus = (ours: number, theirs: number | undefined): number =>
  theirs === undefined || (ours >= 400 && theirs < 400) ? ours : theirs

/**
 * Adds the headers that a page brings to ours. Two Content-Security-Policies both hold (CSP Level 3 §8.1), so that a page can forbid more, and allow nothing; they are
 * written as one list (§2.2.2).
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
