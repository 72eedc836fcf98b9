import { randomBytes } from "node:crypto"
import { isIPv4 } from "node:net"
import type { ConnectionOptions } from "node:tls"
import { type JsonObject, type Person, type Secret, type Verification, longestSecret } from "@postern/core/model"
import type { AuthenticatorPort } from "@postern/core/ports"
import { type MemberKinds, memberFaults, refuseFaults } from "@postern/core/options"
import { FilterParser } from "ldapts"
import { type Place, binds, entryBy } from "./directory.ts"

/** A directory entry: the values of each requested attribute, in the directory's order. */
export interface LdapEntry {
  /** The distinguished name. */
  readonly dn: string
  /** Returns the first value of an attribute; undefined if there is none. */
  readonly one: (attribute: string) => string | undefined
  /** Returns all values of an attribute. */
  readonly all: (attribute: string) => ReadonlyArray<string>
}

/** Settings of the directory and its users. */
export interface LdapOptions {
  /**
   * The directory's URL: `ldaps://…`, or `ldap://…` with `startTls`. Plain `ldap://` is accepted only for a loopback address, because it
   * sends passwords in cleartext.
   */
  readonly url: string
  /** Upgrades an `ldap://` connection to TLS before anything is sent (RFC 4511 §4.14). Default: false. */
  readonly startTls?: boolean | undefined
  /** TLS settings, such as `ca`. The certificate is verified unless `rejectUnauthorized` is false. */
  readonly tls?: ConnectionOptions | undefined
  /** The account for searches. Default: an anonymous connection. */
  readonly bind?: { /** Its distinguished name. */ readonly dn: string; /** Its password. */ readonly password: Secret } | undefined
  /** The base entry of all users, such as `ou=people,dc=example,dc=com`. */
  readonly base: string
  /** An additional filter for user entries (RFC 4515), such as `(objectClass=inetOrgPerson)`. Default: every entry is a user. */
  readonly filter?: string | undefined
  /** The attribute with the username. Default: `uid`. */
  readonly username?: string | undefined
  /** The attribute that becomes `sub`. Its value must never change or be reused. Default: `entryUUID` (RFC 4530). */
  readonly subject?: string | undefined
  /** Additional attributes to read. Default: `cn`, `givenName`, `sn` and `mail`. */
  readonly attributes?: ReadonlyArray<string> | undefined
  /** Maps an entry to claims. Default: `name`, `given_name`, `family_name` and `email`. */
  readonly claims?: ((entry: LdapEntry) => JsonObject) | undefined
  /** Reports whether an entry's user may sign in. Default: every user may. */
  readonly active?: ((entry: LdapEntry) => boolean) | undefined
  /** Milliseconds for one operation on the directory, from connecting to its response. Default: 5,000. */
  readonly timeout?: number | undefined
}

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

const kinds: MemberKinds<LdapOptions> = {
  url: "text",
  startTls: "boolean?",
  tls: "object?",
  bind: "object?",
  base: "text",
  filter: "text?",
  username: "text?",
  subject: "text?",
  attributes: "texts?",
  claims: "function?",
  active: "function?",
  timeout: "number?",
}

/** Returns a description of every invalid option. */
const faultsOf = ({ url, startTls = false, filter, timeout = 1, base, bind }: LdapOptions): ReadonlyArray<string> => {
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
  faults.push(...(bind === undefined ? [] : memberFaults(bind, { dn: "text", password: "object" }, "bind.")))
  if (bind !== undefined && typeof bind.password?.reveal !== "function")
    faults.push("bind.password: must be a secret; make it with secretOf")
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
 * Authenticates users of an LDAP directory by a simple bind (RFC 4513 §5.1.3). The entry is found by the entered username, and the password
 * is verified by a bind as that entry. If the directory does not respond, the answer is `temporarily_unavailable`. Throws one `TypeError`
 * that names every invalid option.
 */
export const ldapAuthenticator = (options: LdapOptions): AuthenticatorPort => {
  const unfit = memberFaults(options, kinds)
  refuseFaults("ldapAuthenticator", unfit.length > 0 ? unfit : faultsOf(options))
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
      // Longer ones are rejected without contacting the directory.
      if (username === "" || username.length > longestSecret || typed.length > longestSecret)
        return rejected(`a username or password that is empty or longer than ${longestSecret} characters`)
      const entry = await found(usernameAttribute, username)
      if (entry === "several") return rejected("several entries have this username")
      // A directory matches " alice" and "ALICE" to alice (RFC 4518 §2), but guesses are counted by the entered username. So only a
      // difference in case is accepted.
      const isTyped = entry?.all(usernameAttribute).some((name) => name.toLowerCase() === username.toLowerCase()) === true
      // For an unknown username, a bind as a nonexistent entry is tried, so that it takes as long as a wrong password.
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

/** Attribute names are case-insensitive (RFC 4512 §2.5). */
const readable = ({ dn, ...attributes }: Readonly<Record<string, unknown>> & { readonly dn: string }): LdapEntry => {
  const values = new Map(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), [value].flat().map(String)]))
  const all = (attribute: string): ReadonlyArray<string> => values.get(attribute.toLowerCase()) ?? []
  return { dn, all, one: (attribute) => all(attribute)[0] }
}
