import { type Instant, type JsonObject, type Person, usernameKey } from "@postern/core/model"
import type { Awaitable } from "@postern/core/ports"
import type { Origin } from "../clients/clientRows.ts"
import { AlreadyExists } from "../errors.ts"

/** The origin of a person: the configuration, a command, or another provider that vouched for them. */
export type UserOrigin = Origin | "upstream"

/** A person as they are stored. */
export interface UserRow {
  /** The `sub` of the person. */
  readonly subject: string
  /** As it was written when the person was added. */
  readonly username: string
  /** As it is compared: {@link usernameKey}. */
  readonly usernameKey: string
  /** The argon2id hash of the password; undefined where there is none. */
  readonly passwordHash: string | undefined
  /** The claims of the person. */
  readonly claims: JsonObject
  /** True if the person may not sign in. */
  readonly disabled: boolean
  /** The only tenant they sign in to; undefined is any. */
  readonly tenant: string | undefined
  /** The origin of the person. */
  readonly origin: UserOrigin
  /** The time the person was added. */
  readonly createdAt: Instant
  /** The time the row last changed. */
  readonly updatedAt: Instant
}

/** Reads and changes stored people. */
export interface Users {
  /** Finds a person by their subject. */
  readonly findSubject: (subject: string) => Awaitable<UserRow | undefined>
  /** Finds a person by the key of their username. */
  readonly findUsername: (usernameKey: string) => Awaitable<UserRow | undefined>
  /** By username. */
  readonly all: () => Awaitable<ReadonlyArray<UserRow>>
  /** False when the subject or the username exists. */
  readonly insert: (row: UserRow) => Awaitable<boolean>
  /** Disables or enables a person. Returns false if there is no such person. */
  readonly disable: (usernameKey: string, disabled: boolean, at: Instant) => Awaitable<boolean>
  /** Sets a password hash; false where there is no such person. */
  readonly setPassword: (usernameKey: string, passwordHash: string, at: Instant) => Awaitable<boolean>
  /** Replaces a hash by another of the same password, unless the password was changed meanwhile. */
  readonly rehash: (subject: string, before: string, after: string) => Awaitable<void>
  /** Their links to other providers go with them. */
  readonly remove: (usernameKey: string) => Awaitable<boolean>
  /** Counts every change of anybody. */
  readonly revision: () => Awaitable<number>
  /**
   * Writes people whole and removes others, together, unless the revision is another by now: then it answers false. Who came from another
   * provider makes way for a username that is declared. Fails with `AlreadyExists` when a subject is another person's.
   */
  readonly agree: (written: ReadonlyArray<UserRow>, removed: ReadonlyArray<string>, revision: number) => Awaitable<boolean>
}

/** The failure of {@link Users.agree} when a subject is another person's. */
export const subjectTaken = ({ subject, username }: UserRow): AlreadyExists =>
  new AlreadyExists(`the subject ${subject} of user ${username} belongs to another user`)

export { usernameKey }

/** The usernames a person from another provider might have: the one wished for, then others made of it and of where they come from. */
export function* usernamesFor(wished: string, provider: string): Generator<string, never> {
  const base = wished.slice(0, 120)
  for (let count = 0; ; count++) yield count === 0 ? base : count === 1 ? `${base} (${provider})` : `${base} (${provider} ${count})`
}

/** The first of {@link usernamesFor} that nobody has. */
export const freeUsername = (wished: string, provider: string, isTaken: (usernameKey: string) => boolean): string => {
  for (const username of usernamesFor(wished, provider)) if (!isTaken(usernameKey(username))) return username
  throw new Error("there is no end of usernames")
}

/** The person a row describes. */
export const personOf = ({ subject, username, claims, disabled, tenant }: UserRow): Person => ({
  subject,
  username,
  active: !disabled,
  claims,
  tenant: tenant ?? null,
})
