import * as Flag from "effect/cli/Flag"
import { command } from "./command.ts"
import { config, data, json, number, text } from "./options.ts"

const limit = number(
  "limit",
  "N",
  "Maximum events to print, latest first (default: 100)",
  { from: 1, to: 100_000 },
  "a number from 1 to 100000",
).pipe(Flag.withDefault(100))

/** `postern audit`. */
export const audit = command(
  "audit",
  "List audit events: sign-ins, tokens, consents, revocations, changes; needs audit.store in the configuration",
  {
    event: text("event", "NAME", "Only events with this name: sign_in, sign_in_failed, token_issued, …"),
    client: text("client", "ID", "Only events of this client"),
    subject: text("subject", "SUB", "Only events of this subject"),
    since: text("since", "SPAN", "Only events of the last 90s, 30m, 24h or 7d"),
    limit,
    config,
    data,
    json,
  },
  async () => (await import("../actions/audit.ts")).listAudit,
)
