import type { Person } from "../model/index.ts"
import type { AuthenticatorPort } from "../ports/index.ts"
import { refuseOthers, refuseRepeated } from "./repeated.ts"

/** A person and their password. */
export interface PersonWithPassword {
  /** The person. */
  readonly person: Person
  /** The password of the person. */
  readonly password: string
}

/**
 * An authenticator over a plain map of passwords, for tests and examples. It does not hash or throttle, and answers faster for an unknown
 * username. Do not use it for a provider that strangers can reach. Throws a `TypeError` for people with the same username or subject.
 */
export const memoryAuthenticator = (given: ReadonlyArray<PersonWithPassword>): AuthenticatorPort => {
  refuseOthers(
    "memoryAuthenticator: people",
    given,
    ({ person, password }) => typeof person?.username === "string" && typeof person.subject === "string" && typeof password === "string",
    "must have a person, with username and subject, and a password",
  )
  // The tenant of every person is known here, so a person without one may sign in for any.
  const people = given.map(({ person, password }): PersonWithPassword => ({ person: { tenant: null, ...person }, password }))
  refuseRepeated(
    "memoryAuthenticator: subject",
    given.map(({ person }) => person.subject),
  )
  refuseRepeated(
    "memoryAuthenticator: username",
    given.map(({ person }) => person.username.toLowerCase()),
  )
  const bySubject = new Map(people.map(({ person }) => [person.subject, person]))
  const byUsername = new Map(people.map((each) => [each.person.username.toLowerCase(), each]))
  /** Subjects of people who came from another provider, by that provider's issuer and subject. */
  const linked = new Map<string, string>()
  return {
    verify: ({ username, password, tenant }) => {
      const known = byUsername.get(username.toLowerCase())
      if (known === undefined) return { _tag: "Rejected", reason: "no such person" }
      if (known.password !== password.reveal()) return { _tag: "Rejected", reason: "wrong password" }
      if (!known.person.active) return { _tag: "Rejected", reason: "the person is disabled" }
      if (isElsewhere(known.person, tenant)) return { _tag: "Rejected", reason: "the person belongs to another tenant" }
      return { _tag: "Verified", person: known.person, amr: ["pwd"], acr: undefined }
    },
    find: (subject) => bySubject.get(subject),
    identify: (hint) => byUsername.get(hint.toLowerCase())?.person,
    admit: ({ provider, issuer, subject: theirs, claims, amr, acr }, tenant) => {
      const link = JSON.stringify([issuer, theirs])
      const subject = linked.get(link) ?? `linked-${linked.size + 1}`
      const known = bySubject.get(subject)
      if (known?.active === false) return { _tag: "Rejected", reason: "the person is disabled" }
      if (known !== undefined && isElsewhere(known, tenant)) return { _tag: "Rejected", reason: "the person belongs to another tenant" }
      const person: Person = {
        subject,
        username: known?.username ?? `${provider}-${subject}`,
        active: true,
        claims,
        tenant: known?.tenant ?? null,
      }
      linked.set(link, subject)
      bySubject.set(subject, person)
      return { _tag: "Verified", person, amr, acr }
    },
  }
}

const isElsewhere = (person: Person, tenant: string | undefined): boolean =>
  tenant !== undefined && typeof person.tenant === "string" && person.tenant !== tenant
