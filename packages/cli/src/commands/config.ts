import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { command } from "./command.ts"
import { json, text } from "./options.ts"

const before = Argument.String("before").pipe(Argument.withDescription("The configuration to compare with"))
const after = Argument.String("after").pipe(Argument.withDescription("The configuration that is to take its place"))

const diff = command(
  "diff",
  "Tell the consequences of another configuration for clients, rules and recorded requests (exit status 4 where there are any)",
  { before, after, against: text("against", "RECORDING", "Decide the requests of this recording by both"), json },
  async () => (await import("../actions/configDiff.ts")).diffConfigs,
  [
    { command: "postern config diff postern.jsonc next.jsonc", description: "Compare what clients may do, and the rules" },
    {
      command: "postern config diff postern.jsonc next.jsonc --against requests.recording",
      description: "Compare what was really asked, too",
    },
  ],
)

/** `postern config …`. */
export const config = Command.make("config").pipe(Command.withDescription("Configurations: compare two"), Command.withSubcommands([diff]))
