import { closest } from "../../model/closest.ts"
import { type Forms, filled, listOf, matching, sectionOf, whole } from "../../model/forms.ts"
import { type Field, type JsonObject, type Lifetimes, type Pattern, defaultLifetimes, keptMetadata, scopeName } from "../../model/index.ts"
import type { MemberKinds } from "../../model/members.ts"
import { type Fault, fault } from "../../rules/registrationFault.ts"
import { described } from "../descriptions.ts"
import type { Composition } from "../feature.ts"

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

/** A host that redirect URIs may have. */
export const redirectHostPattern: Pattern = {
  matches: /^(?:(?:\*\.)?(?:[a-z0-9_-]+\.)*[a-z0-9_-]+|\[[0-9a-f:.]+\]|[a-z][a-z0-9+.-]*:)$/u,
  expected: "a host in lower case, *.HOST, or a private scheme with its colon",
}

/** The kinds of the members of a policy. */
export const registrationPolicyKinds: MemberKinds<RegistrationPolicy> = {
  redirectHosts: "own?",
  scope: "own?",
  grantTypes: "own?",
  metadata: "object?",
}

/** The forms of the members of a policy. */
export const policyForms: Forms<RegistrationPolicy> = {
  redirectHosts: listOf(matching(redirectHostPattern.matches, redirectHostPattern.expected)),
  scope: listOf(matching(scopeName.fits, "a scope (RFC 6749 §3.3)")),
  grantTypes: listOf(filled),
}

/** The form of a policy. */
export const policyForm = sectionOf(registrationPolicyKinds, policyForms)

/** The lifetimes that may be 0: without end, or without grace. */
const endless: ReadonlySet<string> = new Set(["refreshTokenAbsolute", "refreshTokenSliding", "refreshTokenGrace", "consent"])

const lifetimeNames = Object.keys(defaultLifetimes)

/** The form of lifetimes, all of which are needed. */
export const lifetimesForm = sectionOf<Lifetimes>(
  Object.fromEntries(lifetimeNames.map((name) => [name, "own"])),
  Object.fromEntries(lifetimeNames.map((name) => [name, whole(endless.has(name) ? 0 : 1)])),
)

/** Every field that a provider has, by name: those of its features, and those without effect. */
export const fieldsOf = ({ clientMetadata }: Pick<Composition, "clientMetadata">): ReadonlyMap<string, Field> =>
  new Map([...keptMetadata, ...clientMetadata.map(described)].map((each) => [each.name, each]))

/** Metadata members that are unique to each client. A policy's value for them would be replaced, or shared by unrelated clients. */
const ownOfEachClient = ["client_id", "client_secret"]

/** A fault of a policy at a provider, with its path in the policy. */
export interface PolicyFault extends Fault {
  /** True if there is no such member of client metadata. */
  readonly isUnknown: boolean
}

/**
 * Returns the faults of a policy at a provider that has other grants or client metadata, each with its path in the policy: nobody could
 * register under it. `refused` tells what becomes of the clients.
 */
export const registrationPolicyFaults = (
  { grantTypes, metadata = {} }: RegistrationPolicy,
  provider: Pick<Composition, "clientMetadata" | "clientAuthentication" | "grantTypes">,
  refused = "every registration would be refused",
): ReadonlyArray<PolicyFault> => {
  const fields = fieldsOf(provider)
  const methods = provider.clientAuthentication.map(({ method }) => method)
  const added = Object.entries(metadata).flatMap(([name, value]) => {
    const found = (reason: string, hint: string, isUnknown = false): PolicyFault => ({
      ...fault(["metadata", name], reason, hint),
      isUnknown,
    })
    if (ownOfEachClient.includes(name)) return found("is each client's own", "remove it: the provider makes it at registration")
    const field = fields.get(name)
    if (field !== undefined) {
      const isMethod = name !== "token_endpoint_auth_method" || methods.some((method) => method === value)
      if (!field.values.fits(value)) return found(`is not an allowed value: ${refused}`, field.description)
      return isMethod ? [] : found(`is not an allowed value: ${refused}`, `use one of: ${methods.join(", ")}`)
    }
    const near = closest(name, [...fields.keys()])
    const hint = near.length === 0 ? "remove it; docs/clients.md lists the metadata of clients" : `did you mean ${near.join(" or ")}?`
    return found(`is not client metadata of this provider: ${refused}`, hint, true)
  })
  const isGranted = metadata["grant_types"] !== undefined || grantTypes?.some((each) => provider.grantTypes.includes(each)) !== false
  return isGranted
    ? added
    : [
        {
          ...fault(["grantTypes"], `has no grant type of this provider: ${refused}`, `use some of: ${provider.grantTypes.join(", ")}`),
          isUnknown: false,
        },
        ...added,
      ]
}

/** Returns the same faults as text. */
export const policyFaults = (place: string, ...asked: Parameters<typeof registrationPolicyFaults>): ReadonlyArray<string> =>
  registrationPolicyFaults(...asked).map(({ path, reason, hint }) => `${place}.${path.join(".")}: ${reason}; ${hint}`)
