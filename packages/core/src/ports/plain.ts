import type { Awaitable } from "./awaitable.ts"
import type {
  AccessToken,
  Attempts,
  AuditEvent,
  AuthorizationCode,
  Client,
  CommitResult,
  Command,
  Consent,
  Device,
  Grant,
  Instant,
  Interaction,
  JsonObject,
  KeyEncryptionAlgorithm,
  Locator,
  Page,
  PageContext,
  PagePolicy,
  Person,
  RefreshToken,
  Secret,
  Session,
  SigningAlgorithm,
  RowKind,
  Trail,
  UpstreamIdentity,
  Verification,
} from "../model/index.ts"

/** The store of registered clients. A throw or rejection is answered `temporarily_unavailable`. */
export interface ClientStorePort {
  /** The client of an id; undefined when there is none. */
  readonly find: (clientId: string) => Awaitable<Client | undefined>
  /**
   * Judges whether a secret is this client's. False for an unknown client or one without a secret, after as long as for a wrong secret: it is
   * asked for ids that no client can have, too, where a secret is refused before it is compared (RFC 6749 §10.10). The
   * address is the one the request came from, as the adapter trusts it: where secrets wait to be hashed, each address gets its turn.
   */
  readonly verifySecret: (clientId: string, secret: Secret, address?: string) => Awaitable<boolean>
  /** The secret itself, of a client that signs with it (`client_secret_jwt`); undefined where it is not kept. */
  readonly secretOf: (clientId: string) => Awaitable<Secret | undefined>
  /** Judges whether some client may send unsigned request objects: only then does discovery state `none`. Left out, none may. */
  readonly unsignedRequestObjects?: () => Awaitable<boolean>
}

/** A code with the grant it belongs to. */
export interface FoundCode {
  /** The code. */
  readonly code: AuthorizationCode
  /** Its grant. */
  readonly grant: Grant
}

/** A reference access token with its grant, where it has one. */
export interface FoundAccessToken {
  /** The token. */
  readonly token: AccessToken
  /** Its grant; undefined where it has none. */
  readonly grant?: Grant | undefined
}

/** A refresh token with the grant it belongs to. */
export interface FoundRefreshToken {
  /** The token. */
  readonly token: RefreshToken
  /** Its grant. */
  readonly grant: Grant
}

/** The values that find a row, or narrow a list. */
export type FoundBy = Readonly<Record<string, string | number | undefined>>

