/** The parameters of a query or a form, as rules read them. An empty value counts as absent (RFC 6749 §3.1). */
export interface Params {
  /** Every pair with a value, in the order sent. */
  readonly pairs: ReadonlyArray<readonly [string, string]>
  /** The first value of a name. */
  readonly one: (name: string) => string | undefined
  /** Every value of a name. */
  readonly all: (name: string) => ReadonlyArray<string>
  /** Names that were sent more than once, including empty values. */
  readonly repeated: ReadonlyArray<string>
}

/** The pairs as sent, one after the other. */
type Sent = (take: (name: string, value: string) => void) => void

const from = (sent: Sent): Params => {
  const pairs: Array<readonly [string, string]> = []
  // A set, because looking up a thousand repeated names in a list would take a million steps.
  let repeated: Set<string> | undefined
  // The first non-empty value; empty for a name that was only sent without a value.
  const first = new Map<string, string>()
  sent((name, value) => {
    const before = first.get(name)
    if (before !== undefined) (repeated ??= new Set()).add(name)
    if (before === undefined || before === "") first.set(name, value)
    if (value !== "") pairs.push([name, value])
  })
  const one = (name: string): string | undefined => first.get(name) || undefined
  return {
    pairs,
    one,
    all: (name) => (one(name) === undefined ? [] : pairs.flatMap(([each, value]) => (each === name ? [value] : []))),
    repeated: repeated === undefined ? [] : [...repeated],
  }
}

/** The maximum number of parameters of a query or a form. One more is read, and the rest never is: a rule refuses the request. */
export const mostParameters = 200

/** Reports whether a substring occurs more than `most` times. It stops at the first excess occurrence. */
export const occursMore = (text: string, mark: string, most: number): boolean => {
  if (text.length <= most) return false
  for (let count = 0, at = -1; count <= most; count++) {
    at = text.indexOf(mark, at + 1)
    if (at < 0) return false
  }
  return true
}

/** The maximum number of plus signs that are left to the platform's parser, which is slow for each. */
const fewPluses = 100

/** Replaces plus signs by the spaces that they represent. */
const spaced = (text: string): string => {
  if (!occursMore(text, "+", fewPluses)) return text
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0x2b) bytes[at] = 0x20
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
}

/** Returns the part of a query or form that is parsed. */
const readable = (text: string): string => {
  if (!occursMore(text, "&", mostParameters)) return spaced(text)
  let end = -1
  for (let count = 0; count <= mostParameters; count++) end = text.indexOf("&", end + 1)
  return spaced(text.slice(0, end))
}

/** Parses `application/x-www-form-urlencoded` text, which includes queries (WHATWG URL §5.1). It never throws. */
export const readParams = (text: string): Params =>
  text === "" ? none : from((take) => new URLSearchParams(`&${readable(text)}`).forEach((value, name) => take(name, value)))

const none = from(() => undefined)

/** Returns every pair of such text, including empty values. A `?` at its start is part of the first name. */
export const readPairs = (text: string): ReadonlyArray<readonly [string, string]> =>
  text === "" ? [] : [...new URLSearchParams(`&${readable(text)}`)]

/** Builds parameters from stored pairs. */
export const paramsOf = (pairs: ReadonlyArray<readonly [string, string]>): Params =>
  from((take) => {
    for (const [name, value] of pairs) take(name, value)
  })

/** Serializes pairs as `application/x-www-form-urlencoded`. */
export const writeParams = (pairs: ReadonlyArray<readonly [string, string]>): string =>
  new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()

/** Reports whether a Content-Type header is the form encoding, with any parameters. */
export const isForm = (contentType: string | undefined): boolean =>
  contentType === form || contentType?.split(";", 1)[0]?.trim().toLowerCase() === form

const form = "application/x-www-form-urlencoded"

/** Appends parameters to a URI, in its query or in its fragment. */
export const withParams = (uri: string, mark: "?" | "#", params: ReadonlyArray<readonly [string, string]>): string => {
  const separator = mark === "?" && uri.includes("?") ? (/[?&]$/.test(uri) ? "" : "&") : mark
  return uri + separator + writeParams(params)
}
