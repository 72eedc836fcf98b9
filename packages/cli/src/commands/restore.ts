import * as Argument from "effect/cli/Argument"
import { command } from "./command.ts"
import { argument, config, data, force, json, toggle } from "./options.ts"

const file = argument("file", "The backup file; omit it with --invalidate").pipe(Argument.withDefault<string | undefined>(undefined))
const invalidate = toggle(
  "invalidate",
  "For PostgreSQL, after pg_restore: invalidate everything that may have been used or revoked since the dump, so that the copy is safe to serve",
)
const keepSessions = toggle("keep-sessions", "Keep sessions, tokens and consents; only safe if nothing was written after the backup")
const keepConsents = toggle("keep-consents", "Keep consents; a consent withdrawn after the backup becomes valid again")

/** `postern restore FILE`, and `postern restore --invalidate`. */
export const restore = command(
  "restore",
  "Restore a backup. Everyone must sign in again, so that nothing revoked or used since then becomes valid again",
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
  async () => (await import("../actions/restore.ts")).restoreDatabase,
  {
    "postern restore /backups/postern.backup --force": "After a loss",
    "postern restore postern.backup --keep-sessions": "Move to another machine: stop the provider and back it up first",
    "postern restore --invalidate": "After pg_restore, before any provider starts",
  },
)
