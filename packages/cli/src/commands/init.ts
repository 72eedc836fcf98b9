import * as Argument from "effect/cli/Argument"
import { command } from "./command.ts"
import { argument, force, yes } from "./options.ts"

const file = argument("file", "The file to write; YAML when its name ends in .yaml or .yml").pipe(Argument.withDefault("postern.jsonc"))

/** `postern init`. */
export const init = command(
  "init",
  "Ask a few questions and write a commented configuration file",
  { file, yes, force: force("Overwrite an existing file") },
  async () => (await import("../actions/init.ts")).initConfig,
  {
    "postern init": "Answer questions, then write postern.jsonc",
    "postern init --yes id.yaml": "Write a YAML configuration for this machine without asking",
  },
)
