import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "./lazily.ts"
import { config, data, force, json } from "./options.ts"

const file = Argument.String("file").pipe(
  Argument.withDescription("The backup; none with --invalidate"),
  Argument.withDefault<string | undefined>(undefined),
)
const invalidate = Flag.Boolean("invalidate").pipe(
  Flag.withDescription(
    "For PostgreSQL, after pg_restore: end what may have been spent or revoked since the dump, so that the copy may be served",
  ),
  Flag.withDefault(false),
)
const keepSessions = Flag.Boolean("keep-sessions").pipe(
  Flag.withDescription("Keep sessions, tokens and consents: for a move, where nothing was written after the backup was taken"),
  Flag.withDefault(false),
)
const keepConsents = Flag.Boolean("keep-consents").pipe(
  Flag.withDescription("Keep what people consented to; a consent that was withdrawn after the backup was taken is given again"),
  Flag.withDefault(false),
)

/** `postern restore FILE`, and `postern restore --invalidate`. */
export const restore = Command.make(
  "restore",
  {
    file,
    invalidate,
    force: force(
      "Take the place of a database that is there; it is set aside. With --invalidate: whatever it looks like, whoever is connected",
    ),
    keepSessions,
    keepConsents,
    config,
    data,
    json,
  },
  lazily(async () => (await import("../actions/restore.ts")).restoreDatabase),
).pipe(
  Command.withDescription("Put a backup in the database's place. Everybody signs in again: what was revoked or spent since stays so"),
  Command.withExamples([
    { command: "postern restore /backups/postern.backup --force", description: "After a loss" },
    {
      command: "postern restore postern.backup --keep-sessions",
      description: "On another machine, after the provider was stopped and backed up",
    },
    { command: "postern restore --invalidate", description: "After pg_restore, before any provider is started" },
  ]),
)
