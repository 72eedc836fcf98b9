import type { AuthenticatorPort, JsonObject, Person, Verification } from "@postern/core"

/** A person who may sign in. */
export interface TestPerson {
  /** The name that the person types. */
  readonly username: string
  /** The password; `password` when not given. */
  readonly password?: string | undefined
  /** The `sub` claim; the username when not given. */
  readonly subject?: string | undefined
  /** Every claim known of the person; scopes choose among them. */
  readonly claims?: JsonObject | undefined
}

/** The person there is when none is given. */
export const alice: TestPerson = {
  username: "alice",
  claims: { name: "Alice Ant", given_name: "Alice", family_name: "Ant", email: "alice@example.com", email_verified: true },
}

/** The people of a provider under test. */
export interface People {
  readonly authenticator: AuthenticatorPort
  /** Reports whether a username is one of the people who were given, whose password counts. */
  readonly isGiven: (username: string) => boolean
  /** The person of a subject with these claims, made known where they are not yet, and what they type. */
  readonly known: (subject: string, claims: JsonObject | undefined) => { readonly username: string; readonly password: string }
}

interface Known {
  readonly person: Person
  readonly password: string
}

const knownFrom = ({ username, password = "password", subject = username, claims = {} }: TestPerson): Known => ({
  person: { subject, username, active: true, claims, tenant: null },
  password,
})

const isClaims = (text: string): boolean => text.trim().startsWith("{")

/** The claims that were typed in place of a password: an object of JSON, or nothing. */
const claimsTyped = (text: string): JsonObject | undefined => {
  if (!isClaims(text)) return {}
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
}

/**
 * People in memory. With `anyUser` whoever has not been given may sign in under any name; what they type as a password may be their claims, as an object
 * of JSON, and anything else leaves the claims that a test has made known.
 */
export const peopleOf = (given: ReadonlyArray<TestPerson>, anyUser: boolean): People => {
  const bySubject = new Map<string, Known>()
  const byUsername = new Map<string, Known>()
  const put = (known: Known): Known => {
    bySubject.set(known.person.subject, known)
    byUsername.set(known.person.username.toLowerCase(), known)
    return known
  }
  // Names whose claims were typed: another password takes them away again.
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
