import { type Forms, listOf, matching, refuseMembers, sectionOf, whole } from "../../model/forms.ts"
import { type Lifetimes, type Pattern, type Seconds, defaultLifetimes } from "../../model/index.ts"
import type { MemberKinds } from "../../model/members.ts"
import type { Composition } from "../feature.ts"
import {
  type RegistrationPolicy,
  lifetimesForm,
  policyFaults,
  policyForm,
  policyForms,
  registrationPolicyKinds,
} from "../registration/index.ts"

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
  policies: "own?",
  others: "own?",
  loopbackLocalhost: "boolean?",
  mostDocuments: "own?",
  staleLifetime: "own?",
  lifetimes: "own?",
}

const policyKinds: MemberKinds<DocumentPolicy> = {
  ...registrationPolicyKinds,
  hosts: "own",
  allow: "boolean?",
  verified: "boolean?",
  development: "boolean?",
}

const port = "(?::(?:\\d{1,4}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5]))?"

/** The hosts of documents: one, all below one, or all. */
export const documentHostPattern: Pattern = {
  matches: new RegExp(`^(?:\\*|(?:\\*\\.)?[a-z0-9-]+(?:\\.[a-z0-9-]+)*${port}|\\[[0-9a-f:.]+\\]${port})$`, "u"),
  expected: "a host in lower case, *.HOST, or * for all",
}

const forms: Forms<MetadataDocumentOptions> = {
  policies: listOf(
    sectionOf<DocumentPolicy>(
      policyKinds,
      { ...policyForms, hosts: listOf(matching(documentHostPattern.matches, documentHostPattern.expected), { least: 1, isNeeded: true }) },
      ({ verified, development }) => [
        verified === true && development === true ? ".development: is set for hosts that are verified; remove one of the two" : undefined,
      ],
    ),
  ),
  others: (place, value) => (value === false ? undefined : policyForm(place, value)),
  mostDocuments: whole(1),
  staleLifetime: whole(0),
  lifetimes: lifetimesForm,
}

/** Makes the settings from the options. Throws one `TypeError` that lists every fault. */
export const settingsOf = (options: MetadataDocumentOptions): DocumentSettings => {
  refuseMembers("metadataDocuments", options, kinds, forms)
  const { policies = [], others = {}, loopbackLocalhost } = options
  const { mostDocuments = 1_000, staleLifetime = 86_400, lifetimes = defaultLifetimes } = options
  return { policies, others, loopbackLocalhost, mostDocuments, staleLifetime, lifetimes }
}

/** Returns the faults of policies at a provider that has other grants or metadata, as text. */
export const policiesFaults = ({ policies, others }: DocumentSettings, provider: Composition): ReadonlyArray<string> =>
  [...policies.map((each, at) => [`policies[${at}]`, each] as const), ...(others === false ? [] : [["others", others] as const])].flatMap(
    ([place, policy]) => policyFaults(`metadataDocuments: ${place}`, policy, provider, "every client of these hosts would be refused"),
  )

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
