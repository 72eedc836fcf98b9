import * as Command from "effect/cli/Command"
import { actionsOf, command } from "./command.ts"
import { config, data, json, text, toggle } from "./options.ts"

const action = actionsOf(() => import("../actions/logout.ts"))

const client = text("client", "ID", "Only logout tokens of this client")

const status = command(
  "status",
  "List logout tokens that are waiting to be delivered, and those that were given up",
  {
    client,
    clients: toggle("clients", "Count logout tokens per client instead: accepted and refused in the last day, and not delivered"),
    config,
    data,
    json,
  },
  action("logoutStatus"),
)

const replay = command("replay", "Retry logout tokens that were given up", { client, config, data, json }, action("replayLogouts"))

/** `postern logout …`. */
export const logout = Command.make("logout").pipe(
  Command.withDescription("Logout tokens to clients (Back-Channel Logout): status, replay"),
  Command.withSubcommands([status, replay]),
)
