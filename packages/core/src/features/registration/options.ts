import { type JsonObject, type KeySource, type Lifetimes, type Seconds, defaultLifetimes } from "../../model/index.ts"
import { type MemberKinds, memberFaults, refuseFaults } from "../../model/members.ts"

/** The limits of registrations, and the metadata added to each: the template of an initial access token, or of open registration. */
export interface RegistrationPolicy {
  /**
   * Hosts that redirect URIs may have: `app.example.com`, or `*.example.com` for every host below it. A private scheme is written with its
   * colon, as in `com.example.app:`. Default: any.
   */
  readonly redirectHosts?: ReadonlyArray<string> | undefined
  /** Scopes that clients may have. Default: the identity scopes and `offline_access`. */
  readonly scope?: ReadonlyArray<string> | undefined
  /**
   * Grant types that clients may have. Others that they request are omitted. Default: `authorization_code`, `refresh_token` and `implicit`.
   */
  readonly grantTypes?: ReadonlyArray<string> | undefined
  /** Metadata that every client is given, whatever it requests. It may have every member that an operator may state. */
  readonly metadata?: JsonObject | undefined
}

/** An issuer of software statements (RFC 7591 §2.3). */
export interface StatementIssuer extends KeySource {
  /** The `iss` of its statements, byte for byte. */
  readonly issuer: string
}

/** Settings of {@link registration}. */
export interface RegistrationOptions {
  /** True if anybody may register a client. By default only holders of an initial access token may (RFC 7591 §3). */
  readonly open?: boolean | undefined
  /** The limits of open registration, and of initial access tokens that have none of their own. */
  readonly policy?: RegistrationPolicy | undefined
  /** Issuers of software statements. Default: none are accepted. */
  readonly softwareStatements?: ReadonlyArray<StatementIssuer> | undefined
  /** True if every registration needs a software statement. */
  readonly softwareStatementRequired?: boolean | undefined
  /** Seconds for which a client of open registration is kept without ever getting a grant. Default: 3600. */
  readonly unusedLifetime?: Seconds | undefined
  /** Number of clients of open registration that are kept without ever having had a grant. Default: 10000. */
  readonly mostUnused?: number | undefined
  /** Lifetimes of the tokens and codes issued to the clients, if a policy states none. Default: `defaultLifetimes`. */
  readonly lifetimes?: Lifetimes | undefined
}

/** The settings of registration, with defaults applied. */
export interface RegistrationSettings extends Required<{
  readonly [Name in keyof RegistrationOptions]: NonNullable<RegistrationOptions[Name]>
}> {}

/** The kinds of the members of a policy. */
export const registrationPolicyKinds: MemberKinds<RegistrationPolicy> = {
  redirectHosts: "texts?",
  scope: "texts?",
  grantTypes: "texts?",
  metadata: "object?",
}

const kinds: MemberKinds<RegistrationOptions> = {
  open: "boolean?",
  policy: "object?",
  softwareStatements: "objects?",
  softwareStatementRequired: "boolean?",
  unusedLifetime: "number?",
  mostUnused: "number?",
  lifetimes: "object?",
}

const statementIssuerKinds: MemberKinds<StatementIssuer> = { issuer: "text", jwks: "object?", jwksUri: "text?", ofStranger: "boolean?" }

/** Makes the settings from the options. Throws a `TypeError` for an invalid number, and for members that there are none of. */
export const settingsOf = (options: RegistrationOptions): RegistrationSettings => {
  refuseFaults("registration", memberFaults(options, kinds))
  refuseFaults(
    "registration",
    options.policy && memberFaults(options.policy, registrationPolicyKinds, "policy."),
    ...(options.softwareStatements ?? []).map((each, at) => memberFaults(each, statementIssuerKinds, `softwareStatements[${at}].`)),
  )
  const { open = false, policy = {}, softwareStatements = [], softwareStatementRequired = false } = options
  const { unusedLifetime = 3600, mostUnused = 10_000, lifetimes = defaultLifetimes } = options
  if (!Number.isInteger(unusedLifetime) || unusedLifetime < 60)
    throw new TypeError("registration: unusedLifetime must be 60 seconds at least")
  if (!Number.isInteger(mostUnused) || mostUnused < 1) throw new TypeError("registration: mostUnused must be a whole number above 0")
  return { open, policy, softwareStatements, softwareStatementRequired, unusedLifetime, mostUnused, lifetimes }
}
