import type { Instant, JsonObject } from "@postern/core/model"
import { randomUUID } from "node:crypto"
import type { Origin } from "../clients/clientRows.ts"
import { type Declared, type Outcome, declaredAs, mapFew } from "../declared.ts"
import type { DeclaredHashes, DeclaredSecrets } from "../secrets/declaredSecrets.ts"
import { StoreUnavailable } from "../errors.ts"
import { type Hashing, isPasswordHash, longestSecret } from "../secrets/hashing.ts"
import { type UserRow, type Users, usernameKey } from "./users.ts"

/** A person to be added. */
export interface NewUser {
  /** 1 to 200 characters, without control characters. */
  readonly username: string
  /** 1 to 1024 characters. Give this or `passwordHash`; a person without either signs in nowhere. */
  readonly password?: string | undefined
  /** An argon2id hash in PHC form. */
  readonly passwordHash?: string | undefined
  /** The `sub` claim, 1 to 255 printable ASCII characters; made up when not given. */
  readonly subject?: string | undefined
  /** The claims of the person. */
  readonly claims?: JsonObject | undefined
  /** True if the person may not sign in. */
  readonly disabled?: boolean | undefined
  /** The only tenant they sign in to, 1 to 200 printable ASCII characters; any when not given. */
  readonly tenant?: string | undefined
}

/** A person as the configuration file declares them. */
export type DeclaredUser = NewUser

/** Parts that people are declared with. */
export interface Declaring {
  /** Hashes passwords. */
  readonly hashing: Hashing
  /** The secrets that are declared. */
  readonly declared: DeclaredSecrets
  /** Whole seconds since 1970. */
  readonly now: () => Instant
}

/** The row of a new person. Throws a RangeError for what cannot be stored. */
export const rowOf = async (hashing: Hashing, user: NewUser, at: Instant, origin: Origin): Promise<UserRow> => {
  const fault = faultOf(user)
  if (fault !== undefined) throw new RangeError(fault)
  const { username, password, passwordHash, subject, claims, disabled, tenant } = user
  return {
    subject: subject ?? randomUUID(),
    username: username.trim(),
    usernameKey: usernameKey(username),
    passwordHash: password === undefined ? passwordHash : await hashing.hash(password),
    claims: claims ?? {},
    disabled: disabled ?? false,
    tenant,
    origin,
    createdAt: at,
    updatedAt: at,
  }
}

const faultOf = ({ username, password, passwordHash, subject, tenant }: NewUser): string | undefined => {
  const key = usernameKey(username)
  if (key === "" || key.length > 200 || /\p{Cc}/u.test(key)) return "a username has 1 to 200 characters and no control characters"
  if (password !== undefined && (password === "" || password.length > longestSecret))
    return `a password has 1 to ${longestSecret} characters`
  if (password !== undefined && passwordHash !== undefined) return "give a password or its hash, not both"
  if (passwordHash !== undefined && !isPasswordHash(passwordHash))
    return "a password hash is an argon2id hash in PHC form: $argon2id$v=19$m=…,t=…,p=…$salt$hash"
  if (subject !== undefined && !/^[\x21-\x7e]{1,255}$/.test(subject)) return "a subject has 1 to 255 printable ASCII characters"
  if (tenant !== undefined && !/^[\x21-\x7e]{1,200}$/.test(tenant)) return "a tenant has 1 to 200 printable ASCII characters"
  return undefined
}

/**
 * Makes stored people agree with those a configuration file declares. Somebody who changes people meanwhile, as another process that starts
 * with the same file, is waited for: it is read and judged again, so that a person keeps the subject they were given first.
 */
export const declareUsers = async (users: Users, declaring: Declaring, declared: ReadonlyArray<DeclaredUser>): Promise<Declared> => {
  for (let tries = 0; tries < 10; tries++) {
    const agreed = await declareOnce(users, declaring, declared)
    if (agreed === undefined) continue
    // A row that cannot be confirmed now is confirmed at the next start; the file counts all the same.
    declaring.declared.confirm().catch(() => undefined)
    return agreed
  }
  throw new StoreUnavailable("write declared users", "CONFLICT")
}

/** Takes the passwords of declared people as those of the hashes given, as far as their rows still keep them. */
export const recallUsers = async (
  users: Pick<Users, "all">,
  known: DeclaredSecrets,
  declared: ReadonlyArray<DeclaredUser>,
  hashes: DeclaredHashes,
): Promise<void> => {
  const kept = new Map(hashes)
  const stored = (await users.all()).filter(({ subject, passwordHash }) => passwordHash !== undefined && kept.get(subject) === passwordHash)
  const subjects = new Map(stored.map((row) => [row.usernameKey, row.subject]))
  for (const { username, password } of declared) {
    const subject = subjects.get(usernameKey(username))
    const hash = subject && kept.get(subject)
    if (password !== undefined && subject !== undefined && hash !== undefined) known.declare(subject, hash, password, true)
  }
}

const declareOnce = async (users: Users, declaring: Declaring, declared: ReadonlyArray<DeclaredUser>): Promise<Declared | undefined> => {
  const revision = await users.revision()
  // A person whom another provider vouched for is not the declared person, even if the usernames are equal.
  const known = (await users.all()).filter(({ origin }) => origin !== "upstream")
  const stored = new Map(known.map((row) => [row.usernameKey, row]))
  const judged = await mapFew(declared, async (user) => {
    const before = stored.get(usernameKey(user.username))
    const row = await declaredRow(declaring, user, before)
    return { row, outcome: outcomeOf(row, before) }
  })
  const names = new Set(judged.map(({ row }) => row.usernameKey))
  const removed = [...stored.values()].filter((row) => row.origin === "config" && !names.has(row.usernameKey))
  const written = judged.flatMap(({ row, outcome }) => (outcome === "unchanged" ? [] : [row]))
  if (written.length > 0 || removed.length > 0) {
    const removedKeys = removed.map((row) => row.usernameKey)
    if (!(await users.agree(written, removedKeys, revision))) return undefined
  }
  return declaredAs(
    judged.map(({ row, outcome }) => [row.username, outcome] as const),
    removed.map(({ username }) => username),
  )
}

/**
 * The declared row. A person known before keeps their subject, and their hash while no other is declared: it is taken for the declared password's,
 * unless it is known to be another's.
 */
const declaredRow = async ({ hashing, declared, now }: Declaring, user: DeclaredUser, before: UserRow | undefined): Promise<UserRow> => {
  const hashed = before?.passwordHash
  const { password } = user
  const silent = password === undefined && user.passwordHash === undefined
  const believed = password !== undefined && hashed !== undefined && declared.matches(before?.subject ?? "", hashed, password) !== false
  const told = silent || believed ? { ...user, password: undefined, passwordHash: hashed } : user
  const row = await rowOf(hashing, { ...told, subject: user.subject ?? before?.subject }, now(), "config")
  if (password !== undefined && row.passwordHash !== undefined) declared.declare(row.subject, row.passwordHash, password, !believed)
  return { ...row, createdAt: before?.createdAt ?? row.createdAt }
}

const outcomeOf = (row: UserRow, before: UserRow | undefined): Outcome => {
  if (before === undefined) return "added"
  return JSON.stringify({ ...row, updatedAt: 0 }) === JSON.stringify({ ...before, updatedAt: 0 }) ? "unchanged" : "changed"
}
