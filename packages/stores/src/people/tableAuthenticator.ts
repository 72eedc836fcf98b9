import { type Person, type UpstreamIdentity, type Verification, longestSecret } from "@postern/core/model"
import type { AuthenticatorPort, Awaitable } from "@postern/core/ports"
import { type MemberKinds, memberFaults, partFaults, refuseFaults } from "@postern/core/options"
import { type Hashing, argon2id } from "../secrets/hashing.ts"

/** Accesses people in a table of your own. */
export interface TableOptions<Row> {
  /** Finds the row of the username that somebody typed, such as an email address. Usernames must be unique. */
  readonly byUsername: (username: string, tenant: string | undefined) => Awaitable<Row | null | undefined>
  /** Finds the row of a subject that `person` has returned. */
  readonly bySubject: (subject: string) => Awaitable<Row | null | undefined>
  /** Converts a row to a person. Their `subject` never changes and is never used again. */
  readonly person: (row: Row) => Person
  /** Returns the hash of the row's password, or undefined or null for a person without one. */
  readonly passwordHash: (row: Row) => string | null | undefined
  /**
   * Compares passwords with hashes. Default: argon2id. `decoy` is a hash of the same kind that no password has. It is compared for an
   * unknown name, so that response times do not reveal which names exist.
   */
  readonly hashing?: Pick<Hashing, "verify" | "decoy"> | undefined
  /** Admits a person whom another provider vouches for. Nobody is admitted by default. */
  readonly admit?: ((identity: UpstreamIdentity, tenant: string | undefined) => Awaitable<Verification>) | undefined
}

const kinds: MemberKinds<TableOptions<unknown>> = {
  byUsername: "function",
  bySubject: "function",
  person: "function",
  passwordHash: "function",
  hashing: "object?",
  admit: "function?",
}

const rejected = (reason: string): Verification => ({ _tag: "Rejected", reason })

/**
 * Authenticates the people of a table of your own, in any database and through any library. By default a few passwords are hashed at a
 * time, in turn between addresses. An unknown name takes as long as a wrong password (OWASP ASVS 2.2). The provider counts guesses.
 */
export const tableAuthenticator = <Row>(options: TableOptions<Row>): AuthenticatorPort => {
  refuseFaults("tableAuthenticator", memberFaults(options, kinds))
  const { byUsername, bySubject, person, passwordHash, hashing = argon2id(), admit } = options
  refuseFaults("tableAuthenticator", partFaults("hashing", hashing, { verify: "function", decoy: "text" }, "Hashing"))
  return {
    verify: async ({ username, password, tenant, address, sentBy }) => {
      const typed = password.reveal()
      if (typed.length > longestSecret || username.length > longestSecret)
        return rejected(`a username or password of more than ${longestSecret} characters`)
      const row = (await byUsername(username, tenant)) ?? undefined
      const hash = row === undefined ? undefined : (passwordHash(row) ?? undefined)
      const asker = { kind: sentBy === "client" ? ("password_grant" as const) : ("sign_in" as const), address }
      const isRight: unknown = await hashing.verify(hash ?? hashing.decoy, typed, asker)
      // Untyped code may answer an object that says no. Its truth must not sign anybody in.
      if (typeof isRight !== "boolean") throw new TypeError(`hashing.verify answered ${typeof isRight}, and must answer true or false`)
      if (row === undefined) return rejected("no such person")
      if (hash === undefined || !isRight) return rejected("wrong password")
      const found = person(row)
      // Anything but true or false is judged with the rest of the person, by the provider.
      if (found.active === false) return rejected("the person is disabled")
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
  }
}
