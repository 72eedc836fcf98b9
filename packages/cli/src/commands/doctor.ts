import * as Command from "effect/cli/Command"
import { lazily } from "../action.ts"
import { config, data, json, strict } from "./options.ts"

/** `postern doctor`. */
export const doctor = Command.make(
  "doctor",
  { strict, config, data, json },
  lazily(async () => (await import("../actions/doctor.ts")).examineProvider),
).pipe(
  Command.withDescription("Diagnose the configuration, the database, the keys and this machine, and say how to fix what is wrong"),
  Command.withExamples([{ command: "postern doctor --config postern.jsonc", description: "Run every check; changes nothing" }]),
)
