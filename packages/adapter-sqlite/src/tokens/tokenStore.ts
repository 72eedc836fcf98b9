import { type Instant, type Session, offlineAccess } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import type { Sweep } from "@postern/stores"
import type { Stored } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/guarded.ts"
import { withoutWaiting } from "../database/lock.ts"
import { applyTo } from "./commands.ts"
import { type CommitTogether, commitsOf, ownResult } from "./commit.ts"
import { attemptsOf, devicesOf } from "./devices.ts"
import { interactionsOf } from "./interactions.ts"
import { sweepOf } from "./sweep.ts"
import { tablesOf } from "./tables.ts"

/** A token store on one SQLite database. Every failure is a `StoreUnavailable`. */
export interface SqliteTokenStore extends TokenStorePort {
  readonly commitTogether: CommitTogether
  /** One slice of sweeping, a few milliseconds long. Call it again while there is more. */
  readonly sweep: (now: Instant) => Sweep
}

/**
 * Keeps grants, codes, tokens, sessions, interactions and consents in a database that {@link openDatabase} opened. `reading` is called
 * before each read; a sweep waits for a lock for so many milliseconds.
 */
export const sqliteTokenStore = (database: Database, reading: () => void = () => undefined, patience = 0): SqliteTokenStore => {
  const tables = tablesOf(database)
  const { grants, codes, accessTokens, refreshTokens, sessions, consents } = tables
  const interactions = interactionsOf(database)
  const devices = devicesOf(database)
  const attempts = attemptsOf(database)
  const commitTogether = commitsOf(database, applyTo(database, tables, interactions, devices, attempts))
  const sweep = sweepOf(database)
  const grantsOf = database
    .prepare<[string], Array<Stored>>(
      // A scope is a JSON list of names that hold no quotes.
      `SELECT ${grants.selected} FROM grants WHERE subject = ? AND revoked_at IS NULL
        AND (extension IS NULL OR instr(scope, '"${offlineAccess}"') > 0) ORDER BY id DESC LIMIT 100`,
    )
    .raw()
  const sessionsOf = database
    .prepare<[string], Array<Stored>>(
      `SELECT ${sessions.selected} FROM sessions WHERE subject = ? AND ended_at IS NULL ORDER BY locator DESC LIMIT 100`,
    )
    .raw()
  const consentsOf = database
    .prepare<[string], Array<Stored>>(
      `SELECT ${consents.selected} FROM consents WHERE subject = ? ORDER BY granted_at DESC, client_id LIMIT 100`,
    )
    .raw()

  const read = <A>(operation: string, run: () => A): A =>
    guarded(operation, () => {
      reading()
      return run()
    })

  return {
    findGrant: (id) => read("read a grant", () => grants.find(id)),
    grantsOf: (subject) => read("list grants", () => grantsOf.all(subject).map(grants.read)),
    findCode: (locator) =>
      read("read a code", () => {
        const code = codes.find(locator)
        const grant = code && grants.find(code.grantId)
        return code && grant && { code, grant }
      }),
    findAccessToken: (locator) =>
      read("read an access token", () => {
        const token = accessTokens.find(locator)
        if (token === undefined || token.grantId === undefined) return token && { token, grant: undefined }
        const grant = grants.find(token.grantId)
        return grant && { token, grant }
      }),
    findRefreshToken: (locator) =>
      read("read a refresh token", () => {
        const token = refreshTokens.find(locator)
        const grant = token && grants.find(token.grantId)
        return token && grant && { token, grant }
      }),
    findSession: (locator) => read("read a session", () => sessions.find(locator)),
    sessionsOf: (subject): ReadonlyArray<Session> => read("list sessions", () => sessionsOf.all(subject).map(sessions.read)),
    findInteraction: (locator) => read("read an interaction", () => interactions.find(locator)),
    findDevice: (locator) => read("read a device", () => devices.find(locator)),
    findDeviceByUserCode: (userCode) => read("read a device", () => devices.findByUserCode(userCode)),
    findAttempts: (key) => read("read attempts", () => attempts.find(key)),
    findConsent: (subject, clientId) => read("read a consent", () => consents.find(subject, clientId)),
    consentsOf: (subject) => read("list consents", () => consentsOf.all(subject).map(consents.read)),
    commit: (commands) => (commands.length === 0 ? "Committed" : ownResult(commitTogether([commands])[0])),
    commitTogether,
    sweep: (now) => guarded("sweep", () => withoutWaiting(database, () => sweep(now), patience)),
  }
}
