import * as Command from "effect/cli/Command"
import { command } from "./command.ts"
import { config, data, json, text } from "./options.ts"

const actions = () => import("../actions/logout.ts")

const client = text("client", "ID", "Logout tokens of this client alone")

const status = command(
  "status",
  "List logout tokens that wait to be delivered, and those that were given up",
  { client, config, data, json },
  async () => (await actions()).logoutStatus,
)

const replay = command(
  "replay",
  "Send logout tokens again that were given up",
  { client, config, data, json },
  async () => (await actions()).replayLogouts,
)

/** `postern logout …`. */
export const logout = Command.make("logout").pipe(
  Command.withDescription("Logout tokens to clients (Back-Channel Logout): status, replay"),
  Command.withSubcommands([status, replay]),
)
