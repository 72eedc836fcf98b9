import * as Command from "effect/cli/Command"
import { actionsOf, command } from "./command.ts"
import { config, data, json, text, toggle } from "./options.ts"

const action = actionsOf(() => import("../actions/logout.ts"))

const client = text("client", "ID", "Logout tokens of this client alone")

const status = command(
  "status",
  "List logout tokens that wait to be delivered, and those that were given up",
  {
    client,
    clients: toggle(
      "clients",
      "Count the logout tokens of each client instead: those of the last day that it took or refused, and those it has not taken",
    ),
    config,
    data,
    json,
  },
  action("logoutStatus"),
)

const replay = command("replay", "Send logout tokens again that were given up", { client, config, data, json }, action("replayLogouts"))

/** `postern logout …`. */
export const logout = Command.make("logout").pipe(
  Command.withDescription("Logout tokens to clients (Back-Channel Logout): status, replay"),
  Command.withSubcommands([status, replay]),
)
