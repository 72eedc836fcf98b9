import { type Instant, type Person, type Verification, longestSecret } from "@postern/core/model"
import type { AuthenticatorPort } from "@postern/core/ports"
import { after } from "@postern/core/ports"
import { inSeconds } from "@postern/core/options"
import type { Declared } from "../declared.ts"
import { type DeclaredHashes, declaredSecrets } from "../secrets/declaredSecrets.ts"
import { AlreadyExists, NotFound } from "../errors.ts"
import type { Hashing } from "../secrets/hashing.ts"
import { type DeclaredUser, type NewUser, declareUsers, recallUsers, rowOf } from "./declare.ts"
import type { Asker } from "../secrets/turns.ts"
import type { Identities } from "./identities.ts"
import { type UserRow, type Users, personOf, usernameKey } from "./users.ts"

/** Dependencies of an authenticator. */
export interface AuthenticatorOptions {
  /** Hashes passwords. */
  readonly hashing: Hashing
  /** Whole seconds since 1970. */
  readonly now: () => Instant
  /** False if another process compares declared passwords with their rows. Default: true. */
  readonly confirms?: boolean | undefined
}

/** A person as the operator sees them, without the password's hash. */
export type RegisteredUser = Omit<UserRow, "passwordHash" | "usernameKey"> & {
  /** True if a password is stored. */
  readonly hasPassword: boolean
  /** The other provider that they signed in from, if any. */
  readonly provider: string | undefined
}

/** The registered people. Usernames are compared case-insensitively. */
export interface People extends AuthenticatorPort {
  /**
   * Adds a person and returns them with their subject. Fails with {@link AlreadyExists}, or with a RangeError for values that cannot be
   * stored.
   */
  readonly add: (user: NewUser) => Promise<Person>
  /** Lists every person, ordered by username. */
  readonly list: () => Promise<ReadonlyArray<RegisteredUser>>
  /** Finds a person by username. */
  readonly show: (username: string) => Promise<RegisteredUser | undefined>
  /** Disables a person. They can no longer sign in, and their tokens stop working. Fails with {@link NotFound}. */
  readonly disable: (username: string) => Promise<void>
  /** Enables a disabled person. Fails with {@link NotFound}. */
  readonly enable: (username: string) => Promise<void>
  /** Sets a person's password. Fails with {@link NotFound}. */
  readonly setPassword: (username: string, password: string) => Promise<void>
  /** Removes a person. Their subject is never used again. Fails with {@link NotFound}. */
  readonly remove: (username: string) => Promise<void>
  /**
   * Applies the configuration file, as for clients. Fails with {@link AlreadyExists} if a subject belongs to another person. A declared
   * password is valid immediately, and is compared with the hash in its row afterwards. If none is declared, the stored one stays.
   */
  readonly upsertFromConfig: (declared: ReadonlyArray<DeclaredUser>) => Promise<Declared>
  /** Returns the hashes of declared passwords, by subject, for `recallFromConfig` of other processes. */
  readonly declaredHashes: () => DeclaredHashes
  /** Loads declared passwords into memory without writing, as for clients. */
  readonly recallFromConfig: (declared: ReadonlyArray<DeclaredUser>, hashes: DeclaredHashes) => Promise<void>
}

const rejected = (reason: string): Verification => ({ _tag: "Rejected", reason })

/** Makes the store of people from a database's rows. */
export const peopleIn = (users: Users, identities: Identities, { hashing, now: clock, confirms }: AuthenticatorOptions): People => {
  const now = inSeconds("peopleIn", clock)
  const registered = async (rows: ReadonlyArray<UserRow>): Promise<ReadonlyArray<RegisteredUser>> => {
    const providers = await identities.providers()
    return rows.map(({ passwordHash, usernameKey: _compared, ...row }) => ({
      ...row,
      hasPassword: passwordHash !== undefined,
      provider: providers.get(row.subject),
    }))
  }

  const declared = declaredSecrets(hashing, users.rehash, confirms)

  /** Reports whether the person has that password. Takes equally long if the person does not exist or has no password. */
  const matches = async (row: UserRow | undefined, password: string, asker: Asker): Promise<boolean> => {
    const hashed = row?.passwordHash
    const isHashed = await hashing.verify(hashed ?? hashing.decoy, password, asker)
    return hashed !== undefined && ((row && declared.matches(row.subject, hashed, password)) ?? isHashed)
  }
  const renew = async (row: UserRow, password: string): Promise<void> => {
    const before = row.passwordHash
    if (before === undefined || !hashing.outdated(before)) return
    const better = await hashing.hash(password)
    await users.rehash(row.subject, before, better)
  }
  const must = (found: boolean, username: string): void => {
    if (!found) throw new NotFound(`there is no user ${username}`)
  }
  const disable = async (username: string, disabled: boolean): Promise<void> =>
    must(await users.disable(usernameKey(username), disabled, now()), username)

  return {
    verify: async ({ username, password: sent, tenant, address, sentBy }) => {
      const password = sent.reveal()
      if (password.length > longestSecret || username.length > longestSecret)
        return rejected(`a username or password of more than ${longestSecret} characters`)
      const row = await users.findUsername(usernameKey(username))
      const asker: Asker = { kind: sentBy === "client" ? "password_grant" : "sign_in", address }
      if (!(await matches(row, password, asker)) || row === undefined)
        return rejected(row === undefined ? "no such user" : "wrong password")
      if (row.disabled) return rejected("the user is disabled")
      if (row.tenant !== undefined && tenant !== undefined && row.tenant !== tenant) return rejected("the user belongs to another tenant")
      // The sign-in has succeeded even if the better hash cannot be stored.
      await renew(row, password).catch(() => undefined)
      return { _tag: "Verified", person: personOf(row), amr: ["pwd"], acr: undefined }
    },
    find: (subject) => after(users.findSubject(subject), (row) => row && personOf(row)),
    identify: async (hint) => {
      const row = hint.length > longestSecret ? undefined : await users.findUsername(usernameKey(hint))
      return row && personOf(row)
    },
    admit: (identity, tenant) => identities.admit(identity, tenant, now()),
    add: async (user) => {
      const row = await rowOf(hashing, user, now(), "command")
      if (!(await users.insert(row))) throw new AlreadyExists(`there is a user ${user.username} or of that subject already`)
      return personOf(row)
    },
    list: async () => registered(await users.all()),
    show: async (username) => {
      const row = await users.findUsername(usernameKey(username))
      return row && (await registered([row]))[0]
    },
    disable: (username) => disable(username, true),
    enable: (username) => disable(username, false),
    setPassword: async (username, password) => {
      const { passwordHash } = await rowOf(hashing, { username, password }, now(), "command")
      must(await users.setPassword(usernameKey(username), passwordHash ?? "", now()), username)
    },
    remove: async (username) => must(await users.remove(usernameKey(username)), username),
    upsertFromConfig: (all) => declareUsers(users, { hashing, declared, now }, all),
    declaredHashes: declared.hashes,
    recallFromConfig: (all, hashes) => recallUsers(users, declared, all, hashes),
  }
}
