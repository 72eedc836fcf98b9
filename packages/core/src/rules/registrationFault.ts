import type { Catalog, ClientMetadata, Json, Members } from "../model/index.ts"
import type { AuthenticationMeans } from "./clientAuthentication.ts"
import type { Objection, Table } from "./rule.ts"

/** Something wrong with a client's metadata: where, what, and how to mend it. */
export interface Fault extends Objection {
  /** Path inside the metadata: `["redirect_uris", 1]`. */
  readonly path: ReadonlyArray<string | number>
  readonly hint: string
  /** More of the same rule, at other places. */
  readonly also?: ReadonlyArray<Fault>
}

/** The facts that a registration is judged against. */
export interface RegistrationSeen {
  readonly catalog: Catalog
  /** Those that are built in, and the names of extension grants. */
  readonly grantTypes: ReadonlyArray<string>
  /** By the name of an extension grant, what is wrong with a policy for it; none when not given. */
  readonly policyFaults?: ReadonlyMap<string, (stated: Json | undefined) => Fault | undefined>
  readonly responseTypes: ReadonlyArray<string>
  /** Names of response modes; those of clients are not judged when they are not known. */
  readonly responseModes?: ReadonlyArray<string>
  /** Ways of client authentication. */
  readonly clientAuthentication: ReadonlyArray<AuthenticationMeans>
  /** Ways to bind tokens; none when not given. */
  readonly confirmations?: ReadonlyArray<{ readonly isRequired: (client: Members) => boolean }>
  /** Names of client metadata that features of the provider read; none when not given. */
  readonly clientMetadata?: ReadonlySet<string>
  /** The rules of features; none when not given. */
  readonly registration?: ReadonlyArray<RegistrationTable>
  /** Types of authorization details; those of clients are not judged when they are not known. */
  readonly detailTypes?: ReadonlyArray<string> | undefined
  /** Names of the configured identity providers; those of clients are not judged when it is not known. */
  readonly identityProviders?: ReadonlyArray<string> | undefined
  /** True if a secret is stored for the client already. */
  readonly secretKept: boolean
  /** True if a secret that has to be read again can be kept sealed. */
  readonly sealing: boolean
  /** True if `http` on loopback is let pass, for web clients and for what clients publish. */
  readonly development: boolean
  /** True if the provider has a salt for pairwise subjects. */
  readonly pairwise: boolean
  /** Algorithms by which request objects can be encrypted to the provider; empty when it has no key for that. */
  readonly encryptionAlgorithms: ReadonlyArray<string>
  /** The name of the provider's profile; `default` when not given. */
  readonly profile?: string | undefined
  /** Ids of rules to leave out, for tests of the rules themselves. */
  readonly rulesOff?: ReadonlySet<string>
}

/** A registration as the rules of features judge it; a member's `of` reads it. */
export interface Registration extends Members {
  readonly client: ClientMetadata
  readonly provider: RegistrationSeen
}

/** Rules of registration that a feature adds. */
export type RegistrationTable = Table<Registration, Registration, Fault>

/** The grant types of a client (RFC 7591 §2). */
export const grantTypes = (client: ClientMetadata): ReadonlyArray<string> => client.grant_types ?? ["authorization_code"]

/** Makes a fault. */
export const fault = (path: ReadonlyArray<string | number>, reason: string, hint: string): Fault => ({ path, reason, hint })

/** Several faults of one rule as one that has the others with it; undefined for none. */
export const together = ([first, ...also]: ReadonlyArray<Fault>): Fault | undefined =>
  first === undefined || also.length === 0 ? first : { ...first, also }

/** A fault and those that it has with it, one by one. */
export const apart = ({ also = [], ...first }: Fault): ReadonlyArray<Fault> => [first, ...also.flatMap(apart)]

/** The faults among a list's items, each at the item's own path. */
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
