import type { KeepSecret } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { guarded } from "./database/guarded.ts"

/** Keeps the provider's own secrets in a database. */
export const keepSecretIn = (database: Database): KeepSecret => {
  const insert = database.prepare("INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING")
  const find = database.prepare<[string], string>("SELECT value FROM secrets WHERE name = ?").pluck()
  return (name, value) =>
    guarded("read a secret of the provider's own", () => {
      const kept = find.get(name)
      if (kept !== undefined) return kept
      insert.run(name, value)
      return find.get(name) ?? value
    })
}
