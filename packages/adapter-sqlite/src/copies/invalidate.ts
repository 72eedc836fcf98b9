import { type Instant, type RowKind, rowKinds } from "@postern/core/model"
import type { Invalidated, Kept } from "@postern/stores"
import { endings, invalidatedOf, liveRefreshTokens } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { binding } from "../tokens/binding.ts"

/**
 * Invalidates every row of a restored copy that may have been spent, rotated or revoked after the copy was taken. The copy does not know
 * which rows those are, so all of them end. Otherwise a revoked grant would be valid again, a rotated refresh token would be rotated again
 * and fork its family, an ended session would still be signed in, and a withdrawn consent would be granted without a prompt.
 *
 * Codes, devices and pending requests are always deleted, because they live for minutes only. Counted attempts and one-time values stay,
 * because deleting them would only allow more.
 */
export const invalidate = (database: Database, kept: Kept, at: Instant, kinds: ReadonlyArray<RowKind> = rowKinds): Invalidated => {
  const live = database.prepare<[Instant], number>(liveRefreshTokens((table) => table, "?")).pluck()
  return database
    .transaction((): Invalidated => {
      const counts: Record<string, number> = { refresh_tokens: kept.sessions ? 0 : (live.get(at) ?? 0) }
      for (const { table, change, made } of endings(binding, kinds, kept))
        counts[table] = database.prepare(change).run(...made.values({ given: { at } })).changes
      return invalidatedOf(counts)
    })
    .immediate()
}
