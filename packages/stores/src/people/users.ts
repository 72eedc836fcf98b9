import { type Instant, type JsonObject, type Person, usernameKey } from "@postern/core/model"
import type { Awaitable } from "@postern/core/ports"
import type { Origin } from "../clients/clientRows.ts"
import { AlreadyExists } from "../errors.ts"

/** The origin of a person: the configuration file, the command line, or another provider that vouched for them. */
export type UserOrigin = Origin | "upstream"

/** A stored person. */
export interface UserRow {
  /** The person's `sub`. */
  readonly subject: string
  /** The username as it was written when the person was added. */
  readonly username: string
  /** The username in the form that is compared: {@link usernameKey}. */
  readonly usernameKey: string
  /** The argon2id hash of the password. Undefined if there is none. */
  readonly passwordHash: string | undefined
  /** The person's claims. */
  readonly claims: JsonObject
  /** True if the person may not sign in. */
  readonly disabled: boolean
  /** The only tenant that they may sign in to. Undefined means any. */
  readonly tenant: string | undefined
  /** The origin of the person. */
  readonly origin: UserOrigin
  /** The time at which the person was added. */
  readonly createdAt: Instant
  /** The time of the row's last change. */
  readonly updatedAt: Instant
}

/** Reads and changes stored people. */
export interface Users {
  /** Finds a person by subject. */
  readonly findSubject: (subject: string) => Awaitable<UserRow | undefined>
  /** Finds a person by the key of the username. */
  readonly findUsername: (usernameKey: string) => Awaitable<UserRow | undefined>
  /** Lists every person, ordered by username. */
  readonly all: () => Awaitable<ReadonlyArray<UserRow>>
  /** Inserts a person. Returns false if the subject or the username exists. */
  readonly insert: (row: UserRow) => Awaitable<boolean>
  /** Disables or enables a person. Returns false if there is no such person. */
  readonly disable: (usernameKey: string, disabled: boolean, at: Instant) => Awaitable<boolean>
  /** Sets a password hash. Returns false if there is no such person. */
  readonly setPassword: (usernameKey: string, passwordHash: string, at: Instant) => Awaitable<boolean>
  /** Replaces a hash by another of the same password, unless the password has changed meanwhile. */
  readonly rehash: (subject: string, before: string, after: string) => Awaitable<void>
  /** Removes a person with their links to other providers. Returns false if there is no such person. */
  readonly remove: (usernameKey: string) => Awaitable<boolean>
  /** Reads the counter that every change of any person increments. */
  readonly revision: () => Awaitable<number>
  /**
   * Writes and removes people in one transaction. Returns false, changing nothing, if the revision has changed. A person from another
   * provider loses their username to a declared person. Fails with `AlreadyExists` if a subject belongs to another person.
   */
  readonly agree: (written: ReadonlyArray<UserRow>, removed: ReadonlyArray<string>, revision: number) => Awaitable<boolean>
}

/** Makes the failure of {@link Users.agree} for a subject that belongs to another person. */
export const subjectTaken = ({ subject, username }: UserRow): AlreadyExists =>
  new AlreadyExists(`the subject ${subject} of user ${username} belongs to another user`)

export { usernameKey }

/** Generates usernames for a person from another provider: first the wished one, then variants with the provider's name. */
export function* usernamesFor(wished: string, provider: string): Generator<string, never> {
  const base = wished.slice(0, 120)
  for (let count = 0; ; count++) yield count === 0 ? base : count === 1 ? `${base} (${provider})` : `${base} (${provider} ${count})`
}

/** Returns the first of {@link usernamesFor} that is not taken. */
export const freeUsername = (wished: string, provider: string, isTaken: (usernameKey: string) => boolean): string => {
  for (const username of usernamesFor(wished, provider)) if (!isTaken(usernameKey(username))) return username
  throw new Error("there is no end of usernames")
}

/** Converts a row to a person. */
export const personOf = ({ subject, username, claims, disabled, tenant }: UserRow): Person => ({
  subject,
  username,
  active: !disabled,
  claims,
  tenant: tenant ?? null,
})
