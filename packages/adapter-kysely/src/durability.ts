import type { Database } from "./database.ts"

/**
 * Tells what an acknowledged commit outlives, by the settings of the server and the connection that was asked: `always` a power cut, where the disk keeps its word; `process`
 * the death of the server's process, and not that of its machine; `sometime` neither, for the last second or so; `unknown` where the server does not tell.
 */
export type Durability = "always" | "process" | "sometime" | "unknown"

/** Asks the server what it does when a transaction commits. */
export const durabilityOf = async ({ flavor, alone }: Database): Promise<Durability> => {
  const statements = alone("read the server's settings")
  try {
    if (flavor === "mysql") {
      const [told = {}] = await statements.rows(
        "SELECT @@innodb_flush_log_at_trx_commit AS flushed, @@log_bin AS logged, @@sync_binlog AS synced",
      )
      const [flushed, logged, synced] = [told["flushed"], told["logged"], told["synced"]].map(Number)
      if (flushed !== 1) return flushed === 2 || flushed === 3 ? "process" : "sometime"
      // A crash takes back what is not in the binary log, whatever InnoDB has on disk.
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
    // Rented servers forbid it.
    return "unknown"
  }
}
