import type { Client, Command } from "../model/index.ts"
import type { Inquiry } from "./inquiry.ts"
import type { UsedSession } from "./sessionParts.ts"

/** Returns the commands of features for the use of a session for a client. */
export const usesOf = (client: Client, session: UsedSession, { parts, ports, now }: Inquiry, isProlonged = false): ReadonlyArray<Command> =>
  parts.sessionUses.length === 0
    ? []
    : parts.sessionUses.flatMap((use) => use(client, session, { settings: ports.settings, now, isProlonged }))
