import {
  type ClientMetadata,
  type Field,
  type Json,
  type JsonObject,
  type Profile,
  type Settings,
  canonicalResponseType,
  offlineAccess,
  responseTypesOf,
  scopeWords,
  grantTypesOf,
} from "../../model/index.ts"
import { allows, registeredProfile } from "../../rules/profile.ts"
import { isLoopbackAddress, uriParts } from "../../rules/redirectUri.ts"
import { type Fault, fault } from "../../rules/registrationFault.ts"
import type { Composition } from "../feature.ts"
import type { RegistrationPolicy } from "./policy.ts"
import { fieldsOf } from "./policy.ts"
import { inLanguage, registeredNames } from "./registered.ts"

/** The sources of metadata: the request, the claims of its software statement, and the limits under which it is registered. */
export interface Wanted {
  /** The members of the request. */
  readonly asked: JsonObject
  /** The claims of its software statement, which take precedence (RFC 7591 §2.3). */
  readonly stated: JsonObject
  readonly policy: RegistrationPolicy
}

/** The grant types that clients may have if a policy states none: those in which a person is asked. */
const grantsOfPeople = ["authorization_code", "refresh_token", "implicit"]

/** The members of the provider's metadata that a client may state. A null is the same as an omitted member (RFC 7592 §2.2). */
const ownMembers = (given: JsonObject, fields: ReadonlyMap<string, Field>): JsonObject =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== null && ((registeredNames.has(name) && fields.has(name)) || inLanguage(name) !== undefined),
    ),
  )

/** The properties of a provider that metadata depends on. */
export interface Known {
  /** The identity scopes. */
  readonly catalog: Pick<Settings["catalog"], "identity">
  /** The profile of clients that state none. */
  readonly profile?: Pick<Profile, "name"> | undefined
  /** The algorithms that the provider signs with; absent if they are not known. */
  readonly signing?: ReadonlyArray<string> | undefined
}

/** The algorithms that a policy's clients may be answered with: those of the provider that their profile accepts, if they are known. */
export const algorithmsUnder = ({ metadata = {} }: RegistrationPolicy, { profile, signing = [] }: Known): ReadonlyArray<string> => {
  const { profile: own } = metadata
  const { parameters } = registeredProfile(typeof own === "string" ? own : undefined, { profile: profile?.name })
  return signing.filter((alg) => allows(parameters.algorithms, alg))
}

/** The algorithm in place of RS256, the default of clients that state none; undefined if RS256 is among those that there are. */
export const instead = (algorithms: ReadonlyArray<string>): string | undefined => (algorithms.includes("RS256") ? undefined : algorithms[0])

const tokenAlgorithm = "access_token_signed_response_alg"

/** The scopes that a policy allows. */
export const allowedScope = ({ scope }: RegistrationPolicy, { catalog }: Known): ReadonlyArray<string> =>
  scope ?? [...catalog.identity.keys(), offlineAccess]

const texts = (value: Json | undefined): ReadonlyArray<string> | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined

/**
 * Reports whether redirect URIs are those of an app on a person's own device: only loopback addresses and private schemes (RFC 8252 §7).
 */
const isNative = (redirectUris: ReadonlyArray<string>): boolean =>
  redirectUris.length > 0 &&
  redirectUris.every((uri) => {
    const parts = uriParts(uri)
    return parts !== undefined && parts.scheme !== "https" && (parts.scheme !== "http" || isLoopbackAddress(parts.host))
  })

/** Omits values that a client may not have instead of refusing the request, because RFC 7591 §2 lets the provider replace any value. */
const granted = (stated: JsonObject, policy: RegistrationPolicy, provider: Composition, settings: Known): JsonObject => {
  const grants = grantTypesOf({ grant_types: texts(stated["grant_types"]) })
  const allowed = policy.grantTypes ?? grantsOfPeople
  const types = texts(stated["response_types"])
  const redirects = texts(stated["redirect_uris"]) ?? []
  const kept = grants.filter((grant) => provider.grantTypes.includes(grant) && allowed.includes(grant))
  const response = types?.filter((type) => provider.responseTypes.includes(canonicalResponseType(type)))
  const scope = allowedScope(policy, settings).filter((name) => name !== offlineAccess || kept.includes("refresh_token"))
  const asked = stated["scope"]
  // Types of authorization details give access to APIs as scopes do. A policy states them in its metadata, and those that a client
  // states are omitted (RFC 9396 §10).
  const { authorization_details_types: _, ...told } = stated
  return {
    ...told,
    application_type: stated["application_type"] ?? (isNative(redirects) ? "native" : "web"),
    grant_types: kept,
    response_types: response ?? responseTypesOf({ grant_types: kept }),
    ...(typeof asked === "string"
      ? {
          scope: scopeWords(asked)
            .filter((name) => scope.includes(name))
            .join(" "),
        }
      : { scope: scope.join(" ") }),
  }
}

/** Metadata as it would be registered, with the faults found so far. */
export interface Effective {
  readonly client: ClientMetadata
  /** Members in languages, in addition to those for which the provider has fields. */
  readonly languages: JsonObject
  /** The faults of members with invalid values; `client` does not have them. */
  readonly faults: ReadonlyArray<Fault>
}

/**
 * Makes metadata from a request: the requested members, those of its statement, those that the policy adds, and the defaults (RFC 7591 §2,
 * §3.2.1).
 */
export const effective = ({ asked, stated, policy }: Wanted, clientId: string, provider: Composition, settings: Known): Effective => {
  const fields = fieldsOf(provider)
  const own = Object.entries({ ...ownMembers(asked, fields), ...ownMembers(stated, fields) })
  const languages = own.filter(([name]) => inLanguage(name) !== undefined)
  const plain = Object.fromEntries(own.filter(([name]) => inLanguage(name) === undefined))
  // Clients cannot state it, as it is not registered. One that means RS256 could not be registered at a provider, or under a profile, without.
  const algorithm = fields.has(tokenAlgorithm) ? instead(algorithmsUnder(policy, settings)) : undefined
  const given = { ...(algorithm === undefined ? {} : { [tokenAlgorithm]: algorithm }), ...policy.metadata }
  const members = Object.entries({ ...granted(plain, policy, provider, settings), ...given, client_id: clientId })
  const fits = ([name, value]: readonly [string, Json]): boolean => fields.get(inLanguage(name) ?? name)?.values.fits(value) === true
  return {
    // Each member has a valid value for its field.
    client: Object.fromEntries(members.filter(fits)) as unknown as ClientMetadata,
    languages: Object.fromEntries(languages.filter(fits)),
    faults: [...members, ...languages]
      .filter((member) => !fits(member))
      .map(([name]) => fault([name], "is no value that it may have", fields.get(inLanguage(name) ?? name)?.description ?? "remove it")),
  }
}
