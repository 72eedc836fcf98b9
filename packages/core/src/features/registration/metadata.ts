import {
  type ClientMetadata,
  type Field,
  type Json,
  type JsonObject,
  type Settings,
  canonicalResponseType,
  keptMetadata,
  offlineAccess,
  responseTypesOf,
  scopeWords,
} from "../../model/index.ts"
import { isLoopbackAddress, uriParts } from "../../rules/redirectUri.ts"
import { type Fault, fault } from "../../rules/registrationFault.ts"
import { described } from "../descriptions.ts"
import type { Composition } from "../feature.ts"
import type { RegistrationPolicy } from "./options.ts"
import { inLanguage, registeredNames } from "./registered.ts"

/** Everything that metadata is made of: the request, the claims of its software statement, and the limits it is registered under. */
export interface Wanted {
  /** The members of the request. */
  readonly asked: JsonObject
  /** The claims of its software statement, which win (RFC 7591 §2.3). */
  readonly stated: JsonObject
  readonly policy: RegistrationPolicy
}

/** The grant types that clients may have where a policy says nothing: those by which a person is asked. */
const grantsOfPeople = ["authorization_code", "refresh_token", "implicit"]

/** The members that a client may state of those that the provider has. A null is as good as nothing (RFC 7592 §2.2). */
const ownMembers = (given: JsonObject, fields: ReadonlyMap<string, Field>): JsonObject =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== null && ((registeredNames.has(name) && fields.has(name)) || inLanguage(name) !== undefined),
    ),
  )

/** The scopes of people that a provider has. */
interface Known {
  readonly catalog: Pick<Settings["catalog"], "identity">
}

/** The scopes that a policy allows. */
export const allowedScope = ({ scope }: RegistrationPolicy, { catalog }: Known): ReadonlyArray<string> =>
  scope ?? [...catalog.identity.keys(), offlineAccess]

const texts = (value: Json | undefined): ReadonlyArray<string> | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined

/** Reports whether redirect URIs are of an app on a person's own device: loopback addresses and private schemes alone (RFC 8252 §7). */
const isNative = (redirectUris: ReadonlyArray<string>): boolean =>
  redirectUris.length > 0 &&
  redirectUris.every((uri) => {
    const parts = uriParts(uri)
    return parts !== undefined && parts.scheme !== "https" && (parts.scheme !== "http" || isLoopbackAddress(parts.host))
  })

/** Drops what a client cannot be given, rather than refuse it: RFC 7591 §2 lets the provider replace any value. */
const granted = (stated: JsonObject, policy: RegistrationPolicy, provider: Composition, settings: Known): JsonObject => {
  const grants = texts(stated["grant_types"]) ?? ["authorization_code"]
  const allowed = policy.grantTypes ?? grantsOfPeople
  const types = texts(stated["response_types"])
  const redirects = texts(stated["redirect_uris"]) ?? []
  const kept = grants.filter((grant) => provider.grantTypes.includes(grant) && allowed.includes(grant))
  const response = types?.filter((type) => provider.responseTypes.includes(canonicalResponseType(type)))
  const scope = allowedScope(policy, settings).filter((name) => name !== offlineAccess || kept.includes("refresh_token"))
  const asked = stated["scope"]
  // Types of authorization details reach APIs as scopes do: those that a policy names are its own members, and no client takes others (RFC 9396 §10).
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

/** Metadata as it would be registered, with what is wrong with it so far. */
export interface Effective {
  readonly client: ClientMetadata
  /** Members in languages, beside those that the provider has fields for. */
  readonly languages: JsonObject
  /** The faults of members with invalid values; `client` does not have them. */
  readonly faults: ReadonlyArray<Fault>
}

/** Every field that a provider has, by name: those of its features, and those that decide nothing. */
const fieldsOf = ({ clientMetadata }: Composition): ReadonlyMap<string, Field> =>
  new Map([...keptMetadata, ...clientMetadata.map(described)].map((each) => [each.name, each]))

/** Makes metadata of a request: what it asks for, what its statement says, what the policy adds, and the defaults (RFC 7591 §2, §3.2.1). */
export const effective = ({ asked, stated, policy }: Wanted, clientId: string, provider: Composition, settings: Known): Effective => {
  const fields = fieldsOf(provider)
  const own = Object.entries({ ...ownMembers(asked, fields), ...ownMembers(stated, fields) })
  const languages = own.filter(([name]) => inLanguage(name) !== undefined)
  const plain = Object.fromEntries(own.filter(([name]) => inLanguage(name) === undefined))
  const members = Object.entries({ ...granted(plain, policy, provider, settings), ...policy.metadata, client_id: clientId })
  const fits = ([name, value]: readonly [string, Json]): boolean => fields.get(inLanguage(name) ?? name)?.values.fits(value) === true
  return {
    // Each member has a value that its field may have.
    client: Object.fromEntries(members.filter(fits)) as unknown as ClientMetadata,
    languages: Object.fromEntries(languages.filter(fits)),
    faults: [...members, ...languages]
      .filter((member) => !fits(member))
      .map(([name]) => fault([name], "is no value that it may have", fields.get(inLanguage(name) ?? name)?.description ?? "remove it")),
  }
}
