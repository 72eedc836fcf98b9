/** A request as an adapter hands it in. Nothing in it is believed but what the adapter itself established. */
export interface Message {
  /** The method, in upper case. */
  readonly method: string
  /** The path as it was sent, from the issuer's origin on; percent-encoding untouched. */
  readonly path: string
  /** What follows the `?`, without it; empty when there is none. */
  readonly query: string
  /** Header values by lower-case name; repeated headers joined with `, ` (cookies with `; `). */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body as text; empty when there is none. */
  readonly body: string
  /** The client's address, as far as the adapter trusts it. */
  readonly address?: string | undefined
}

/** An answer as an adapter sends it: status, headers in order (a name may repeat), body. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number
  /** The header fields, in order. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** The body as text. */
  readonly body: string
}

/** The header that carries the request id on every answer; the key of the trail. */
export const requestIdHeader = "x-request-id"
