import type { Instant, Person, Verification } from "@postern/core/model"
import type { AuthenticatorPort } from "@postern/core/ports"
import type { Database } from "better-sqlite3"
import { AlreadyExists, NotFound, guarded } from "../database/errors.ts"
import type { Declared } from "../declared.ts"
import { type Hashing, longestSecret } from "../hashing.ts"
import { type DeclaredUser, type NewUser, declareUsers, rowOf } from "./declare.ts"
import { identitiesOf } from "./identities.ts"
import { type Throttle, throttle } from "./throttle.ts"
import { type UserRow, personOf, usernameKey, usersOf } from "./users.ts"

/** What an authenticator works with. */
export interface AuthenticatorOptions {
  readonly hashing: Hashing
  readonly now: () => Instant
  readonly throttle?: Throttle
}

/** A person as the operator sees them: all but the password's hash. */
export type RegisteredUser = Omit<UserRow, "passwordHash" | "usernameKey"> & {
  readonly hasPassword: boolean
  /** The other provider they last came from, if any. */
  readonly provider: string | undefined
}

/** People in a SQLite database. Usernames are compared without regard to case. */
export interface SqliteAuthenticator extends AuthenticatorPort {
  /** Adds a person; answers with their subject. Fails with {@link AlreadyExists}, or a RangeError for what cannot be stored. */
  readonly add: (user: NewUser) => Promise<Person>
  /** Every person, by username. */
  readonly list: () => ReadonlyArray<RegisteredUser>
  readonly show: (username: string) => RegisteredUser | undefined
  /** A disabled person signs in nowhere and their tokens stop working. Fails with {@link NotFound}. */
  readonly disable: (username: string) => void
  readonly enable: (username: string) => void
  readonly setPassword: (username: string, password: string) => Promise<void>
  /** Removes a person. Their subject is never used again. */
  readonly remove: (username: string) => void
  /** Makes the store agree with the configuration file, as with clients. Fails with {@link AlreadyExists} when a subject is another person's. A password is hashed again only when it changed, and stays when none is declared. */
  readonly upsertFromConfig: (declared: ReadonlyArray<DeclaredUser>) => Promise<Declared>
}

const rejected = (reason: string): Verification => ({ _tag: "Rejected", reason })

/** Keeps people in a database. */
export const sqliteAuthenticator = (
  database: Database,
  { hashing, now, throttle: allow = throttle() }: AuthenticatorOptions,
): SqliteAuthenticator => {
  const users = usersOf(database)
  const identities = identitiesOf(database, users)
  const registered = (rows: ReadonlyArray<UserRow>): ReadonlyArray<RegisteredUser> => {
    const providers = identities.providers()
    return rows.map(({ passwordHash, usernameKey: _compared, ...row }) => ({
      ...row,
      hasPassword: passwordHash !== undefined,
      provider: providers.get(row.subject),
    }))
  }

  /** Whether there is a person of that password; takes as long when there is no such person, or none with a password. */
  const matches = async (row: UserRow | undefined, password: string): Promise<boolean> => {
    const hashed = row?.passwordHash
    return (await hashing.verify(hashed ?? hashing.decoy, password)) && hashed !== undefined
  }
  const renew = async (row: UserRow, password: string): Promise<void> => {
    const before = row.passwordHash
    if (before === undefined || !hashing.outdated(before)) return
    const after = await hashing.hash(password)
    guarded("renew a password hash", () => users.rehash(row.subject, before, after))
  }
  const must = (found: boolean, username: string): void => {
    if (!found) throw new NotFound(`there is no user ${username}`)
  }
  const disable = (username: string, disabled: boolean): void =>
    must(
      guarded("change a user", () => users.disable(usernameKey(username), disabled, now())),
      username,
    )

  return {
    verify: async ({ username, password: sent, tenant, address }) => {
      const password = sent.reveal()
      if (password.length > longestSecret || username.length > longestSecret)
        return rejected("a username or password of more than 1024 characters")
      const key = usernameKey(username)
      const tried = await allow(key, address)
      if (tried._tag === "TooMany")
        return { _tag: "Throttled", reason: `too many failed sign-ins for this ${tried.what}`, retryAfter: tried.retryAfter }
      const row = guarded("read a user", () => users.findUsername(key))
      if (!(await matches(row, password)) || row === undefined) return rejected(row === undefined ? "no such user" : "wrong password")
      await tried.succeeded()
      if (row.disabled) return rejected("the user is disabled")
      if (row.tenant !== undefined && tenant !== undefined && row.tenant !== tenant) return rejected("the user belongs to another tenant")
      // The sign-in has succeeded whether or not the better hash can be stored.
      await renew(row, password).catch(() => undefined)
      return { _tag: "Verified", person: personOf(row), amr: ["pwd"], acr: undefined }
    },
    find: (subject) => {
      const row = guarded("read a user", () => users.findSubject(subject))
      return row && personOf(row)
    },
    admit: (identity, tenant) => guarded("admit a user from another provider", () => identities.admit(identity, tenant, now())),
    add: async (user) => {
      const row = await rowOf(hashing, user, now(), "command")
      if (!guarded("add a user", () => users.insert(row)))
        throw new AlreadyExists(`there is a user ${user.username} or of that subject already`)
      return personOf(row)
    },
    list: () => guarded("list users", () => registered(users.all())),
    show: (username) => {
      const row = guarded("read a user", () => users.findUsername(usernameKey(username)))
      return row && guarded("read a user", () => registered([row])[0])
    },
    disable: (username) => disable(username, true),
    enable: (username) => disable(username, false),
    setPassword: async (username, password) => {
      const { passwordHash } = await rowOf(hashing, { username, password }, now(), "command")
      const hashed = passwordHash ?? ""
      must(
        guarded("change a user", () => users.setPassword(usernameKey(username), hashed, now())),
        username,
      )
    },
    remove: (username) =>
      must(
        guarded("remove a user", () => users.remove(usernameKey(username))),
        username,
      ),
    upsertFromConfig: (declared) => declareUsers(users, { hashing, now }, declared),
  }
}
