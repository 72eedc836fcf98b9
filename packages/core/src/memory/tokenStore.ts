import { type Command, type Consent, type Grant, type Instant, offlineAccess } from "../model/index.ts"
import type { TokenStorePort } from "../ports/index.ts"
import { type Undo, apply } from "./commands.ts"
import { emptyTables } from "./tables.ts"

/** What a sweep did. */
export interface Sweep {
  /** How many rows it dropped. */
  readonly removed: number
  /** True if there is more to sweep at this moment. */
  readonly more: boolean
}

/** A token store in memory. */
export interface MemoryTokenStore extends TokenStorePort {
  /** Drops every row whose `keepUntil` has come, and every consent that has expired. */
  readonly sweep: (now: Instant) => Sweep
}

const most = 100

/** Reports whether a grant is one that a person is shown. */
const isListed = ({ extension, scope }: Grant): boolean => extension === undefined || scope.includes(offlineAccess)

/**
 * A token store in memory, for tests and examples: it passes the store contract and forgets everything when the process ends. It is
 * also the model that other stores are compared with.
 */
export const memoryTokenStore = (): MemoryTokenStore => {
  const tables = emptyTables()
  const { grants, codes, accessTokens, refreshTokens, sessions, interactions, consents } = tables

  const commit = (commands: ReadonlyArray<Command>): "Committed" | "Conflict" => {
    const undos: Array<Undo> = []
    for (const command of commands) {
      const undo = apply(tables, command)
      if (undo === undefined) {
        for (const each of undos.reverse()) each()
        return "Conflict"
      }
      undos.push(undo)
    }
    return "Committed"
  }

  return {
    findGrant: (id) => grants.get(id),
    grantsOf: (subject) =>
      [...grants.values()]
        .filter((grant) => grant.subject === subject && grant.revokedAt === undefined && isListed(grant))
        .sort((left, right) => (left.id < right.id ? 1 : -1))
        .slice(0, most),
    findCode: (locator) => {
      const code = codes.get(locator)
      const grant = code && grants.get(code.grantId)
      return code && grant && { code, grant }
    },
    findAccessToken: (locator) => {
      const token = accessTokens.get(locator)
      if (token === undefined || token.grantId === undefined) return token && { token, grant: undefined }
      const grant = grants.get(token.grantId)
      return grant && { token, grant }
    },
    findRefreshToken: (locator) => {
      const token = refreshTokens.get(locator)
      const grant = token && grants.get(token.grantId)
      return token && grant && { token, grant }
    },
    findSession: (locator) => sessions.get(locator),
    sessionsOf: (subject) =>
      [...sessions.values()]
        .filter((session) => session.subject === subject && session.endedAt === undefined)
        .sort((left, right) => (left.locator < right.locator ? 1 : -1))
        .slice(0, most),
    findInteraction: (locator) => interactions.get(locator),
    findDevice: (locator) => tables.devices.get(locator),
    findDeviceByUserCode: (userCode) => tables.devices.get(tables.userCodes.get(userCode) ?? ""),
    findAttempts: (key) => tables.attempts.get(key),
    findConsent: (subject, clientId) => consents.get(subject)?.get(clientId),
    consentsOf: (subject) => [...(consents.get(subject)?.values() ?? [])].sort(newestFirst).slice(0, most),
    commit,
    sweep: (now) => {
      let removed = 0
      for (const table of [grants, codes, accessTokens, refreshTokens, sessions, interactions]) {
        for (const [locator, { keepUntil }] of table) if (keepUntil <= now && table.delete(locator)) removed++
      }
      for (const [locator, { keepUntil, userCode }] of tables.devices) {
        if (keepUntil > now) continue
        tables.devices.delete(locator)
        tables.userCodes.delete(userCode)
        removed++
      }
      for (const [key, { resetAt }] of tables.attempts) if (resetAt <= now && tables.attempts.delete(key)) removed++
      for (const given of consents.values()) {
        for (const [clientId, { expiresAt }] of given) if (expiresAt !== 0 && expiresAt <= now && given.delete(clientId)) removed++
      }
      return { removed, more: false }
    },
  }
}

const newestFirst = (left: Consent, right: Consent): number => right.grantedAt - left.grantedAt || (left.clientId < right.clientId ? -1 : 1)
