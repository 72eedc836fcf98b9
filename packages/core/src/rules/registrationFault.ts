import type { Catalog, ClientMetadata, Json, Members } from "../model/index.ts"
import type { AuthenticationMeans } from "./clientAuthentication.ts"
import type { Objection, Table } from "./rule.ts"

/** A fault of client metadata, with its place, its reason and a fix. */
export interface Fault extends Objection {
  /** Path inside the metadata: `["redirect_uris", 1]`. */
  readonly path: ReadonlyArray<string | number>
  readonly hint: string
  /** Further faults of the same rule, at other places. */
  readonly also?: ReadonlyArray<Fault>
}

/** The facts against which a registration is validated. */
export interface RegistrationSeen {
  readonly catalog: Catalog
  /** The built-in grant types, and the names of extension grants. */
  readonly grantTypes: ReadonlyArray<string>
  /** Functions that return the fault of a policy, by the name of the extension grant; none by default. */
  readonly policyFaults?: ReadonlyMap<string, (stated: Json | undefined) => Fault | undefined>
  readonly responseTypes: ReadonlyArray<string>
  /** Names of response modes; if unknown, those of clients are not validated. */
  readonly responseModes?: ReadonlyArray<string>
  /** Methods of client authentication. */
  readonly clientAuthentication: ReadonlyArray<AuthenticationMeans>
  /** Confirmation methods; none by default. */
  readonly confirmations?: ReadonlyArray<{ readonly isRequired: (client: Members) => boolean }>
  /** Names of client metadata that features of the provider read; none by default. */
  readonly clientMetadata?: ReadonlySet<string>
  /** The rules of features; none by default. */
  readonly registration?: ReadonlyArray<RegistrationTable>
  /** Types of authorization details; if unknown, those of clients are not validated. */
  readonly detailTypes?: ReadonlyArray<string> | undefined
  /** Names of the configured identity providers; if unknown, those of clients are not validated. */
  readonly identityProviders?: ReadonlyArray<string> | undefined
  /** True if a secret is already stored for the client. */
  readonly secretKept: boolean
  /** True if a secret that must be readable can be stored encrypted. */
  readonly sealing: boolean
  /** True if `http` on loopback is accepted, for web clients and for the documents of clients. */
  readonly development: boolean
  /** True if the provider has a salt for pairwise subjects. */
  readonly pairwise: boolean
  /** Algorithms with which request objects can be encrypted to the provider; empty if it has no key for that. */
  readonly encryptionAlgorithms: ReadonlyArray<string>
  /** Algorithms that the provider signs with; if unknown, those of clients are not validated. */
  readonly signingAlgorithms?: ReadonlyArray<string> | undefined
  /** The name of the provider's profile; `default` by default. */
  readonly profile?: string | undefined
  /** Ids of rules to disable, for tests of the rules themselves. */
  readonly rulesOff?: ReadonlySet<string>
}

/** A registration, as the rules of features see it; a member's `of` reads it. */
export interface Registration extends Members {
  readonly client: ClientMetadata
  readonly provider: RegistrationSeen
}

/** Registration rules of a feature. */
export type RegistrationTable = Table<Registration, Registration, Fault>

/** Makes a fault. */
export const fault = (path: ReadonlyArray<string | number>, reason: string, hint: string): Fault => ({ path, reason, hint })

/** Combines several faults of one rule into one; undefined for none. */
export const together = ([first, ...also]: ReadonlyArray<Fault>): Fault | undefined =>
  first === undefined || also.length === 0 ? first : { ...first, also }

/** Returns a fault and its further faults, one by one. */
export const apart = ({ also = [], ...first }: Fault): ReadonlyArray<Fault> => [first, ...also.flatMap(apart)]

/** Returns the faults of a list's items, each with the path of the item. */
export const eachOf = (
  name: string,
  items: ReadonlyArray<string> | undefined,
  check: (item: string) => readonly [string, string] | undefined,
): Fault | undefined =>
  together(
    (items ?? []).flatMap((item, at) => {
      const found = check(item)
      return found === undefined ? [] : [fault([name, at], ...found)]
    }),
  )
