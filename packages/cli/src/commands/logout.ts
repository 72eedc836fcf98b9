import { actionsOf, command, group } from "./command.ts"
import { config, data, json, text, toggle } from "./options.ts"

const action = actionsOf(() => import("../actions/logout.ts"))

const client = text("client", "ID", "Only logout tokens of this client")

/** `postern logout …`. */
export const logout = group("logout", "Logout tokens to clients (Back-Channel Logout)", [
  command(
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
  ),
  command("replay", "Retry logout tokens that were given up", { client, config, data, json }, action("replayLogouts")),
])
