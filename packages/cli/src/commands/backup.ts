import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "../action.ts"
import { config, data, force, json } from "./options.ts"

const file = Argument.String("file").pipe(Argument.withDescription("The backup file to write"))

/** `postern backup FILE`. */
export const backup = Command.make(
  "backup",
  { file, force: force("Overwrite an existing backup"), config, data, json },
  lazily(async () => (await import("../actions/backup.ts")).backUpDatabase),
).pipe(
  Command.withDescription("Back up the database while the provider runs"),
  Command.withExamples([{ command: "postern backup /backups/postern-$(date +%F).backup", description: "One copy per day" }]),
)
