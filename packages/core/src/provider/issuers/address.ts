import { authorizationServerPath, openidConfigurationPath } from "../../features/discovery/index.ts"
import { basePathOf, protectedResourcePath } from "../../wire/index.ts"

/** The issuer of a request, or the status of the answer if there is none (RFC 9110 §15.5.5, §15.5.20). */
export type IssuerFound = { readonly issuer: string } | { readonly status: 404 | 421 }

/**
 * Finds the issuer of a request by the authority and the path of its URL. It is pure, and takes time in proportion to the length of the
 * path.
 */
export type IssuerOf = (host: string | undefined, path: string) => IssuerFound

const defaultPorts: Readonly<Record<string, string>> = { "https:": ":443", "http:": ":80" }

/** Returns the authorities of an issuer: with and without its default port. */
const authoritiesOf = (issuer: string): ReadonlyArray<string> => {
  const [, scheme = "", authority = ""] = /^([a-z]+:)\/\/([^/?#]+)/.exec(issuer) ?? []
  const port = defaultPorts[scheme] ?? ""
  const plain = port !== "" && authority.endsWith(port) ? authority.slice(0, -port.length) : authority
  return /:\d+$/.test(plain) ? [plain] : [plain, plain + port]
}

const wellKnown = [authorizationServerPath, openidConfigurationPath]

/**
 * Returns the path of the issuer in a well-known URL that has the well-known part in front (RFC 8414 §3.1, §5); undefined for any other
 * path.
 */
const insertedIn = (path: string): string | undefined => {
  if (!path.startsWith("/.well-known/")) return undefined
  for (const first of wellKnown)
    if (path.startsWith(first + "/") && path !== `${openidConfigurationPath}/jwks`) return path.slice(first.length)
  return undefined
}

/** Returns the index after the given number of path segments; undefined if the path has fewer. */
const endOf = (path: string, segments: number): number | undefined => {
  let at = 0
  for (let count = 0; count < segments; count++) {
    if (path[at] !== "/") return undefined
    const next = path.indexOf("/", at + 1)
    at = next < 0 ? path.length : next
  }
  return at
}

/**
 * Returns the path of the resource whose metadata is requested (RFC 9728 §3.1), which lies below its issuer's path. Other paths are
 * returned unchanged.
 */
const askedAbout = (path: string): string =>
  path === protectedResourcePath || path.startsWith(`${protectedResourcePath}/`) ? path.slice(protectedResourcePath.length) : path

const segmentsOf = (base: string): number => base.split("/").length - 1

/** A function that finds issuers by address, and the faults of ambiguous addresses. */
export interface KnownIssuers {
  /** Finds the issuer of a request. */
  readonly issuerOf: IssuerOf
  /** Faults for pairs of issuers with the same address, as text. */
  readonly faults: ReadonlyArray<string>
}

/**
 * Distinguishes issuers by host and path. The longest issuer path that is a prefix of the request's path wins. An unknown host is answered
 * with 421, an unknown path of a known host with 404.
 */
export const knownIssuers = (issuers: ReadonlyArray<string>): KnownIssuers => {
  const hosts = new Map<string, Map<string, { readonly issuer: string }>>()
  const faults: Array<string> = []
  for (const issuer of issuers) {
    const found = { issuer }
    const base = basePathOf(issuer)
    for (const [at, authority] of authoritiesOf(issuer).entries()) {
      const bases = hosts.get(authority) ?? new Map<string, typeof found>()
      hosts.set(authority, bases)
      const other = bases.get(base)
      if (other !== undefined && at === 0) faults.push(`${issuer} has the address of ${other.issuer}`)
      else if (other === undefined) bases.set(base, found)
    }
  }
  const deepest = new Map([...hosts].map(([host, bases]) => [host, Math.max(...[...bases.keys()].map(segmentsOf))]))
  return {
    faults,
    issuerOf: (host, path) => {
      const authority = host?.toLowerCase() ?? ""
      const bases = hosts.get(authority)
      if (bases === undefined) return { status: 421 }
      const inserted = insertedIn(path)
      const named = inserted === undefined ? undefined : bases.get(inserted)
      if (named !== undefined) return named
      const asked = askedAbout(path)
      for (let segments = deepest.get(authority) ?? 0; segments >= 0; segments--) {
        const end = endOf(asked, segments)
        const found = end === undefined ? undefined : bases.get(asked.slice(0, end))
        if (found !== undefined) return found
      }
      return { status: 404 }
    },
  }
}

/** The form of issuers that are looked up: their scheme and the number of their path segments. */
export interface IssuerForm {
  /** The scheme: `https` by default, `http` for development on loopback. */
  readonly scheme?: "https" | "http" | undefined
  /** The number of path segments: 0 for `https://tenant.example.com`; 1, the default, for `https://example.com/tenant`. */
  readonly segments?: number | undefined
}

/** A plausible authority: a host name of ordinary characters, or an address in brackets, with or without a port. */
const authority = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/

/**
 * Derives the issuer of each request from the form of all issuers. Whether the issuer exists is checked elsewhere. Unusual addresses are
 * never looked up.
 */
export const formedIssuers = ({ scheme = "https", segments = 1 }: IssuerForm = {}): IssuerOf => {
  const base = new RegExp(`^(?:/(?!\\.)[A-Za-z0-9._~-]{1,64}){${segments}}$`)
  const port = defaultPorts[`${scheme}:`] ?? ""
  return (host, path) => {
    const lower = host?.toLowerCase() ?? ""
    if (!authority.test(lower)) return { status: 421 }
    const plain = lower.endsWith(port) ? lower.slice(0, -port.length) : lower
    const inserted = insertedIn(path)
    const asked = askedAbout(path)
    const end = endOf(asked, segments)
    const own = inserted !== undefined && base.test(inserted) ? inserted : end === undefined ? undefined : asked.slice(0, end)
    return own === undefined || !base.test(own) ? { status: 404 } : { issuer: `${scheme}://${plain}${own}` }
  }
}

/** Finds the issuer of a request among the known ones, or otherwise by the form of the others. */
export const eitherIssuer =
  (known: IssuerOf, formed: IssuerOf): IssuerOf =>
  (host, path) => {
    const here = known(host, path)
    if ("issuer" in here) return here
    const there = formed(host, path)
    return "issuer" in there || here.status === 421 ? there : here
  }
