/** A request as an adapter hands it in. Nothing in it is believed but what the adapter itself established. */
export interface Message {
  /** The method, in upper case. */
  readonly method: string
  /** The method as it was sent, of a request that is answered as another would be: `HEAD`, where `method` is `GET` (RFC 9110 §9.3.2). The provider sets it itself. */
  readonly sentMethod?: string | undefined
  /** The path as it was sent, from the issuer's origin on; percent-encoding untouched. */
  readonly path: string
  /** The text after the `?`, without it; empty when there is none. */
  readonly query: string
  /** Header values by lower-case name; repeated headers joined with `, ` (cookies with `; `). */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body as text; empty when there is none. */
  readonly body: string
  /** The client's address, as far as the adapter trusts it. */
  readonly address?: string | undefined
  /** The client's certificate in mutual TLS; undefined where it showed none, or the adapter reads none. */
  readonly peerCertificate?: PeerCertificate | undefined
}

/**
 * The certificate of a caller, of the connection itself or from a header of a proxy that the adapter trusts (RFC 8705 §2, RFC 9440 §2.2). Its
 * holder has proven possession of its key; who that is, is judged by rules.
 */
export interface PeerCertificate {
  /** The certificate, DER-encoded (RFC 5280 §4.1). */
  readonly der: Uint8Array
  /** True if its chain was verified up to a configured authority, as `tls_client_auth` needs (RFC 8705 §2.1). */
  readonly verified: boolean
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
