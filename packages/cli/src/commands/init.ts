import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../action.ts"
import { yes } from "./options.ts"

const file = Argument.String("file").pipe(
  Argument.withDescription("The file to write; YAML when its name ends in .yaml or .yml"),
  Argument.withDefault("postern.jsonc"),
)
const force = Flag.Boolean("force").pipe(Flag.withDescription("Overwrite an existing file"), Flag.withDefault(false))

/** `postern init`. */
export const init = Command.make(
  "init",
  { file, yes, force },
  lazily(async () => (await import("../actions/init.ts")).initConfig),
).pipe(
  Command.withDescription("Ask a few questions and write a commented configuration file"),
  Command.withExamples([
    { command: "postern init", description: "Answer questions, then write postern.jsonc" },
    { command: "postern init --yes id.yaml", description: "Write a YAML configuration for this machine without asking" },
  ]),
)
