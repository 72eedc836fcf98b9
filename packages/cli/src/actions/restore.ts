import { AlreadyExists, type Invalidated, restore, type Restored, sqliteSigningKeyStore, WrittenSince } from "@postern/adapter-sqlite"
import { rowKindsOf } from "@postern/core"
import { isSealed, KeyUnreadable, rotateKeys, type SigningKey, type SigningKeyStore } from "@postern/core/jose"
import * as Redacted from "effect/Redacted"
import { promised } from "../action.ts"
import { shownDatabase } from "../config/database.ts"
import { type DataPlace, dataPlace, sqliteFileOf, type Whereabouts } from "../data/place.ts"
import { storeFailure } from "../data/stores.ts"
import { failed, misused } from "../failure.ts"
import { counted } from "../terminal/amounts.ts"
import { moment, printable, say, sayJson, styled } from "../terminal/output.ts"
import { keyCareOf, keyFailure } from "../data/keyCare.ts"

/** The parameters of `postern restore`. */
export interface RestoreCall extends Whereabouts {
  readonly file: string | undefined
  readonly invalidate: boolean
  readonly force: boolean
  readonly keepSessions: boolean
  readonly keepConsents: boolean
  readonly json: boolean
}

/** The new signing keys, or the reason for which none were created. */
type Rotated = ReadonlyArray<SigningKey> | "kept" | "sealed" | "unreadable"

/**
 * Rotates the signing keys of a restored database. A key that was rotated out after the backup, perhaps because it leaked, would otherwise
 * sign again. New keys take over after the usual time, and the keys of the backup stay published for verification like any that are rotated
 * out.
 */
const rotated = async (store: SigningKeyStore, place: DataPlace): Promise<Rotated> => {
  const before = await store.list()
  const care = {
    ...keyCareOf({ keys: store }, place),
    ...(place.setup === undefined ? { algorithms: [...new Set(before.map(({ alg }) => alg))] } : {}),
  }
  if (before.length === 0) return "kept"
  if (care.encryption === undefined && before.some(({ privateJwk }) => isSealed(privateJwk))) return "sealed"
  try {
    for (const { kid, privateJwk } of before) if (isSealed(privateJwk)) await care.encryption?.open(kid, privateJwk)
  } catch (error) {
    if (error instanceof KeyUnreadable) return "unreadable"
    throw error
  }
  return rotateKeys(care, { atOnce: false })
}

/** Builds the options of a restore. Unless sessions are kept, the keys of the restored database are rotated; `keys` returns the result. */
const restoring = <Draft>(
  { force, keepSessions, keepConsents }: RestoreCall,
  place: DataPlace,
  keysOf: (draft: Draft) => SigningKeyStore,
) => {
  let keys: Rotated = "kept"
  const also = async (draft: Draft): Promise<void> => {
    if (!keepSessions) keys = await rotated(keysOf(draft), place)
  }
  const kinds = rowKindsOf(place.setup ?? {})
  return { options: { force, kept: { sessions: keepSessions, consents: keepConsents }, kinds, also }, keys: () => keys }
}

/** Replaces the database with a backup, or prepares a database restored by pg_restore for serving. */
export const restoreDatabase = promised(async (call: RestoreCall) => {
  const { file, invalidate, json } = call
  const place = await dataPlace(call)
  if (invalidate) return invalidateDatabase(place, call)
  const database = sqliteFileOf(place, "postern restore FILE", "restore it with pg_restore, and then: postern restore --invalidate")
  if (file === undefined) throw misused("no backup given", "postern restore FILE")
  const { options, keys } = restoring(call, place, sqliteSigningKeyStore)
  const restored = await restore(file, database, options).catch((error: unknown) => {
    throw failureOf(error)
  })
  if (json) return sayJson(shown(restored, keys()))
  say(`${styled("green", "✓")} restored ${printable(restored.file)}${taken(restored)}`)
  for (const line of lines(restored, keys(), call)) say(`  ${line}`)
})

