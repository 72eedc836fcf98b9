import Sqlite from "better-sqlite3"
import { applicationId, migrate } from "../../packages/adapter-sqlite/src/database/migrate.ts"
import { steps } from "./steps.ts"

// A process of its own that migrates a file and kills itself, as `kill -9` would, the nth time a step passes a point.
const [path = "", deadly = "0"] = process.argv.slice(2)
const database = new Sqlite(path)
let passed = 0
database.function("point", () => {
  if (++passed === Number(deadly)) process.kill(process.pid, "SIGKILL")
  return passed
})
database.pragma("journal_mode = WAL")
database.pragma(`application_id = ${applicationId}`)
migrate(database, steps)
