import { type Instant, type RowKind, rowKinds } from "@postern/core/model"
import type { Invalidated, Kept } from "@postern/stores"
import { identifier, spendable } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"

/**
 * Makes sure that nothing spent, rotated or revoked after a copy was taken comes back to life with it. The copy cannot know what that was,
 * so all of it ends: a grant that was revoked looks like any other, a refresh token that was rotated would be rotated again and its family
 * fork, a session that was ended would still be signed in, and a consent that was withdrawn would be silently given.
 *
 * Codes, devices and waiting requests go in any case: they live for minutes. Counted attempts and one-time values stay: removing them
 * would only allow more.
 */
export const invalidate = (database: Database, kept: Kept, at: Instant, kinds: ReadonlyArray<RowKind> = rowKinds): Invalidated => {
  const change = (sql: string, ...given: ReadonlyArray<number>): number => database.prepare(sql).run(...given).changes
  const unless = (keep: boolean, sql: string, ...given: ReadonlyArray<number>): number => (keep ? 0 : change(sql, ...given))
  const live = (keep: boolean): number =>
    keep
      ? 0
      : (database
          .prepare<[Instant], number>(
            `SELECT count(*) FROM refresh_tokens JOIN grants ON grants.id = grant_id
             WHERE rotated_at IS NULL AND expires_at > ? AND revoked_at IS NULL`,
          )
          .pluck()
          .get(at) ?? 0)
  return database
    .transaction((): Invalidated => {
      for (const table of spendable(kinds)) change(`DELETE FROM ${identifier(table)}`)
      return {
        refreshTokens: live(kept.sessions),
        grants: unless(kept.sessions, "UPDATE grants SET revoked_at = ? WHERE revoked_at IS NULL", at),
        referenceTokens: unless(
          kept.sessions,
          "UPDATE access_tokens SET revoked_at = ? WHERE revoked_at IS NULL AND expires_at > ?",
          at,
          at,
        ),
        sessions: unless(kept.sessions, "UPDATE sessions SET ended_at = ? WHERE ended_at IS NULL", at),
        consents: unless(kept.sessions || kept.consents, "DELETE FROM consents"),
        codes: change("DELETE FROM codes"),
        devices: change("DELETE FROM devices"),
        interactions: change("DELETE FROM interactions"),
      }
    })
    .immediate()
}
