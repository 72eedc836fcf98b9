import type { Person, UpstreamIdentity, Verification } from "@postern/core/model"
import type { AuthenticatorPort, Awaitable } from "@postern/core/ports"
import { type Hashing, argon2id, longestSecret } from "../secrets/hashing.ts"

/** The people of a table of your own. */
export interface TableOptions<Row> {
  /** Finds the row of what somebody typed as their username: an email address, say. Two rows must not have the same. */
  readonly byUsername: (username: string, tenant: string | undefined) => Awaitable<Row | null | undefined>
  /** Finds the row of a subject, as `person` tells it. */
  readonly bySubject: (subject: string) => Awaitable<Row | null | undefined>
  /** Makes a person of a row. Their `subject` never changes and is never used again. */
  readonly person: (row: Row) => Person
  /** The hash of the row's password; undefined or null for a person who has none. */
  readonly passwordHash: (row: Row) => string | null | undefined
  /**
   * Compares passwords with hashes: argon2id when not given. `decoy` is a hash of your kind that no password has: it is compared where there is nobody of that name, so that nobody learns which
   * names there are.
   */
  readonly hashing?: Pick<Hashing, "verify" | "decoy"> | undefined
  /** Admits a person whom another provider vouches for; nobody when not given. */
  readonly admit?: ((identity: UpstreamIdentity, tenant: string | undefined) => Awaitable<Verification>) | undefined
}

const rejected = (reason: string): Verification => ({ _tag: "Rejected", reason })

/**
 * Knows the people of a table of your own, in any database and by any library. Passwords are hashed a few at a time, each address in its turn, and an unknown name takes as long as a wrong password
 * (OWASP ASVS 2.2). Guesses are counted by the provider.
 */
export const tableAuthenticator = <Row>({
  byUsername,
  bySubject,
  person,
  passwordHash,
  hashing = argon2id(),
  admit,
}: TableOptions<Row>): AuthenticatorPort => ({
  verify: async ({ username, password, tenant, address, sentBy }) => {
    const typed = password.reveal()
    if (typed.length > longestSecret || username.length > longestSecret)
      return rejected("a username or password of more than 1024 characters")
    const row = (await byUsername(username, tenant)) ?? undefined
    const hash = row === undefined ? undefined : (passwordHash(row) ?? undefined)
    const asker = { kind: sentBy === "client" ? ("password_grant" as const) : ("sign_in" as const), address }
    const isRight = await hashing.verify(hash ?? hashing.decoy, typed, asker)
    if (row === undefined) return rejected("no such person")
    if (hash === undefined || !isRight) return rejected("wrong password")
    const found = person(row)
    if (!found.active) return rejected("the person is disabled")
    if (tenant !== undefined && typeof found.tenant === "string" && found.tenant !== tenant)
      return rejected("the person belongs to another tenant")
    return { _tag: "Verified", person: found, amr: ["pwd"] }
  },
  find: async (subject) => {
    const row = (await bySubject(subject)) ?? undefined
    return row === undefined ? undefined : person(row)
  },
  identify: async (hint) => {
    const row = hint.length > longestSecret ? undefined : ((await byUsername(hint, undefined)) ?? undefined)
    return row === undefined ? undefined : person(row)
  },
  admit: admit ?? (() => rejected("nobody is admitted from another provider")),
})
