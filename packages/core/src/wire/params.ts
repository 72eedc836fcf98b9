/** Parameters of a query or a form, as rules read them. An empty value counts as absent (RFC 6749 §3.1). */
export interface Params {
  /** Every pair with a value, in the order sent. */
  readonly pairs: ReadonlyArray<readonly [string, string]>
  /** The first value of a name. */
  readonly one: (name: string) => string | undefined
  /** Every value of a name. */
  readonly all: (name: string) => ReadonlyArray<string>
  /** Names sent more than once, empty values counted too. */
  readonly repeated: ReadonlyArray<string>
}

const from = (sent: ReadonlyArray<readonly [string, string]>): Params => {
  const first = new Map<string, string>()
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const [name, value] of sent) {
    if (seen.has(name)) repeated.add(name)
    seen.add(name)
    if (value !== "" && !first.has(name)) first.set(name, value)
  }
  const pairs = sent.filter(([, value]) => value !== "")
  return {
    pairs,
    one: (name) => first.get(name),
    all: (name) => pairs.flatMap(([each, value]) => (each === name ? [value] : [])),
    repeated: [...repeated],
  }
}

/** Reads `application/x-www-form-urlencoded` text, which a query is too (WHATWG URL §5.1). Total: any text reads as something. */
export const readParams = (text: string): Params => from(readPairs(text))

/** Every pair of such text, empty values too. A `?` at its start is part of the first name. */
export const readPairs = (text: string): ReadonlyArray<readonly [string, string]> =>
  text === "" ? [] : [...new URLSearchParams(`&${text}`)]

/** Parameters from pairs kept earlier. */
export const paramsOf = (pairs: ReadonlyArray<readonly [string, string]>): Params => from(pairs)

/** Writes pairs as `application/x-www-form-urlencoded`. */
export const writeParams = (pairs: ReadonlyArray<readonly [string, string]>): string =>
  new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()

/** Whether a Content-Type header names the form encoding, whatever its parameters. */
export const isForm = (contentType: string | undefined): boolean =>
  contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded"
