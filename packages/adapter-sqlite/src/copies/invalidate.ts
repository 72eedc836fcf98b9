import { type Instant, type RowKind, rowKinds } from "@postern/core/model"
import type { Invalidated, Kept } from "@postern/stores"
import { identifier, spendable } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"

/**
 * Invalidates every row of a restored copy that may have been spent, rotated or revoked after the copy was taken. The copy does not know
 * which rows those are, so all of them end. Otherwise a revoked grant would be valid again, a rotated refresh token would be rotated again
 * and fork its family, an ended session would still be signed in, and a withdrawn consent would be granted without a prompt.
 *
 * Codes, devices and pending requests are always deleted, because they live for minutes only. Counted attempts and one-time values stay,
 * because deleting them would only allow more.
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
