import { actionsOf, command, group } from "./command.ts"
import { config, data, json, text, texts, username } from "./options.ts"

const action = actionsOf(() => import("../actions/users.ts"))

const subject = text("subject", "SUB", "The sub claim (default: generated)")
const claims = texts("claim", "NAME=VALUE", "A claim")
const tenant = text("tenant", "NAME", "The only tenant to which the user may sign in (default: any)")

/** `postern user …`. */
export const user = group("user", "Users", [
  command(
    "add",
    "Add a user; prompts for the password, or reads it from stdin",
    { username, subject, claims, tenant, config, data, json },
    action("addUser"),
    {
      "postern user add alice --claim name='Alice Adams' --claim email=alice@example.com": "Prompt for the password",
      "pass show alice | postern user add alice": "Read the password from a program",
    },
  ),
  command("list", "List all users", { config, data, json }, action("listUsers")),
  command("show", "Show a user, without their password", { username, config, data, json }, action("showUser")),
  command("disable", "Disable a user; ends their sessions and revokes their tokens", { username, config, data }, action("disableUser")),
  command("enable", "Enable a user", { username, config, data }, action("enableUser")),
  command(
    "passwd",
    "Set a user's password, from a prompt or stdin; ends their sessions and revokes their tokens",
    { username, config, data },
    action("changePassword"),
  ),
])
