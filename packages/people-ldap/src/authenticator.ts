import { randomBytes } from "node:crypto"
import { isIPv4 } from "node:net"
import type { ConnectionOptions } from "node:tls"
import type { JsonObject, Person, Secret, Verification } from "@postern/core/model"
import type { AuthenticatorPort } from "@postern/core/ports"
import { FilterParser } from "ldapts"
import { type Place, binds, entryBy } from "./directory.ts"

/** An entry of a directory: the values of each attribute that was asked for, in the directory's order. */
export interface LdapEntry {
  /** The distinguished name. */
  readonly dn: string
  /** The first value of an attribute; undefined where there is none. */
  readonly one: (attribute: string) => string | undefined
  /** All values of an attribute. */
  readonly all: (attribute: string) => ReadonlyArray<string>
}

/** The directory, and the people in it. */
export interface LdapOptions {
  /** The directory: `ldaps://…`, or `ldap://…` with `startTls`. Plain `ldap://` is taken for a loopback address alone: it sends passwords in the clear. */
  readonly url: string
  /** Upgrades a connection to `ldap://` before anything is sent (RFC 4511 §4.14). False when not given. */
  readonly startTls?: boolean | undefined
  /** TLS settings, such as `ca`. The certificate is always verified unless `rejectUnauthorized` says otherwise. */
  readonly tls?: ConnectionOptions | undefined
  /** The account that searches; an anonymous connection when not given. */
  readonly bind?: { /** Its distinguished name. */ readonly dn: string; /** Its password. */ readonly password: Secret } | undefined
  /** The entry below which people are, such as `ou=people,dc=example,dc=com`. */
  readonly base: string
  /** A filter that a person's entry matches too (RFC 4515), such as `(objectClass=inetOrgPerson)`; each entry is a person when not given. */
  readonly filter?: string | undefined
  /** The attribute that people type; `uid` when not given. */
  readonly username?: string | undefined
  /** The attribute whose value never changes and is never used again, which becomes `sub`; `entryUUID` (RFC 4530) when not given. */
  readonly subject?: string | undefined
  /** The attributes to read beside these two; `cn`, `givenName`, `sn` and `mail` when not given. */
  readonly attributes?: ReadonlyArray<string> | undefined
  /** Makes claims of an entry; `name`, `given_name`, `family_name` and `email` when not given. */
  readonly claims?: ((entry: LdapEntry) => JsonObject) | undefined
  /** Tells if the person of an entry may sign in; everybody may when not given. */
  readonly active?: ((entry: LdapEntry) => boolean) | undefined
  /** Milliseconds for one question to the directory, from connecting to its answer; 5,000 when not given. */
  readonly timeout?: number | undefined
}

/** A longer username or password is refused before the directory is asked. */
const longest = 1024

const rejected = (reason: string): Verification => ({ _tag: "Rejected", reason })

const standardClaims = ({ one }: LdapEntry): JsonObject =>
  Object.fromEntries(
    (
      [
        ["name", "cn"],
        ["given_name", "givenName"],
        ["family_name", "sn"],
        ["email", "mail"],
      ] as const
    ).flatMap(([claim, attribute]) => {
      const value = one(attribute)
      return value === undefined ? [] : [[claim, value]]
    }),
  )

const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || (isIPv4(host) && host.startsWith("127."))

/** Every fault of the options, in words. */
const faultsOf = ({ url, startTls = false, filter, timeout = 1, base }: LdapOptions): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const place = URL.canParse(url) ? new URL(url) : undefined
  if (
    place === undefined ||
    !["ldap:", "ldaps:"].includes(place.protocol) ||
    place.pathname.length > 1 ||
    place.search !== "" ||
    place.username !== ""
  )
    faults.push("url: must be ldaps://HOST or ldap://HOST, with a port if need be and nothing else")
  else if (place.protocol === "ldap:" && !startTls && !isLoopback(place.hostname))
    faults.push("url: ldap:// sends passwords in the clear; use ldaps:// or startTls (RFC 4513 §6.3.1)")
  else if (place.protocol === "ldaps:" && startTls) faults.push("startTls: ldaps:// has TLS already")
  if (base === "") faults.push("base: must name the entry below which people are")
  if (!Number.isFinite(timeout) || timeout <= 0 || timeout > 60_000) faults.push("timeout: must be a number of milliseconds up to 60000")
  try {
    if (filter !== undefined) FilterParser.parseString(filter)
  } catch {
    faults.push("filter: is no filter (RFC 4515 §3)")
  }
  return faults
}

