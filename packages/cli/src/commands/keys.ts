import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../action.ts"
import { config, data, json } from "./options.ts"

const actions = () => import("../actions/keys.ts")

const now = Flag.Boolean("now").pipe(
  Flag.withDescription("Sign with the new keys immediately instead of after an hour, for a leaked key"),
  Flag.withDefault(false),
)

const list = Command.make(
  "list",
  { config, data, json },
  lazily(async () => (await actions()).listSigningKeys),
).pipe(Command.withDescription("List the signing keys and their states"))

const rotate = Command.make(
  "rotate",
  { now, config, data, json },
  lazily(async () => (await actions()).rotateSigningKeys),
).pipe(Command.withDescription("Add a new key for every algorithm; running providers pick it up"))

/** `postern keys …`. */
export const keys = Command.make("keys").pipe(
  Command.withDescription("Signing keys: list, rotate"),
  Command.withSubcommands([list, rotate]),
)
