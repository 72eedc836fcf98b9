import type { Awaitable } from "./awaitable.ts"
import type {
  AccessToken,
  Attempts,
  AuthorizationCode,
  Command,
  CommitResult,
  Consent,
  Device,
  Grant,
  Instant,
  Interaction,
  Locator,
  RefreshToken,
  RowKind,
  Session,
} from "../model/index.ts"

/** A code with the grant it belongs to. */
export interface FoundCode {
  /** The code. */
  readonly code: AuthorizationCode
  /** Its grant. */
  readonly grant: Grant
}

/** A reference access token with its grant, if it has one. */
export interface FoundAccessToken {
  /** The token. */
  readonly token: AccessToken
  /** Its grant; undefined if it has none. */
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

/**
 * The store of grants, codes, tokens, sessions, interactions and consents. Reads may return expired and ended rows, because rules check
 * them.
 */
export interface TokenStorePort {
  /** Reports whether the store has a table. If omitted, it is assumed to have all of them. */
  readonly keeps?: (table: string) => boolean
  /** Finds a row of any configured kind by its key or a secondary key. */
  readonly find: <Row>(kind: RowKind<Row>, key: FoundBy) => Awaitable<Row | undefined>
  /** Lists at most 100 rows of a kind, as defined by one of its lists. */
  readonly list: <Row>(kind: RowKind<Row>, name: string, given: FoundBy) => Awaitable<ReadonlyArray<Row>>
  /** Finds a grant. */
  readonly findGrant: (id: Locator) => Awaitable<Grant | undefined>
  /**
   * Lists at most 100 unrevoked grants of a person, newest first. It omits those that an extension grant made without `offline_access`,
   * because they are numerous and end with their access tokens.
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
  /** Lists at most 100 sessions of a person that have not ended, newest first. */
  readonly sessionsOf: (subject: string) => Awaitable<ReadonlyArray<Session>>
  /** Finds a request that waits for a person's input. */
  readonly findInteraction: (locator: Locator) => Awaitable<Interaction | undefined>
  /** Finds a device authorization by its device code. */
  readonly findDevice: (locator: Locator) => Awaitable<Device | undefined>
  /** Finds a device authorization by the digest of its user code. */
  readonly findDeviceByUserCode: (userCode: string) => Awaitable<Device | undefined>
  /** Finds the attempts counted under a key. */
  readonly findAttempts: (key: string) => Awaitable<Attempts | undefined>
  /**
   * Finds attempts as `findAttempts` does, but from memory if possible. The result may miss a first attempt, and those that another process
   * has counted in the last quarter of a second. A store whose reads cost no more omits it.
   */
  readonly recentAttempts?: (key: string, now: Instant) => Awaitable<Attempts | undefined>
  /** Finds the consent of a person to a client. */
  readonly findConsent: (subject: string, clientId: string) => Awaitable<Consent | undefined>
  /** Lists at most 100 consents of a person, newest first. */
  readonly consentsOf: (subject: string) => Awaitable<ReadonlyArray<Consent>>
  /**
   * Runs all commands or none, and settles only when the change is durable. An error means that nothing was done, unless it has a property
   * `uncertain` that is true: then the outcome is unknown, and so the response states.
   */
  readonly commit: (commands: ReadonlyArray<Command>) => Awaitable<CommitResult>
  /**
   * Waits until all data returned by reads is durable. No response is sent before. A store whose reads return only durable data omits it.
   * Fails if the data did not become durable.
   */
  readonly durable?: () => Awaitable<void>
}
