import * as Command from "effect/cli/Command"
import { actionsOf, command } from "./command.ts"
import { config, data, json, toggle } from "./options.ts"

const action = actionsOf(() => import("../actions/keys.ts"))

const now = toggle("now", "Sign with the new keys immediately instead of after an hour, for a leaked key")

const list = command("list", "List the signing keys and their states", { config, data, json }, action("listSigningKeys"))

const rotate = command(
  "rotate",
  "Add a new key for every algorithm; running providers pick it up",
  { now, config, data, json },
  action("rotateSigningKeys"),
)

/** `postern keys …`. */
export const keys = Command.make("keys").pipe(
  Command.withDescription("Signing keys: list, rotate"),
  Command.withSubcommands([list, rotate]),
)
