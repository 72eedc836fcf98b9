import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../action.ts"
import { config, data, force, json } from "./options.ts"

const file = Argument.String("file").pipe(
  Argument.withDescription("The backup file; omit it with --invalidate"),
  Argument.withDefault<string | undefined>(undefined),
)
const invalidate = Flag.Boolean("invalidate").pipe(
  Flag.withDescription(
    "For PostgreSQL, after pg_restore: end what may have been spent or revoked since the dump, so that the copy may be served",
  ),
  Flag.withDefault(false),
)
const keepSessions = Flag.Boolean("keep-sessions").pipe(
  Flag.withDescription("Keep sessions, tokens and consents; only safe if nothing was written after the backup"),
  Flag.withDefault(false),
)
const keepConsents = Flag.Boolean("keep-consents").pipe(
  Flag.withDescription("Keep consents; a consent withdrawn after the backup becomes valid again"),
  Flag.withDefault(false),
)

/** `postern restore FILE`, and `postern restore --invalidate`. */
export const restore = Command.make(
  "restore",
  {
    file,
    invalidate,
    force: force(
      "Replace an existing database, which is set aside. With --invalidate: skip the checks of its content and of its connections",
    ),
    keepSessions,
    keepConsents,
    config,
    data,
    json,
  },
  lazily(async () => (await import("../actions/restore.ts")).restoreDatabase),
).pipe(
  Command.withDescription("Restore a backup. Everyone must sign in again, so that nothing revoked or spent since comes back"),
  Command.withExamples([
    { command: "postern restore /backups/postern.backup --force", description: "After a loss" },
    {
      command: "postern restore postern.backup --keep-sessions",
      description: "Move to another machine: stop the provider and back it up first",
    },
    { command: "postern restore --invalidate", description: "After pg_restore, before any provider is started" },
  ]),
)
