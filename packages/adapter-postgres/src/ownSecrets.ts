import type { KeepSecret } from "@postern/stores/rows"
import type { Database } from "./database/connect.ts"

const operation = "read a secret of the provider's own"

/** Keeps the provider's own secrets in a database. */
export const keepSecretIn = (database: Database): KeepSecret => {
  const find = async (name: string): Promise<string | undefined> => {
    const [row] = await database.read(operation, "SELECT value FROM postern.secrets WHERE name = $1", [name])
    return row === undefined ? undefined : String(row[0])
  }
  return async (name, value) => {
    const kept = await find(name)
    if (kept !== undefined) return kept
    await database.write(operation, "INSERT INTO postern.secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", [name, value])
    return (await find(name)) ?? value
  }
}
