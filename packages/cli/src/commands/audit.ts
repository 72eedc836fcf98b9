import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../action.ts"
import { config, data, json } from "./options.ts"

const only = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.withDefault(undefined))

const limit = Flag.Int("limit").pipe(
  Flag.withMetavar("N"),
  Flag.withDescription("Print at most this many events, latest first (default: 100)"),
  Flag.filter(
    (value) => value >= 1 && value <= 100_000,
    () => "a number from 1 to 100000",
  ),
  Flag.withDefault(100),
)

/** `postern audit`. */
export const audit = Command.make(
  "audit",
  {
    event: only("event", "NAME", "Events of this name: sign_in, sign_in_failed, token_issued, …"),
    client: only("client", "ID", "Events of this client"),
    subject: only("subject", "SUB", "Events of this subject"),
    since: only("since", "SPAN", "Events of the last 90s, 30m, 24h or 7d"),
    limit,
    config,
    data,
    json,
  },
  lazily(async () => (await import("../actions/audit.ts")).listAudit),
).pipe(
  Command.withDescription("List audit events: sign-ins, tokens, consents, revocations, changes; needs audit.store in the configuration"),
)
