import { command } from "./command.ts"
import { config, data, json, strict } from "./options.ts"

/** `postern doctor`. */
export const doctor = command(
  "doctor",
  "Diagnose the configuration, the database, the keys and this machine, and suggest fixes",
  { strict, config, data, json },
  async () => (await import("../actions/doctor.ts")).examineProvider,
  { "postern doctor --config postern.jsonc": "Run every check; changes nothing" },
)
