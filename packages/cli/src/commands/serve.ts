import * as Command from "effect/cli/Command"
import { lazily } from "../action.ts"
import { config, data, port } from "./options.ts"

/** `postern serve`. */
export const serve = Command.make(
  "serve",
  { config, port, data },
  lazily(async () => (await import("../actions/serve.ts")).serveConfig),
).pipe(
  Command.withDescription("Run the provider"),
  Command.withExamples([{ command: "postern serve --config postern.jsonc", description: "Run it" }]),
)
