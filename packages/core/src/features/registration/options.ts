import { type KeySource, type Lifetimes, type Seconds, defaultLifetimes } from "../../model/index.ts"
import { issuersForm } from "../../extension/issuerForms.ts"
import { type Forms, refuseMembers, whole } from "../../model/forms.ts"
import type { MemberKinds } from "../../model/members.ts"
import { type RegistrationPolicy, lifetimesForm, policyForm } from "./policy.ts"

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

const kinds: MemberKinds<RegistrationOptions> = {
  open: "boolean?",
  policy: "own?",
  softwareStatements: "own?",
  softwareStatementRequired: "boolean?",
  unusedLifetime: "own?",
  mostUnused: "own?",
  lifetimes: "own?",
}

const statementIssuerKinds: MemberKinds<StatementIssuer> = { issuer: "own", jwks: "own?", jwksUri: "own?", ofStranger: "boolean?" }

const forms: Forms<RegistrationOptions> = {
  policy: policyForm,
  softwareStatements: issuersForm({ kinds: statementIssuerKinds }),
  unusedLifetime: whole(60),
  mostUnused: whole(1),
  lifetimes: lifetimesForm,
}

/** Makes the settings from the options. Throws one `TypeError` that lists every fault. */
export const settingsOf = (options: RegistrationOptions): RegistrationSettings => {
  refuseMembers("registration", options, kinds, forms, (given: RegistrationOptions) => [
    given.softwareStatementRequired === true && (given.softwareStatements ?? []).length === 0
      ? "softwareStatementRequired: refuses every client without softwareStatements; name their issuers, or leave it out (RFC 7591 §2.3)"
      : undefined,
  ])
  const { open = false, policy = {}, softwareStatements = [], softwareStatementRequired = false } = options
  const { unusedLifetime = 3600, mostUnused = 10_000, lifetimes = defaultLifetimes } = options
  return { open, policy, softwareStatements, softwareStatementRequired, unusedLifetime, mostUnused, lifetimes }
}
