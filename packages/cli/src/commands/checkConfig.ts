import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "../action.ts"
import { json, strict } from "./options.ts"

const file = Argument.String("file").pipe(Argument.withDescription("The configuration file: JSON with comments, or YAML"))

/** `postern check-config FILE`. */
export const checkConfig = Command.make(
  "check-config",
  { file, strict, json },
  lazily(async () => (await import("../actions/checkConfig.ts")).checkConfigFile),
).pipe(
  Command.withDescription("Check a configuration file: report every fault and warning with its line and a hint"),
  Command.withExamples([{ command: "postern check-config postern.jsonc", description: "Check a file" }]),
)
