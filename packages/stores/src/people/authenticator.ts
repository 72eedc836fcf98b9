import type { Instant, Person, Verification } from "@postern/core/model"
import type { AuthenticatorPort } from "@postern/core/ports"
import { after } from "@postern/core/ports"
import type { Declared } from "../declared.ts"
import { type DeclaredHashes, declaredSecrets } from "../secrets/declaredSecrets.ts"
import { AlreadyExists, NotFound } from "../errors.ts"
import { type Hashing, longestSecret } from "../secrets/hashing.ts"
import { type DeclaredUser, type NewUser, declareUsers, recallUsers, rowOf } from "./declare.ts"
import type { Asker } from "../secrets/turns.ts"
import type { Identities } from "./identities.ts"
import { type UserRow, type Users, personOf, usernameKey } from "./users.ts"

/** Parts of an authenticator. */
export interface AuthenticatorOptions {
  /** Hashes passwords. */
  readonly hashing: Hashing
  /** Whole seconds since 1970. */
  readonly now: () => Instant
  /** False where another process compares declared passwords with their rows; true when not given. */
  readonly confirms?: boolean | undefined
}

/** A person as the operator sees them: all but the password's hash. */
export type RegisteredUser = Omit<UserRow, "passwordHash" | "usernameKey"> & {
  /** True if a password is kept. */
  readonly hasPassword: boolean
  /** The other provider they last came from, if any. */
  readonly provider: string | undefined
}

/** People. Usernames are compared without regard to case. */
export interface People extends AuthenticatorPort {
  /** Adds a person; answers with their subject. Fails with {@link AlreadyExists}, or a RangeError for what cannot be stored. */
  readonly add: (user: NewUser) => Promise<Person>
  /** Every person, by username. */
  readonly list: () => Promise<ReadonlyArray<RegisteredUser>>
  /** Finds a person by their username. */
  readonly show: (username: string) => Promise<RegisteredUser | undefined>
  /** A disabled person signs in nowhere and their tokens stop working. Fails with {@link NotFound}. */
  readonly disable: (username: string) => Promise<void>
  /** Lets a disabled person sign in again. */
  readonly enable: (username: string) => Promise<void>
  /** Sets the password of a person. */
  readonly setPassword: (username: string, password: string) => Promise<void>
  /** Removes a person. Their subject is never used again. */
  readonly remove: (username: string) => Promise<void>
  /** Makes the store agree with the configuration file, as with clients. Fails with {@link AlreadyExists} when a subject is another person's. A password counts at once as it is declared, and stays when none is; the hash in its row is compared after that. */
  readonly upsertFromConfig: (declared: ReadonlyArray<DeclaredUser>) => Promise<Declared>
  /** The hashes of declared passwords as the store has come to agree, by subject. */
  readonly declaredHashes: () => DeclaredHashes
  /** Takes declared passwords into memory and writes nothing, as with clients. */
  readonly recallFromConfig: (declared: ReadonlyArray<DeclaredUser>, hashes: DeclaredHashes) => Promise<void>
}

const rejected = (reason: string): Verification => ({ _tag: "Rejected", reason })

/** Knows the people in a database's rows. */
export const peopleIn = (users: Users, identities: Identities, { hashing, now, confirms }: AuthenticatorOptions): People => {
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
        return rejected("a username or password of more than 1024 characters")
      const row = await users.findUsername(usernameKey(username))
      const asker: Asker = { kind: sentBy === "client" ? "password_grant" : "sign_in", address }
      if (!(await matches(row, password, asker)) || row === undefined)
        return rejected(row === undefined ? "no such user" : "wrong password")
      if (row.disabled) return rejected("the user is disabled")
      if (row.tenant !== undefined && tenant !== undefined && row.tenant !== tenant) return rejected("the user belongs to another tenant")
      // The sign-in has succeeded whether or not the better hash can be stored.
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
