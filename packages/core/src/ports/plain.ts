import type { Awaitable } from "./awaitable.ts"
import type {
  AuditEvent,
  Client,
  JsonObject,
  KeyEncryptionAlgorithm,
  Page,
  PageContext,
  PagePolicy,
  Person,
  Secret,
  SigningAlgorithm,
  Trail,
  UpstreamIdentity,
  Verification,
} from "../model/index.ts"

/** The store of registered clients. A throw or rejection is answered `temporarily_unavailable`. */
export interface ClientStorePort {
  /** Finds the client with an id; undefined if there is none. */
  readonly find: (clientId: string) => Awaitable<Client | undefined>
  /**
   * Verifies a client secret. Returns false for an unknown client or one without a secret, after as long as for a wrong secret. It is also
   * called for ids that no client can have, if a secret is refused before it is compared (RFC 6749 §10.10). The address is the one the
   * request came from, as the adapter trusts it: if secrets queue to be hashed, addresses take turns.
   */
  readonly verifySecret: (clientId: string, secret: Secret, address?: string) => Awaitable<boolean>
  /** Returns the secret of a client that signs with it (`client_secret_jwt`); undefined if the secret is not stored in recoverable form. */
  readonly secretOf: (clientId: string) => Awaitable<Secret | undefined>
  /** Reports whether any client may send unsigned request objects. Discovery lists `none` only if one may. If omitted, none may. */
  readonly unsignedRequestObjects?: () => Awaitable<boolean>
}

/** A JWT to be signed. The signer sets `kid` and `alg`. */
export interface Unsigned {
  /** The algorithm to sign with. */
  readonly alg: SigningAlgorithm
  /** The `typ` header: `JWT` for ID tokens, `at+jwt` for access tokens (RFC 9068 §2.1). */
  readonly typ: string
  /** The claims. */
  readonly claims: JsonObject
}

/** A public key as published in a JWK set (RFC 7517 §5), always with `kid`, `alg` and `use`. */
export type PublicJwk = JsonObject & {
  /** Its key id. */
  readonly kid: string
  /** The algorithm it is for. */
  readonly alg: string
  /** Its use: signatures or encryption. */
  readonly use: "sig" | "enc"
}

/** Signs the provider's tokens and verifies its own signatures. */
export interface SignerPort {
  /** Signs a JWT with the active key of its algorithm. */
  readonly sign: (unsigned: Unsigned) => Awaitable<string>
  /**
   * Returns the claims of a JWT with this `typ` that one of the provider's own keys signed; undefined for any other. The expiry is not
   * checked here.
   */
  readonly verify: (jwt: string, typ: string) => Awaitable<JsonObject | undefined>
  /** Returns the plaintext of a JWE that was encrypted to one of the provider's own keys; undefined for any other. */
  readonly decrypt: (jwe: string) => Awaitable<string | undefined>
  /**
   * Returns every published key, including those for encryption. Returning the identical list means that nothing changed, so that it is not
   * serialized again.
   */
  readonly keys: () => Awaitable<ReadonlyArray<PublicJwk>>
  /** Returns the algorithms for which `sign` has an active key. Returning the identical list means that nothing changed. */
  readonly algorithms: () => Awaitable<ReadonlyArray<SigningAlgorithm>>
  /**
   * Returns the algorithms for which `decrypt` has a key; empty if there is none. Returning the identical list means that nothing changed.
   */
  readonly encryptionAlgorithms: () => Awaitable<ReadonlyArray<KeyEncryptionAlgorithm>>
}

/** The credentials that a person typed, and the address of the request. */
export interface Credentials {
  /** The username, as typed. */
  readonly username: string
  /** The password, as typed. */
  readonly password: Secret
  /** The tenant that the request names. */
  readonly tenant?: string | undefined
  /**
   * Requested authentication context class references, in order of preference (OpenID Connect Core §3.1.2.1 acr_values). The one that was
   * satisfied is the `acr` of the verification.
   */
  readonly acrValues: ReadonlyArray<string>
  /** The address the request came from, as the adapter trusts it; for throttling. */
  readonly address?: string | undefined
  /** The sender: `person` is our own sign-in page, the default; `client` is a client that sends the person's password (RFC 6749 §4.3). */
  readonly sentBy?: "person" | "client" | undefined
}

