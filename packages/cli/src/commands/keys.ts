import { actionsOf, command, group } from "./command.ts"
import { config, data, json, toggle } from "./options.ts"

const action = actionsOf(() => import("../actions/keys.ts"))

const now = toggle("now", "Sign with the new keys immediately instead of after an hour, for a leaked key")

/** `postern keys …`. */
export const keys = group("keys", "Signing keys", [
  command("list", "List the signing keys and their states", { config, data, json }, action("listSigningKeys")),
  command(
    "rotate",
    "Add a new key for every algorithm; running providers pick it up",
    { now, config, data, json },
    action("rotateSigningKeys"),
  ),
])
