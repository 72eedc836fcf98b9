import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "./lazily.ts"
import { config, data, force, json } from "./options.ts"

const file = Argument.String("file").pipe(Argument.withDescription("The backup"))
const keepSessions = Flag.Boolean("keep-sessions").pipe(
  Flag.withDescription("Keep sessions, tokens and consents: for a move, where nothing was written after the backup was taken"),
  Flag.withDefault(false),
)
const keepConsents = Flag.Boolean("keep-consents").pipe(
  Flag.withDescription("Keep what people consented to; a consent that was withdrawn after the backup was taken is given again"),
  Flag.withDefault(false),
)

/** `postern restore FILE`. */
export const restore = Command.make(
  "restore",
  { file, force: force("Take the place of a database that is there; it is set aside"), keepSessions, keepConsents, config, data, json },
  lazily(async () => (await import("../actions/restore.ts")).restoreDatabase),
).pipe(
  Command.withDescription("Put a backup in the database's place. Everybody signs in again: what was revoked or spent since stays so"),
  Command.withExamples([
    { command: "postern restore /backups/postern.backup --force", description: "After a loss" },
    {
      command: "postern restore postern.backup --keep-sessions",
      description: "On another machine, after the provider was stopped and backed up",
    },
  ]),
)