/** Authenticates the people who may sign in. */
export interface AuthenticatorPort {
  /** Checks credentials. It takes as long for an unknown username as for a wrong password. */
  readonly verify: (credentials: Credentials) => Awaitable<Verification>
  /** Finds a person by their subject. */
  readonly find: (subject: string) => Awaitable<Person | undefined>
  /**
   * Finds the person that another provider asserts, only by the issuer and the subject there. The person is created at the first sign-in.
   * Returns `Rejected` if this person, or every person from that provider, may not sign in.
   */
  readonly admit: (identity: UpstreamIdentity, tenant: string | undefined) => Awaitable<Verification>
  /**
   * Finds the person that a client's `login_hint` identifies (CIBA Core §7.1): by username, e-mail address, telephone number, or another
   * identifier that clients know. If omitted, the hint is used as a subject.
   */
  readonly identify?: (hint: string) => Awaitable<Person | undefined>
}

/**
 * A rendered page: an HTML document, a UTF-8 stream of one, or a `Response` with one, whose status and headers are merged with the
 * provider's. A stream is read to its end before the first byte is sent, so that a page is shown whole or not at all.
 */
export type DrawnPage = string | AsyncIterable<string | Uint8Array> | ReadableStream<string | Uint8Array> | Response

/** Renders a page as an HTML document. All inserted values must be escaped. */
export interface PagesPort {
  /**
   * Renders a page as a whole HTML document of at most 1 MiB, synchronously or asynchronously. A page that fails or takes longer than
   * `timeout` is reported. Authorization responses by form, and errors, are then answered with a plain page of the provider's own, and
   * every other page with the error `temporarily_unavailable` (503).
   */
  readonly render: (page: Page, context: PageContext) => Awaitable<DrawnPage>
  /** The time limit for rendering a whole page, in milliseconds; 10,000 by default. */
  readonly timeout?: number | undefined
  /**
   * Sources that the Content-Security-Policy allows in addition to those of every page. The key is the page's `_tag` (`Login`, `Consent`),
   * the name of a feature's page, or `every` for all pages.
   */
  readonly policies?: Readonly<Record<string, PagePolicy>> | undefined
  /** Reports whether the port can render the feature page of a name. If omitted, it is assumed to render all of them. */
  readonly draws?: (name: string) => boolean
  /** Tags of the languages of the pages (RFC 5646), which discovery publishes. Omitted from discovery by default. */
  readonly languages?: ReadonlyArray<string> | undefined
}

/** A cryptographically secure source of randomness. */
export interface EntropyPort {
  /** Returns `count` random bytes. */
  readonly bytes: (count: number) => Uint8Array
}

/**
 * Computes SHA-2 digests of a string's UTF-8 bytes, encoded as base64url without padding. Returning bytes would cost as much as the digest
 * itself.
 */
export interface DigestPort {
  /** Computes the SHA-256 digest of a string, or of the bytes of a certificate (RFC 8705 §3.1). */
  readonly sha256: (content: string | Uint8Array) => Awaitable<string>
  /** Computes the SHA-512 digest. */
  readonly sha512: (text: string) => Awaitable<string>
}

/** Receives audit events once they are durable. It must not block; errors that it throws are dropped. */
export interface AuditPort {
  /** Records the events of one request; the function builds them when it is called. */
  readonly record: (events: () => ReadonlyArray<AuditEvent>) => void
}

/** Receives the trail of every request after the response was sent. It must not block; errors that it throws are dropped. */
export interface TrailPort {
  /**
   * Records the trail of one request, which the function builds when it is called. `refused` is true if a rule refused the request or
   * something failed.
   */
  readonly record: (trail: () => Trail, refused: boolean) => void
}
