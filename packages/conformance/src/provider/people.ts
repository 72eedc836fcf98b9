import { createHash } from "node:crypto"
import type { AuthenticatorPort, JsonObject, Person, Verification } from "@postern/core"

/** A person who may sign in. */
export interface TestPerson {
  /** The name that the person types. */
  readonly username: string
  /** The password; `password` by default. */
  readonly password?: string | undefined
  /** The `sub` claim; by default the username, percent-encoded if it has characters that no `sub` has (OpenID Connect Core §2). */
  readonly subject?: string | undefined
  /** All claims of the person. The scopes select among them. */
  readonly claims?: JsonObject | undefined
}

/** The default person. */
export const alice: TestPerson = {
  username: "alice",
  claims: { name: "Alice Ant", given_name: "Alice", family_name: "Ant", email: "alice@example.com", email_verified: true },
}

/** The people of a provider under test. */
export interface People {
  readonly authenticator: AuthenticatorPort
  /** Reports whether a username belongs to a configured person, whose password is checked. */
  readonly isGiven: (username: string) => boolean
  /** The person with a subject and these claims, created if unknown, with the credentials to type. */
  readonly known: (subject: string, claims: JsonObject | undefined) => { readonly username: string; readonly password: string }
}

interface Known {
  readonly person: Person
  readonly password: string
}

/** Reports whether a text can be a `sub` claim: 1 to 255 printable ASCII characters (OpenID Connect Core §2). */
export const isSubject = (text: string): boolean => /^[ -~]{1,255}$/.test(text)

/** The subject of a person who types a name: the name, or a text made of it that can be one. */
const subjectOf = (username: string): string => {
  if (isSubject(username)) return username
  const encoded = encodeURIComponent(username.toWellFormed())
  return isSubject(encoded) ? encoded : createHash("sha256").update(username).digest("base64url")
}

const knownFrom = ({ username, password = "password", subject = subjectOf(username), claims = {} }: TestPerson): Known => ({
  person: { subject, username, active: true, claims, tenant: null },
  password,
})

const isClaims = (text: string): boolean => text.trim().startsWith("{")

/** The claims that were typed as a password. No claims for other text, undefined for invalid JSON. */
const claimsTyped = (text: string): JsonObject | undefined => {
  if (!isClaims(text)) return {}
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
}

/**
 * Creates people in memory. With `anyUser` every other username may sign in as well. A password that is a JSON object sets that person's
 * claims; any other password keeps the claims that a test has set.
 */
export const peopleOf = (given: ReadonlyArray<TestPerson>, anyUser: boolean): People => {
  const bySubject = new Map<string, Known>()
  const byUsername = new Map<string, Known>()
  const put = (known: Known): Known => {
    bySubject.set(known.person.subject, known)
    byUsername.set(known.person.username.toLowerCase(), known)
    return known
  }
  // Usernames whose claims were typed as a password. A later password without claims removes them.
  const typed = new Set<string>()
  const guarded = new Set(given.map(({ username }) => username.toLowerCase()))
  const isGiven = (username: string): boolean => guarded.has(username.toLowerCase())
  for (const each of given) put(knownFrom(each))

  const rejected = (reason: string): Verification => ({ _tag: "Rejected", reason })
  const verified = ({ person }: Known): Verification => ({ _tag: "Verified", person, amr: ["pwd"], acr: undefined })
  return {
    authenticator: {
      verify: ({ username, password }) => {
        const known = byUsername.get(username.toLowerCase())
        if (!anyUser || isGiven(username)) {
          if (known === undefined) return rejected("no such person")
          return known.password === password.reveal() ? verified(known) : rejected("wrong password")
        }
        const claims = claimsTyped(password.reveal())
        if (claims === undefined) return rejected("the claims are no object of JSON")
        if (known !== undefined && !typed.has(known.person.username) && !isClaims(password.reveal())) return verified(known)
        typed.add(username)
        return verified(put(knownFrom({ username, claims })))
      },
      find: (subject) => bySubject.get(subject)?.person,
      identify: (hint) => (byUsername.get(hint.toLowerCase()) ?? bySubject.get(hint))?.person,
      admit: () => rejected("no other provider is known"),
    },
    isGiven,
    known: (subject, claims) => {
      const before = bySubject.get(subject)
      if (before !== undefined && claims === undefined) return { username: before.person.username, password: before.password }
      const { username, password } = before === undefined ? { username: subject, password: "password" } : { ...before.person, ...before }
      typed.delete(username)
      put(knownFrom({ username, password, subject, claims }))
      return { username, password }
    },
  }
}
