import { command } from "./command.ts"
import { config, data, port, workers } from "./options.ts"

/** `postern serve`. */
export const serve = command(
  "serve",
  "Run the provider",
  { config, port, workers, data },
  async () => (await import("../actions/serve.ts")).serveConfig,
  {
    "postern serve --config postern.jsonc": "Run it",
    "postern serve --config postern.jsonc --workers 0": "Run it on every core",
  },
)
