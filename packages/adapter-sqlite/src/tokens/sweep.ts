import type { Instant } from "@postern/core/model"
import type { Sweep } from "@postern/stores"
import type { Database } from "better-sqlite3"
import { zoneSweep } from "./zones.ts"

/** How many rows of a table one slice looks at. */
const slice = 400

/** Prepares the sweep of every table that holds expiring rows; one call is one slice of each. */
export const sweepOf = (database: Database): ((now: Instant) => Sweep) => {
  const zones = [
    zoneSweep(database, "access_tokens", "locator", slice),
    zoneSweep(database, "refresh_tokens", "locator", slice),
    zoneSweep(database, "codes", "locator", slice),
    zoneSweep(database, "interactions", "locator", slice),
    zoneSweep(database, "devices", "locator", slice),
    zoneSweep(database, "sessions", "locator", slice),
    // Last, since what is found by its grant must not outlive it.
    zoneSweep(database, "grants", "id", slice),
  ]
  const consents = database.prepare(
    "DELETE FROM consents WHERE (subject, client_id) IN (SELECT subject, client_id FROM consents WHERE expires_at > 0 AND expires_at <= ? LIMIT ?)",
  )
  const expired = database.prepare("SELECT 1 FROM consents WHERE expires_at > 0 AND expires_at <= ? LIMIT 1")

  const attempts = database.prepare("DELETE FROM attempts WHERE key IN (SELECT key FROM attempts WHERE reset_at <= ? LIMIT ?)")
  const over = database.prepare("SELECT 1 FROM attempts WHERE reset_at <= ? LIMIT 1")

  return (now) => {
    const dropped = zones.map((sweep) => sweep(now))
    // Asked first, so that a slice with nothing to drop takes no write lock.
    if (expired.get(now) !== undefined) dropped.push(consents.run(now, slice).changes)
    if (over.get(now) !== undefined) dropped.push(attempts.run(now, slice).changes)
    return {
      removed: dropped.reduce((sum: number, removed) => sum + (removed ?? 0), 0),
      more: dropped.some((removed) => removed !== undefined),
    }
  }
}
