import { command, group } from "./command.ts"
import { argument, json, text } from "./options.ts"

const before = argument("before", "The configuration to compare with")
const after = argument("after", "The configuration to replace it")

/** `postern config …`. */
export const config = group("config", "Configurations", [
  command(
    "diff",
    "Show how another configuration affects clients, rules and recorded requests (exit status 4 if it does)",
    { before, after, against: text("against", "RECORDING", "Replay the requests of this recording under both"), json },
    async () => (await import("../actions/configDiff.ts")).diffConfigs,
    {
      "postern config diff postern.jsonc next.jsonc": "Compare the rules, and what clients may do",
      "postern config diff postern.jsonc next.jsonc --against requests.recording": "Also compare the answers to recorded requests",
    },
  ),
])
