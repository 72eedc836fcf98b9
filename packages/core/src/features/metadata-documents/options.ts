import { type Lifetimes, type Seconds, defaultLifetimes } from "../../model/index.ts"
import type { RegistrationPolicy } from "../registration/index.ts"

/** The limits of clients whose documents lie at certain hosts. */
export interface DocumentPolicy extends RegistrationPolicy {
  /** The hosts: `claude.ai`, `*.example.com` for every host below one, or `*` for all. One without a port names its host at every port. */
  readonly hosts: ReadonlyArray<string>
  /** False where no client of these hosts is served; true when not given. */
  readonly allow?: boolean | undefined
  /** True if the operator vouches for the clients of these hosts: pages do not warn of them. It holds at the port of https, and at ports that `hosts` names. False when not given. */
  readonly verified?: boolean | undefined
  /**
   * True if clients of these hosts are under development, and pages say so: the hosts are a service that publishes documents of developers. A document on the machine of a
   * provider that is itself served over http on loopback is that anyhow. False when not given.
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
  /** The limits by host; the first that names the host of a client counts. */
  readonly policies?: ReadonlyArray<DocumentPolicy> | undefined
  /** The limits of clients of other hosts; none of them is served where it is false. */
  readonly others?: RegistrationPolicy | false | undefined
  /** True if redirect URIs on `http://localhost` may vary in port; as the profile of the provider says when not given. */
  readonly loopbackLocalhost?: boolean | undefined
  /** Number of documents that are kept; 1000 when not given. */
  readonly mostDocuments?: number | undefined
  /** Seconds for which a document still counts after its time, while its host cannot be reached; 86400 when not given. */
  readonly staleLifetime?: Seconds | undefined
  /** Lifetimes of what the clients are given, where a policy states none; `defaultLifetimes` when not given. */
  readonly lifetimes?: Lifetimes | undefined
}

/** The settings of documents, all of them. */
export interface DocumentSettings extends Required<Omit<MetadataDocumentOptions, "loopbackLocalhost">> {
  readonly loopbackLocalhost: boolean | undefined
  readonly policies: ReadonlyArray<DocumentPolicy>
  readonly others: RegistrationPolicy | false
  readonly mostDocuments: number
  readonly staleLifetime: Seconds
  readonly lifetimes: Lifetimes
}

/** The settings that options come to. Throws a `TypeError` for what is none. */
export const settingsOf = ({
  policies = [],
  others = {},
  loopbackLocalhost,
  mostDocuments = 1_000,
  staleLifetime = 86_400,
  lifetimes = defaultLifetimes,
}: MetadataDocumentOptions): DocumentSettings => {
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

/** A pattern without a port names a host at every port: nobody gets past a policy by a port of their own. */
const names = (host: string, pattern: string): boolean => {
  const bare = withoutPort(pattern)
  return bare === pattern ? namesHost(withoutPort(host), pattern) : namesHost(host, pattern)
}

/**
 * The limits of the clients of a host; undefined where none of them is served. An operator vouches for no port that is not named. A client on the provider's own machine is
 * under development, and served unless a policy refuses its very host: policies that name all hosts, or no other ones, are about the world.
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
