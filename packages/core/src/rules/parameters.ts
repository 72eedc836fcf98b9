import { mostParameters, occursMore, readPairs } from "../wire/index.ts"
import { type PageRefusal, invalidPage } from "./page.ts"
import { pass, table } from "./rule.ts"

type Pairs = ReadonlyArray<readonly [string, string]>

/** The query and the body of a request, as sent. */
export interface Carried {
  readonly query: string
  readonly body: string
}

/** The maximum number of values of one parameter: of `resource` (RFC 8707 §2), or of `audience` (RFC 8693 §2.1). */
const mostValues = 50

/** The maximum number of words of a list parameter. */
const mostWords = 200

/** The parameters whose values are lists of words. */
const lists: ReadonlySet<string> = new Set(["scope", "prompt", "acr_values", "ui_locales", "claims_locales", "response_type"])

const texts = ({ query, body }: Carried): ReadonlyArray<string> => [query, body]

const tooMany = (reason: string): PageRefusal => invalidPage("request_invalid", "The request has too many parameters or values.", reason)

/** Reports whether a parameter has too many values. */
const hasManyValues = (pairs: Pairs): boolean => {
  const counts = new Map<string, number>()
  for (const [name] of pairs) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts.values()].some((count) => count > mostValues)
}

/** Reports whether a list has too many words, counted by spaces. */
const hasManyWords = (pairs: Pairs): boolean => pairs.some(([name, value]) => lists.has(name) && occursMore(value, " ", mostWords - 1))

/** Reports whether a text can contain that many spaces, so that most requests need not be parsed to find out. */
const mayHaveManyWords = (text: string): boolean =>
  text.length >= 2 * mostWords - 1 && ["+", "%20", " "].some((space) => occursMore(text, space, mostWords / 3 - 1))

/**
 * Limits the number of parameters and of their values, at every endpoint and before anything else is parsed. This bounds the work that
 * anybody can cause with one request (RFC 9110 §17.5).
 */
export const parameterLimits = table<Carried, PageRefusal>("parameters")
  .rule("parameters.number", "RFC 9110 §17.5", (q) =>
    texts(q).some((text) => occursMore(text, "&", mostParameters - 1)) ? tooMany(`more than ${mostParameters} parameters`) : pass,
  )
  .rule("parameters.values", "RFC 9110 §17.5, RFC 8707 §2", (q) =>
    texts(q).some((text) => occursMore(text, "&", mostValues - 1) && hasManyValues(readPairs(text)))
      ? tooMany(`more than ${mostValues} values of one parameter`)
      : pass,
  )
  .rule("parameters.words", "RFC 9110 §17.5, RFC 6749 §3.3", (q) =>
    texts(q).some((text) => mayHaveManyWords(text) && hasManyWords(readPairs(text)))
      ? tooMany(`more than ${mostWords} words in a scope or another list of words`)
      : pass,
  )

/**
 * Returns the reason why pairs from another source than a query or a form are too many: the members of a request object, or of client
 * metadata.
 */
export const pairsFault = (pairs: Pairs): string | undefined => {
  if (pairs.length > mostParameters) return `more than ${mostParameters} parameters`
  if (hasManyValues(pairs)) return `more than ${mostValues} values of one parameter`
  return hasManyWords(pairs) ? `more than ${mostWords} words in a scope or another list of words` : undefined
}
