import * as Command from "effect/cli/Command"
import { actionsOf, command } from "./command.ts"
import { config, data, json, text, texts, username } from "./options.ts"

const action = actionsOf(() => import("../actions/users.ts"))

const subject = text("subject", "SUB", "The sub claim (default: generated)")
const claims = texts("claim", "NAME=VALUE", "A claim")
const tenant = text("tenant", "NAME", "The only tenant to which the user may sign in (default: any)")

const add = command(
  "add",
  "Add a user; prompts for the password, or reads it from stdin",
  { username, subject, claims, tenant, config, data, json },
  action("addUser"),
  {
    "postern user add alice --claim name='Alice Adams' --claim email=alice@example.com": "Prompt for the password",
    "pass show alice | postern user add alice": "Read the password from a program",
  },
)

const list = command("list", "List all users", { config, data, json }, action("listUsers"))

const show = command("show", "Show a user, without their password", { username, config, data, json }, action("showUser"))

const disable = command(
  "disable",
  "Disable a user; ends their sessions and revokes their tokens",
  { username, config, data },
  action("disableUser"),
)

const enable = command("enable", "Enable a user", { username, config, data }, action("enableUser"))

const passwd = command(
  "passwd",
  "Set a user's password, from a prompt or stdin; ends their sessions and revokes their tokens",
  { username, config, data },
  action("changePassword"),
)

/** `postern user …`. */
export const user = Command.make("user").pipe(
  Command.withDescription("Users: add, list, show, disable, enable, passwd"),
  Command.withSubcommands([add, list, show, disable, enable, passwd]),
)
