import * as Command from "effect/cli/Command"
import { lazily } from "./lazily.ts"
import { config, data, json, strict } from "./options.ts"

/** `postern doctor`. */
export const doctor = Command.make(
  "doctor",
  { strict, config, data, json },
  lazily(async () => (await import("../actions/doctor.ts")).examineProvider),
).pipe(
  Command.withDescription("Look for what is wrong with the configuration, the database, the keys and this machine, and say what to do"),
  Command.withExamples([{ command: "postern doctor --config postern.jsonc", description: "Every check; nothing is changed" }]),
)
