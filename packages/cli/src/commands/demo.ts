import { command } from "./command.ts"
import { data, port } from "./options.ts"

/** `postern demo`. */
export const demo = command(
  "demo",
  "Run a demo provider with clients, users and a playground",
  { port, data },
  async () => (await import("../actions/demo.ts")).serveDemo,
)
