import type { Command } from "@postern/core/model"
import type { Database } from "better-sqlite3"
import type { AttemptCounts, Devices } from "./devices.ts"
import type { Interactions } from "./interactions.ts"
import type { Tables } from "./tables.ts"

/** Applies one command inside a transaction; false when its guard fails. */
export type Apply = (command: Command) => boolean

/** Revokes the grants that a condition names, and those derived from them, however many generations there are. */
const revoking = (condition: string): string => `
  WITH RECURSIVE taken (id) AS (
    SELECT id FROM grants WHERE ${condition} AND revoked_at IS NULL
    UNION SELECT grants.id FROM taken JOIN grants ON grants.parent_id = taken.id WHERE grants.revoked_at IS NULL
  )
  UPDATE grants SET revoked_at = :at WHERE id IN taken`

/** Prepares the statement of each command. Each guard is the WHERE of its own statement, so judging and changing are one step. */
export const applyTo = (
  database: Database,
  tables: Tables,
  interactions: Interactions,
  devices: Devices,
  attempts: AttemptCounts,
): Apply => {
  const requireGrant = database.prepare("SELECT 1 FROM grants WHERE id = ? AND revoked_at IS NULL")
  const keepGrant = database
    .prepare<[number, string], string | null>(
      "UPDATE grants SET keep_until = max(keep_until, ?) WHERE id = ? AND revoked_at IS NULL RETURNING parent_id",
    )
    .pluck()
  const keepAbove = database.prepare<{ readonly parentId: string; readonly keepUntil: number }>(`
    WITH RECURSIVE above (id, parent_id) AS (
      SELECT id, parent_id FROM grants WHERE id = :parentId
      UNION SELECT grants.id, grants.parent_id FROM above JOIN grants ON grants.id = above.parent_id
    )
    UPDATE grants SET keep_until = :keepUntil WHERE id IN (SELECT id FROM above) AND keep_until < :keepUntil`)
  const revokeGrant = database.prepare(revoking("id = :grantId"))
  const revokeGrants = database.prepare(
    revoking("subject = :subject AND (:clientId IS NULL OR client_id = :clientId) AND (:sessionId IS NULL OR session_id = :sessionId)"),
  )
  const consumeCode = database.prepare(
    "UPDATE codes SET consumed_at = ?, keep_until = max(keep_until, ?) WHERE locator = ? AND consumed_at IS NULL",
  )
  const revokeAccessToken = database.prepare("UPDATE access_tokens SET revoked_at = ? WHERE locator = ? AND revoked_at IS NULL")
  const rotateRefreshToken = database.prepare(
    "UPDATE refresh_tokens SET rotated_at = ?, successor = ? WHERE locator = ? AND rotated_at IS NULL",
  )
  const requireSession = database.prepare("SELECT 1 FROM sessions WHERE locator = ? AND ended_at IS NULL")
  const touchSession = database.prepare(
    "UPDATE sessions SET seen_at = ?, expires_at = ?, keep_until = ? WHERE locator = ? AND ended_at IS NULL",
  )
  const endSession = database.prepare("UPDATE sessions SET ended_at = ? WHERE locator = ? AND ended_at IS NULL")
  // Both are said as the index of such grants says them, or SQLite would not use it.
  const revokeSessionGrants = database.prepare(revoking("session_id = :locator AND ends_with_session = 1"))
  const saveConsent = database.prepare(`INSERT OR REPLACE INTO consents (${tables.consents.selected}) VALUES (?, ?, ?, ?, ?)`)
  const consentAt = database
    .prepare<[string, string], number>("SELECT granted_at FROM consents WHERE subject = ? AND client_id = ?")
    .pluck()
  const removeConsent = database.prepare("DELETE FROM consents WHERE subject = ? AND client_id = ?")

  return (command) => {
    switch (command._tag) {
      case "SaveGrant":
        return tables.grants.insert(command.grant)
      case "RequireGrant":
        return requireGrant.get(command.grantId) !== undefined
      case "KeepGrant": {
        const { grantId, keepUntil } = command
        const parentId = keepGrant.get(keepUntil, grantId)
        if (typeof parentId === "string") keepAbove.run({ parentId, keepUntil })
        return parentId !== undefined
      }
      case "RevokeGrant":
        revokeGrant.run({ grantId: command.grantId, at: command.at })
        return true
      case "RevokeGrants": {
        const { subject, at, clientId = null, sessionId = null } = command
        revokeGrants.run({ subject, at, clientId, sessionId })
        return true
      }
      case "SaveCode":
        return tables.codes.insert(command.code)
      case "ConsumeCode":
        return consumeCode.run(command.at, command.keepUntil, command.locator).changes === 1
      case "SaveAccessToken":
        return tables.accessTokens.insert(command.token)
      case "RevokeAccessToken":
        revokeAccessToken.run(command.at, command.locator)
        return true
      case "SaveRefreshToken":
        return tables.refreshTokens.insert(command.token)
      case "RotateRefreshToken":
        return rotateRefreshToken.run(command.at, JSON.stringify(command.successor), command.locator).changes === 1
      case "SaveSession":
        return tables.sessions.insert(command.session)
      case "RequireSession":
        return requireSession.get(command.locator) !== undefined
      case "TouchSession":
        return touchSession.run(command.seenAt, command.expiresAt, command.keepUntil, command.locator).changes === 1
      case "EndSession":
        endSession.run(command.at, command.locator)
        if (command.grants) revokeSessionGrants.run({ locator: command.locator, at: command.at })
        return true
      case "SaveInteraction":
        return interactions.insert(command.interaction)
      case "ReplaceInteraction":
        return interactions.replace(command.interaction)
      case "SaveDevice":
        return devices.insert(command.device)
      case "ReplaceDevice":
        return devices.replace(command.device)
      case "CountAttempt":
        attempts.count(command.key, command.at, command.resetAt)
        return true
      case "ReserveAttempt":
        return attempts.reserve(command)
      case "ReturnAttempt":
        attempts.takeBack(command.key, command.until)
        return true
      case "ForgetAttempts":
        attempts.forget(command.key)
        return true
      case "UseOnce":
        return attempts.use(command.key, command.at, command.until)
      case "SaveConsent":
        if (consentAt.get(command.consent.subject, command.consent.clientId) !== command.replaces) return false
        saveConsent.run(...tables.consents.write(command.consent))
        return true
      case "RequireConsent": {
        const { subject, clientId, grantedAt, scope } = command.consent
        const stored = tables.consents.find(subject, clientId)
        return stored?.grantedAt === grantedAt && stored.scope.join(" ") === scope.join(" ")
      }
      case "RemoveConsent":
        removeConsent.run(command.subject, command.clientId)
        return true
    }
  }
}
