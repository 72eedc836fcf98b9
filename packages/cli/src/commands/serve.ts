import { command } from "./command.ts"
import { config, data, port, workers } from "./options.ts"

/** `postern serve`. */
export const serve = command(
  "serve",
  "Run the provider",
  { config, port, workers, data },
  async () => (await import("../actions/serve.ts")).serveConfig,
  [
    { command: "postern serve --config postern.jsonc", description: "Run it" },
    { command: "postern serve --config postern.jsonc --workers 0", description: "Run it on every core" },
  ],
)
