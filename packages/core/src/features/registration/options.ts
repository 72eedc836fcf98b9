import { type JsonObject, type KeySource, type Lifetimes, type Seconds, defaultLifetimes } from "../../model/index.ts"

/** The limits of registrations, and what is added to each: the template of an initial access token, or of open registration. */
export interface RegistrationPolicy {
  /**
   * Hosts that redirect URIs may have: `app.example.com`, or `*.example.com` for every host below it; a private scheme is written with its colon, as in
   * `com.example.app:`. Any when not given.
   */
  readonly redirectHosts?: ReadonlyArray<string> | undefined
  /** Scopes that clients may have; the identity scopes and `offline_access` when not given. */
  readonly scope?: ReadonlyArray<string> | undefined
  /** Grant types that clients may have; `authorization_code`, `refresh_token` and `implicit` when not given. Others that they ask for are dropped. */
  readonly grantTypes?: ReadonlyArray<string> | undefined
  /** Metadata that every client gets, whatever it asks for: any that an operator may state. */
  readonly metadata?: JsonObject | undefined
}

/** An issuer of software statements (RFC 7591 §2.3). */
export interface StatementIssuer extends KeySource {
  /** The `iss` of its statements, byte for byte. */
  readonly issuer: string
}

/** Settings of {@link registration}. */
export interface RegistrationOptions {
  /** True if anybody may register a client; only holders of an initial access token may when not given (RFC 7591 §3). */
  readonly open?: boolean | undefined
  /** The limits of open registration, and of initial access tokens that have none of their own. */
  readonly policy?: RegistrationPolicy | undefined
  /** Issuers of software statements; none is taken when not given. */
  readonly softwareStatements?: ReadonlyArray<StatementIssuer> | undefined
  /** True if every registration needs a software statement. */
  readonly softwareStatementRequired?: boolean | undefined
  /** Seconds that a client of open registration is kept without ever getting a grant; 3600 when not given. */
  readonly unusedLifetime?: Seconds | undefined
  /** Number of clients of open registration that are kept without ever having had a grant; 10000 when not given. */
  readonly mostUnused?: number | undefined
  /** Lifetimes of what the clients are given, where a policy states none; `defaultLifetimes` when not given. */
  readonly lifetimes?: Lifetimes | undefined
}

/** The settings of registration, all of them. */
export interface RegistrationSettings extends Required<{
  readonly [Name in keyof RegistrationOptions]: NonNullable<RegistrationOptions[Name]>
}> {}

/** The settings that follow from the options. Throws a `TypeError` for an invalid number. */
export const settingsOf = (options: RegistrationOptions): RegistrationSettings => {
  const { open = false, policy = {}, softwareStatements = [], softwareStatementRequired = false } = options
  const { unusedLifetime = 3600, mostUnused = 10_000, lifetimes = defaultLifetimes } = options
  if (!Number.isInteger(unusedLifetime) || unusedLifetime < 60)
    throw new TypeError("registration: unusedLifetime must be 60 seconds at least")
  if (!Number.isInteger(mostUnused) || mostUnused < 1) throw new TypeError("registration: mostUnused must be a whole number above 0")
  return { open, policy, softwareStatements, softwareStatementRequired, unusedLifetime, mostUnused, lifetimes }
}