/** The store of grants, codes, tokens, sessions, interactions and consents. Reads may return expired and ended rows: rules judge them. */
export interface TokenStorePort {
  /** Reports whether it keeps the rows of a table; it is taken to keep every one when left out. */
  readonly keeps?: (table: string) => boolean
  /** Finds the row of a key, or of a secondary key: any row of any kind that the store was given. */
  readonly find: <Row>(kind: RowKind<Row>, key: FoundBy) => Awaitable<Row | undefined>
  /** Lists rows of a kind as one of its lists says, at most 100. */
  readonly list: <Row>(kind: RowKind<Row>, name: string, given: FoundBy) => Awaitable<ReadonlyArray<Row>>
  /** Finds a grant. */
  readonly findGrant: (id: Locator) => Awaitable<Grant | undefined>
  /**
   * Grants of a person that are not revoked, newest first, at most 100. Left out are those that an extension grant made without
   * `offline_access`: they come by the hundreds, and end with their access tokens.
   */
  readonly grantsOf: (subject: string) => Awaitable<ReadonlyArray<Grant>>
  /** Finds an authorization code with its grant. */
  readonly findCode: (locator: Locator) => Awaitable<FoundCode | undefined>
  /** Finds a reference access token with its grant. */
  readonly findAccessToken: (locator: Locator) => Awaitable<FoundAccessToken | undefined>
  /** Finds a refresh token with its grant. */
  readonly findRefreshToken: (locator: Locator) => Awaitable<FoundRefreshToken | undefined>
  /** Finds a session. */
  readonly findSession: (locator: Locator) => Awaitable<Session | undefined>
  /** Sessions of a person that have not ended, newest first, at most 100. */
  readonly sessionsOf: (subject: string) => Awaitable<ReadonlyArray<Session>>
  /** Finds a request that waits for a person. */
  readonly findInteraction: (locator: Locator) => Awaitable<Interaction | undefined>
  /** Finds a device authorization by its device code. */
  readonly findDevice: (locator: Locator) => Awaitable<Device | undefined>
  /** The device of a user code's digest. */
  readonly findDeviceByUserCode: (userCode: string) => Awaitable<Device | undefined>
  /** Finds the attempts counted under a key. */
  readonly findAttempts: (key: string) => Awaitable<Attempts | undefined>
  /**
   * As `findAttempts`, but answered from memory where that can be: it may miss a first attempt, and those that another process has counted in the last
   * quarter of a second. Left out by a store whose reads cost no more.
   */
  readonly recentAttempts?: (key: string, now: Instant) => Awaitable<Attempts | undefined>
  /** Finds the consent of a person to a client. */
  readonly findConsent: (subject: string, clientId: string) => Awaitable<Consent | undefined>
  /** Consents a person has given, newest first, at most 100. */
  readonly consentsOf: (subject: string) => Awaitable<ReadonlyArray<Consent>>
  /**
   * Runs every command or none. Answers only when the change is durable. What it throws or rejects with says that nothing was done, unless
   * it has a property `uncertain` that is true: then nobody knows, and the caller is not told otherwise.
   */
  readonly commit: (commands: ReadonlyArray<Command>) => Awaitable<CommitResult>
  /**
   * Waits until everything that reads have shown is durable; nothing is answered before. Left out by a store whose reads show only what is.
   * Fails where it did not become durable.
   */
  readonly durable?: () => Awaitable<void>
}

/** A JWT to be signed. `kid` and `alg` are the signer's to write. */
export interface Unsigned {
  /** The algorithm to sign with. */
  readonly alg: SigningAlgorithm
  /** The `typ` header: `JWT` for ID tokens, `at+jwt` for access tokens (RFC 9068 §2.1). */
  readonly typ: string
  /** The claims. */
  readonly claims: JsonObject
}

/** A public key as a JWK set shows it (RFC 7517 §5): `kid`, `alg` and `use` always present. */
export type PublicJwk = JsonObject & {
  /** Its key id. */
  readonly kid: string
  /** The algorithm it is for. */
  readonly alg: string
  /** Its use: signatures, or encryption. */
  readonly use: "sig" | "enc"
}

/** Signs what the provider states, and recognizes it again. */
export interface SignerPort {
  /** Signs a JWT with the active key of its algorithm. */
  readonly sign: (unsigned: Unsigned) => Awaitable<string>
  /** The claims of a JWT signed by one of our own keys with this `typ`; undefined for anything else. Expiry is not judged here. */
  readonly verify: (jwt: string, typ: string) => Awaitable<JsonObject | undefined>
  /** The text of a JWE encrypted to one of our own keys; undefined for anything else. */
  readonly decrypt: (jwe: string) => Awaitable<string | undefined>
  /** Every published key, those for encryption too. The same list again means that nothing changed: it is not serialized again. */
  readonly keys: () => Awaitable<ReadonlyArray<PublicJwk>>
  /** The algorithms that `sign` has an active key for. The same list again means that nothing changed. */
  readonly algorithms: () => Awaitable<ReadonlyArray<SigningAlgorithm>>
  /** The algorithms that `decrypt` has a key for; empty when there is none. The same list again means that nothing changed. */
  readonly encryptionAlgorithms: () => Awaitable<ReadonlyArray<KeyEncryptionAlgorithm>>
}

