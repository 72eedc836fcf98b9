import { command } from "./command.ts"
import { argument, config, data, force, json } from "./options.ts"

const file = argument("file", "The backup file to write")

/** `postern backup FILE`. */
export const backup = command(
  "backup",
  "Back up the database while the provider runs",
  { file, force: force("Overwrite an existing backup"), config, data, json },
  async () => (await import("../actions/backup.ts")).backUpDatabase,
  { "postern backup /backups/postern-$(date +%F).backup": "One copy per day" },
)
