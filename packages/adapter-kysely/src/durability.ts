import type { Database } from "./database.ts"

/**
 * The durability of an acknowledged commit, by the settings of the server and the queried connection. `always`: it survives a power
 * failure, if the disk honors flushes. `process`: it survives the death of the server process, but not of its machine. `sometime`: commits
 * of the last second or so survive neither. `unknown`: the server does not report it.
 */
export type Durability = "always" | "process" | "sometime" | "unknown"

/** Queries the server's commit settings. */
export const durabilityOf = async ({ flavor, alone }: Database): Promise<Durability> => {
  const statements = alone("read the server's settings")
  try {
    if (flavor === "mysql") {
      const [told = {}] = await statements.rows(
        "SELECT @@innodb_flush_log_at_trx_commit AS flushed, @@log_bin AS logged, @@sync_binlog AS synced",
      )
      const [flushed, logged, synced] = [told["flushed"], told["logged"], told["synced"]].map(Number)
      if (flushed !== 1) return flushed === 2 || flushed === 3 ? "process" : "sometime"
      // On crash recovery, transactions missing from the binary log are rolled back, even if InnoDB has flushed them.
      return logged === 0 || synced === 1 ? "always" : "process"
    }
    if (flavor === "postgres") {
      const [told = {}] = await statements.rows("SELECT current_setting('synchronous_commit') AS waits, current_setting('fsync') AS synced")
      if (told["waits"] === "off") return "sometime"
      return told["synced"] === "on" ? "always" : "process"
    }
    const [journal = {}] = await statements.rows("PRAGMA journal_mode")
    const [sync = {}] = await statements.rows("PRAGMA synchronous")
    if (journal["journal_mode"] === "memory" || journal["journal_mode"] === "off") return "sometime"
    return Number(sync["synchronous"]) >= 2 ? "always" : "process"
  } catch {
    // Managed servers may forbid this query.
    return "unknown"
  }
}
