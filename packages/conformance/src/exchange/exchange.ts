import type { Certificate } from "./certificate.ts"

/** A request that a step sends. */
export interface Sent {
  /** The HTTP method. */
  readonly method: string
  /** The absolute URL. */
  readonly url: string
  /** Header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The body; none by default. */
  readonly body?: string | undefined
  /** The client certificate of the connection; none by default. */
  readonly certificate?: Certificate | undefined
}

/** The response to a request, with the request. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  /** The body. A target may refuse one that exceeds its limit. */
  readonly body: string
  readonly sent: Sent
}

/** Parameters of a request in order. A name may occur several times. */
export type Pairs = ReadonlyArray<readonly [name: string, value: string]>

/** Parameters by name. Undefined removes a parameter. */
export type Changes = Readonly<Record<string, string | undefined>>

/** The pairs of the parameters that have a value. */
export const pairsOf = (changes: Changes): Pairs =>
  Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))

/** Encodes parameters as a query or a form (application/x-www-form-urlencoded). */
export const encoded = (pairs: Pairs): string => new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()

/** The object in a JSON response; undefined if it has none. */
export const json = ({ body }: Received): Readonly<Record<string, unknown>> | undefined => objectOf(body)

/** Parses JSON that holds an object; undefined for anything else. */
export const objectOf = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** The media type of a response, without parameters and in lower case. */
export const mediaType = ({ headers }: Received): string => (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

/** Returns the value if it is a string, else an empty string. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
