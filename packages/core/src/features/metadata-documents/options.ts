import { type Lifetimes, type Seconds, defaultLifetimes } from "../../model/index.ts"
import { type MemberKinds, memberFaults, refuseFaults } from "../../model/members.ts"
import { type RegistrationPolicy, registrationPolicyKinds } from "../registration/index.ts"

/** The limits of clients whose documents are at certain hosts. */
export interface DocumentPolicy extends RegistrationPolicy {
  /** The hosts: `claude.ai`, `*.example.com` for all hosts below one, or `*` for all. A name without a port applies to every port. */
  readonly hosts: ReadonlyArray<string>
  /** False if no client of these hosts is served. Default: true. */
  readonly allow?: boolean | undefined
  /**
   * True if the operator vouches for the clients of these hosts, so that pages do not warn about them. It applies to the https port, and to
   * ports that `hosts` names. Default: false.
   */
  readonly verified?: boolean | undefined
  /**
   * True if clients of these hosts are under development, so that pages say so. It is meant for services that publish the documents of
   * developers. If the provider itself is served over http on loopback, a document on its own machine is always under development. Default:
   * false.
   */
  readonly development?: boolean | undefined
}

/** The host of a document, and its limits. */
export interface Place {
  readonly host: string
  readonly policy: DocumentPolicy
}

/** Settings of {@link metadataDocuments}. */
export interface MetadataDocumentOptions {
  /** The limits by host. The first policy that names the host of a client applies. */
  readonly policies?: ReadonlyArray<DocumentPolicy> | undefined
  /** The limits of clients of other hosts; false if none of them is served. */
  readonly others?: RegistrationPolicy | false | undefined
  /** True if redirect URIs on `http://localhost` may vary in port. Default: as the profile of the provider says. */
  readonly loopbackLocalhost?: boolean | undefined
  /** Number of documents that are stored. Default: 1000. */
  readonly mostDocuments?: number | undefined
  /** Seconds for which a document is still used after it is no longer fresh, while its host cannot be reached. Default: 86400. */
  readonly staleLifetime?: Seconds | undefined
  /** Lifetimes of the tokens and codes issued to the clients, if a policy states none. Default: `defaultLifetimes`. */
  readonly lifetimes?: Lifetimes | undefined
}

/** The settings of documents, with defaults applied. */
export interface DocumentSettings extends Required<Omit<MetadataDocumentOptions, "loopbackLocalhost">> {
  readonly loopbackLocalhost: boolean | undefined
  readonly policies: ReadonlyArray<DocumentPolicy>
  readonly others: RegistrationPolicy | false
  readonly mostDocuments: number
  readonly staleLifetime: Seconds
  readonly lifetimes: Lifetimes
}

const kinds: MemberKinds<MetadataDocumentOptions> = {
  policies: "objects?",
  others: "own?",
  loopbackLocalhost: "boolean?",
  mostDocuments: "number?",
  staleLifetime: "number?",
  lifetimes: "object?",
}

const policyKinds: MemberKinds<DocumentPolicy> = {
  ...registrationPolicyKinds,
  hosts: "texts",
  allow: "boolean?",
  verified: "boolean?",
  development: "boolean?",
}

/** Makes the settings from the options. Throws a `TypeError` for invalid ones. */
export const settingsOf = (options: MetadataDocumentOptions): DocumentSettings => {
  refuseFaults("metadataDocuments", memberFaults(options, kinds))
  const { policies = [], others = {}, loopbackLocalhost } = options
  const { mostDocuments = 1_000, staleLifetime = 86_400, lifetimes = defaultLifetimes } = options
  refuseFaults(
    "metadataDocuments",
    ...policies.map((each, at) => memberFaults(each, policyKinds, `policies[${at}].`)),
    others === false ? undefined : memberFaults(others, registrationPolicyKinds, "others."),
  )
  if (!Number.isInteger(mostDocuments) || mostDocuments < 1)
    throw new TypeError("metadata documents: mostDocuments must be a whole number above 0")
  if (!Number.isInteger(staleLifetime) || staleLifetime < 0)
    throw new TypeError("metadata documents: staleLifetime must be a whole number of seconds")
  const odd = policies
    .flatMap(({ hosts }) => hosts)
    .find((host) => !/^(?:\*|(?:\*\.)?[a-z0-9.-]+(?::\d+)?|\[[0-9a-f:.]+\](?::\d+)?)$/.test(host))
  if (odd !== undefined)
    throw new TypeError(`metadata documents: ${JSON.stringify(odd)} is no host: lower case, without a scheme or a path`)
  const both = policies.find(({ verified, development }) => verified === true && development === true)
  if (both !== undefined) throw new TypeError(`metadata documents: ${both.hosts.join(", ")} cannot be both verified and under development`)
  return { policies, others, loopbackLocalhost, mostDocuments, staleLifetime, lifetimes }
}

/** A host or a pattern without its port. */
export const withoutPort = (host: string): string => host.replace(/:\d+$/, "")

const namesHost = (host: string, pattern: string): boolean =>
  pattern === "*" || pattern === host || (pattern.startsWith("*.") && host.endsWith(pattern.slice(1)))

/**
 * Reports whether a pattern matches a host. A pattern without a port matches every port, so that nobody can evade a policy by using another
 * port.
 */
const names = (host: string, pattern: string): boolean => {
  const bare = withoutPort(pattern)
  return bare === pattern ? namesHost(withoutPort(host), pattern) : namesHost(host, pattern)
}

/**
 * The limits of the clients of a host; undefined if none of them is served. A policy vouches only for ports that it names. A client on the
 * provider's own machine is under development. It is served unless a policy refuses its particular host, because policies for all hosts, or
 * for all others, are meant for remote hosts.
 */
export const policyOf = (host: string, { policies, others }: DocumentSettings, isOwn: boolean): DocumentPolicy | undefined => {
  const own = policies.find(({ hosts }) => hosts.some((pattern) => names(host, pattern)))
  const isRefused = own === undefined ? others === false : own.allow === false
  if (isRefused) {
    const isNamed = own?.hosts.some((pattern) => pattern !== "*" && names(host, pattern)) === true
    return isOwn && !isNamed ? { hosts: ["*"], development: true } : undefined
  }
  if (own === undefined) return { hosts: ["*"], ...(others === false ? {} : others), development: isOwn }
  return {
    ...own,
    development: isOwn || own.development === true,
    verified: own.verified === true && own.hosts.some((pattern) => pattern === "*" || namesHost(host, pattern)),
  }
}