/**
 * People of an LDAP directory, who sign in by a simple bind (RFC 4513 §5.1.3). Their entry is found by what they typed, and the password is tried by a bind as that entry.
 * A directory that does not answer is answered `temporarily_unavailable`. Throws one `TypeError` that names every fault of the options.
 */
export const ldapAuthenticator = (options: LdapOptions): AuthenticatorPort => {
  const faults = faultsOf(options)
  if (faults.length > 0) throw new TypeError(`ldapAuthenticator: ${faults.join("; ")}`)
  const { url, startTls = false, tls = {}, bind, base, filter, timeout = 5_000 } = options
  const { username: usernameAttribute = "uid", subject: subjectAttribute = "entryUUID", active, claims = standardClaims } = options
  const { attributes = ["cn", "givenName", "sn", "mail"] } = options
  const place: Place = {
    url,
    startTls,
    tls,
    timeout,
    bind: bind && { dn: bind.dn, password: () => bind.password.reveal() },
    base,
    filter,
    attributes: [usernameAttribute, subjectAttribute, ...attributes],
  }
  const personOf = (entry: LdapEntry): Person => {
    const [subject, username] = [entry.one(subjectAttribute), entry.one(usernameAttribute)]
    if (subject === undefined || username === undefined)
      throw new TypeError(`${entry.dn} has no ${subject === undefined ? subjectAttribute : usernameAttribute} that can be read`)
    return { subject, username, active: active?.(entry) ?? true, claims: claims(entry), tenant: null }
  }
  const found = async (attribute: string, value: string): Promise<LdapEntry | "several" | undefined> => {
    const entry = await entryBy(place, attribute, value)
    return entry === undefined || entry === "several" ? entry : readable(entry)
  }
  return {
    verify: async ({ username, password }) => {
      const typed = password.reveal()
      if (typed === "") return rejected("an empty password: a bind with one would succeed for everybody (RFC 4513 §5.1.2)")
      if (username === "" || username.length > longest || typed.length > longest)
        return rejected("a username or password that is empty or longer than 1024 characters")
      const entry = await found(usernameAttribute, username)
      if (entry === "several") return rejected("several entries have this username")
      // A directory takes " alice" and "ALICE" for alice (RFC 4518 §2): guesses are counted by what is typed.
      const isTyped = entry?.all(usernameAttribute).some((name) => name.toLowerCase() === username.toLowerCase()) === true
      // An entry that nobody has is tried too: an unknown username takes as long as a wrong password.
      const dn = isTyped ? entry.dn : `cn=${randomBytes(16).toString("hex")},${base}`
      const isRight = await binds(place, dn, typed)
      if (!isTyped || entry === undefined) return rejected("no such person")
      if (!isRight) return rejected("wrong password")
      const person = personOf(entry)
      return person.active ? { _tag: "Verified", person, amr: ["pwd"] } : rejected("the person is disabled")
    },
    find: async (subject) => {
      const entry = await found(subjectAttribute, subject)
      return entry === undefined || entry === "several" ? undefined : personOf(entry)
    },
    admit: () => rejected("people of this directory come from no other provider"),
  }
}

/** Attribute names have no case (RFC 4512 §2.5). */
const readable = ({ dn, ...attributes }: Readonly<Record<string, unknown>> & { readonly dn: string }): LdapEntry => {
  const values = new Map(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), [value].flat().map(String)]))
  const all = (attribute: string): ReadonlyArray<string> => values.get(attribute.toLowerCase()) ?? []
  return { dn, all, one: (attribute) => all(attribute)[0] }
}