const invalidateDatabase = async (place: DataPlace, call: RestoreCall): Promise<void> => {
  const { file, json } = call
  const { database } = place
  if (file !== undefined) throw misused("--invalidate takes no backup", "run pg_restore first")
  if (database._tag === "Sqlite") throw misused("--invalidate is for a PostgreSQL database", "name the backup: postern restore FILE")
  const { invalidateRestored, postgresSigningKeyStore } = await import("@postern/adapter-postgres")
  const { options, keys } = restoring(call, place, postgresSigningKeyStore)
  const invalidated = await invalidateRestored(Redacted.value(database.url), options).catch((error: unknown) => {
    throw storeFailure(keyFailure(error))
  })
  if (json) return sayJson({ place: shownDatabase(database), ...shownInvalidated(invalidated, keys()) })
  say(`${styled("green", "✓")} ${printable(shownDatabase(database))} is ready to serve`)
  for (const line of invalidatedLines(invalidated, keys(), call)) say(`  ${line}`)
}

const failureOf = (error: unknown): unknown => {
  if (error instanceof AlreadyExists) return failed(error.message, "give --force to replace it; it is set aside, not removed")
  if (error instanceof WrittenSince) return failed(error.message, "omit --keep-sessions: users then sign in again")
  return storeFailure(error)
}

const taken = ({ takenAt }: Restored): string => (takenAt === undefined ? "" : `, as it was at ${moment(takenAt)}`)

const lines = ({ aside, schema, invalidated }: Restored, keys: Rotated, call: RestoreCall): ReadonlyArray<string> => [
  ...(schema.from === schema.to ? [] : [`Its schema was upgraded from version ${schema.from} to ${schema.to}.`]),
  ...(aside === undefined ? [] : [`The previous database is now ${printable(aside)}`]),
  ...invalidatedLines(invalidated, keys, call),
]

const invalidatedLines = (invalidated: Invalidated, keys: Rotated, { keepSessions, keepConsents }: RestoreCall): ReadonlyArray<string> => [
  ...(keepSessions ? ["Sessions, tokens, consents and keys were kept."] : ended(invalidated, keepConsents)),
  `Removed: ${counted(invalidated.codes, "code")}, ${counted(invalidated.devices, "device")}, ${counted(invalidated.interactions, "waiting request")}.`,
  ...keyLines(keys),
  ...(keepSessions
    ? []
    : [
        "Users, passwords and clients are as they were then: anyone disabled or removed since is back.",
        "Review them: postern user list, postern client list",
      ]),
]

const ended = (all: Invalidated, keptConsents: boolean): ReadonlyArray<string> => [
  `Revoked: ${counted(all.grants, "grant")} with ${counted(all.refreshTokens, "refresh token")}, ${counted(all.referenceTokens, "reference token")}.`,
  `Ended: ${counted(all.sessions, "session")}. ${keptConsents ? "Consents were kept." : `Forgotten: ${counted(all.consents, "consent")}.`}`,
]

const keyLines = (keys: Rotated): ReadonlyArray<string> => {
  switch (keys) {
    case "kept":
      return []
    case "sealed":
      return ["Signing keys were not rotated, since no key_encryption_key is known here. Then: postern keys rotate --config FILE"]
    case "unreadable":
      return [
        "The signing keys are sealed with another key_encryption_key: the provider will not start.",
        "Configure the key_encryption_key of the backup, then run: postern keys rotate",
      ]
    default:
      return [
        `Signing keys: ${counted(keys.length, "new one")}, signing from ${moment(keys[0]?.activeAt ?? 0)}; those of the backup are kept for verification.`,
      ]
  }
}

const shown = ({ file, aside, takenAt, schema, invalidated }: Restored, keys: Rotated): object => ({
  file,
  aside: aside ?? null,
  taken_at: takenAt ?? null,
  schema,
  ...shownInvalidated(invalidated, keys),
})

const shownInvalidated = (invalidated: Invalidated, keys: Rotated): object => ({
  revoked: { grants: invalidated.grants, refresh_tokens: invalidated.refreshTokens, reference_tokens: invalidated.referenceTokens },
  ended: { sessions: invalidated.sessions },
  removed: {
    consents: invalidated.consents,
    codes: invalidated.codes,
    devices: invalidated.devices,
    interactions: invalidated.interactions,
  },
  keys: typeof keys === "string" ? keys : keys.map(({ kid, alg, activeAt }) => ({ kid, alg, active_at: activeAt })),
})
