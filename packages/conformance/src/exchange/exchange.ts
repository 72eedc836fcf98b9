import type { Certificate } from "./certificate.ts"

/** A request that a step sends. */
export interface Sent {
  /** The method of HTTP. */
  readonly method: string
  /** The address, absolute. */
  readonly url: string
  /** Header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The body; none when not given. */
  readonly body?: string | undefined
  /** The certificate that the connection shows; none when not given. */
  readonly certificate?: Certificate | undefined
}

/** The answer to a request, with the request that it answers. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  /** The body, as far as the limit of the target lets it be read. */
  readonly body: string
  readonly sent: Sent
}

/** Parameters of a request in their order; a name may stand in several pairs. */
export type Pairs = ReadonlyArray<readonly [name: string, value: string]>

/** Parameters by name; one that is undefined is left out. */
export type Changes = Readonly<Record<string, string | undefined>>

/** Pairs of the parameters that have a value. */
export const pairsOf = (changes: Changes): Pairs =>
  Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))

/** Parameters in the form of a query or a form (application/x-www-form-urlencoded). */
export const encoded = (pairs: Pairs): string => new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()

/** The object that a JSON answer holds; undefined where it holds none. */
export const json = ({ body }: Received): Readonly<Record<string, unknown>> | undefined => objectOf(body)

/** The object that a text of JSON holds; undefined where it holds none. */
export const objectOf = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** The media type of an answer without its parameters, in lower case. */
export const mediaType = ({ headers }: Received): string => (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

/** A value that should be a text: the empty one where it is none. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
