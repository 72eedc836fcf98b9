/** A request, as an adapter passes it. Nothing in it is trusted except data that the adapter itself has established. */
export interface Message {
  /** The method, in upper case. */
  readonly method: string
  /**
   * The original method of a request that is handled as another one: `HEAD`, if `method` is `GET` (RFC 9110 §9.3.2). The provider sets it
   * itself.
   */
  readonly sentMethod?: string | undefined
  /** The path as sent, from the issuer's origin on, with its percent-encoding preserved. */
  readonly path: string
  /** The text after the `?`; empty if there is none. */
  readonly query: string
  /** Header values by lower-case name; repeated headers are joined with `, ` (cookies with `; `). */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body as text; empty if there is none. */
  readonly body: string
  /** The client's address, as far as the adapter trusts it. */
  readonly address?: string | undefined
  /** The client's certificate in mutual TLS; undefined if it presented none, or the adapter reads none. */
  readonly peerCertificate?: PeerCertificate | undefined
}

/**
 * The certificate of a caller, from the connection itself or from the header of a proxy that the adapter trusts (RFC 8705 §2, RFC 9440
 * §2.2). Possession of its key has been proved; rules determine whose it is.
 */
export interface PeerCertificate {
  /** The certificate, DER-encoded (RFC 5280 §4.1). */
  readonly der: Uint8Array
  /** True if its chain was verified up to a configured authority, as `tls_client_auth` requires (RFC 8705 §2.1). */
  readonly verified: boolean
}

/** An answer, as an adapter sends it: status, headers in order (a name may be repeated), body. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number
  /** The header fields, in order. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** The body as text. */
  readonly body: string
}

/** The header with the request id in every answer, which identifies the trail. */
export const requestIdHeader = "x-request-id"