/** The credentials that a person typed, and the address they came from. */
export interface Credentials {
  /** The username as it was typed. */
  readonly username: string
  /** The password as it was typed. */
  readonly password: Secret
  /** The tenant the request names. */
  readonly tenant?: string | undefined
  /** Authentication contexts asked for, best first (OpenID Connect Core §3.1.2.1 acr_values); the one reached is the verification's `acr`. */
  readonly acrValues: ReadonlyArray<string>
  /** The address the request came from, as the adapter trusts it; for throttling. */
  readonly address?: string | undefined
  /** Our own sign-in page, when not given, or a client that sends the person's password (RFC 6749 §4.3). */
  readonly sentBy?: "person" | "client" | undefined
}

/** Knows the people who may sign in. */
export interface AuthenticatorPort {
  /** Checks credentials; takes as long for an unknown username as for a wrong password. */
  readonly verify: (credentials: Credentials) => Awaitable<Verification>
  /** Finds a person by their subject. */
  readonly find: (subject: string) => Awaitable<Person | undefined>
  /**
   * The person another provider vouches for, known by its issuer and their subject there and by nothing else; made known at the first
   * sign-in. `Rejected` where the person may not sign in, or where nobody from there may.
   */
  readonly admit: (identity: UpstreamIdentity, tenant: string | undefined) => Awaitable<Verification>
  /**
   * Finds the person whom the `login_hint` of a client names (CIBA Core §7.1): by a username, an e-mail address, a telephone number, whatever clients know of people.
   * A hint is taken for a subject where this is left out.
   */
  readonly identify?: (hint: string) => Awaitable<Person | undefined>
}

/**
 * A page as it was drawn: an HTML document, a stream of one in UTF-8, or a `Response` with one, whose status and headers are merged with the
 * provider's. A stream is read to its end before the first byte leaves, so that a page is shown whole or not at all.
 */
export type DrawnPage = string | AsyncIterable<string | Uint8Array> | ReadableStream<string | Uint8Array> | Response

/** Turns a page into an HTML document. Whatever it inserts must be escaped. */
export interface PagesPort {
  /**
   * Renders a page as a whole HTML document of at most 1 MiB, now or later. One that fails or takes longer than `timeout` is reported, and
   * answered in its place: an authorization response by form, and an error, by a plain page of the provider's own, every other page by the error
   * `temporarily_unavailable` (503).
   */
  readonly render: (page: Page, context: PageContext) => Awaitable<DrawnPage>
  /** Milliseconds that a page may take until it is whole; 10,000 when not given. */
  readonly timeout?: number | undefined
  /**
   * Sources of the Content-Security-Policy beside those of every page, by the page's `_tag` (`Login`, `Consent`), or its name where it is a
   * feature's; those of `every` hold for every page.
   */
  readonly policies?: Readonly<Record<string, PagePolicy>> | undefined
  /** Reports whether it can draw a feature's page of a name; it is taken to draw every one when left out. */
  readonly draws?: (name: string) => boolean
  /** Tags of the languages that there are pages in (RFC 5646); discovery states them. Not stated when not given. */
  readonly languages?: ReadonlyArray<string> | undefined
}

/** Randomness fit for secrets. */
export interface EntropyPort {
  /** Draws so many random bytes. */
  readonly bytes: (count: number) => Uint8Array
}

/** SHA-2 digests of a text's UTF-8 bytes, written as base64url without padding: bytes of their own would cost as much as the digest. */
export interface DigestPort {
  /** The SHA-256 digest of a text, or of the bytes of a certificate (RFC 8705 §3.1). */
  readonly sha256: (content: string | Uint8Array) => Awaitable<string>
  /** The SHA-512 digest. */
  readonly sha512: (text: string) => Awaitable<string>
}

/** Receives what happened, once it is durable. Must not block; what it throws is dropped. */
export interface AuditPort {
  /** Takes the events of one request; they are made when the function is called. */
  readonly record: (events: () => ReadonlyArray<AuditEvent>) => void
}

/** Receives the trail of every request after it was answered. Must not block; what it throws is dropped. */
export interface TrailPort {
  /** Takes the trail of one request, made when the function is called, and whether a rule refused or something failed. */
  readonly record: (trail: () => Trail, refused: boolean) => void
}
