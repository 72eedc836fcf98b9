import { command } from "./command.ts"
import { argument, json, strict } from "./options.ts"

const file = argument("file", "The configuration file: JSON with comments, or YAML")

/** `postern check-config FILE`. */
export const checkConfig = command(
  "check-config",
  "Check a configuration file: report every fault and warning with its line and a hint",
  { file, strict, json },
  async () => (await import("../actions/checkConfig.ts")).checkConfigFile,
  { "postern check-config postern.jsonc": "Check a file" },
)
