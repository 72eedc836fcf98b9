import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "./lazily.ts"
import { config, data, force, json } from "./options.ts"

const file = Argument.String("file").pipe(Argument.withDescription("Where the backup goes"))

/** `postern backup FILE`. */
export const backup = Command.make(
  "backup",
  { file, force: force("Replace a backup that is there"), config, data, json },
  lazily(async () => (await import("../actions/backup.ts")).backUpDatabase),
).pipe(
  Command.withDescription("Copy the database, as it is at one moment, while the provider runs"),
  Command.withExamples([{ command: "postern backup /backups/postern-$(date +%F).backup", description: "A copy for each day" }]),
)
