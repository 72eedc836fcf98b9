import { command } from "./command.ts"
import { config, data, port } from "./options.ts"

/** `postern serve`. */
export const serve = command(
  "serve",
  "Run the provider",
  { config, port, data },
  async () => (await import("../actions/serve.ts")).serveConfig,
  [{ command: "postern serve --config postern.jsonc", description: "Run it" }],
)
