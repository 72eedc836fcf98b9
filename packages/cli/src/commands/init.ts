import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "./lazily.ts"
import { yes } from "./options.ts"

const file = Argument.String("file").pipe(
  Argument.withDescription("The file to write; YAML when its name ends in .yaml or .yml"),
  Argument.withDefault("postern.jsonc"),
)
const force = Flag.Boolean("force").pipe(Flag.withDescription("Replace the file if it is there"), Flag.withDefault(false))

/** `postern init`. */
export const init = Command.make(
  "init",
  { file, yes, force },
  lazily(async () => (await import("../actions/init.ts")).initConfig),
).pipe(
  Command.withDescription("Ask a few questions and write a commented configuration"),
  Command.withExamples([
    { command: "postern init", description: "Ask, then write postern.jsonc" },
    { command: "postern init --yes id.yaml", description: "Write a configuration for this machine, as YAML" },
  ]),
)
