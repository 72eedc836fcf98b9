import * as Argument from "effect/cli/Argument"
import { command, group } from "./command.ts"
import { argument, port, text } from "./options.ts"

const files = argument("file", "Client metadata, as JSON or YAML; its client_id is the URL at which it is served").pipe(Argument.atLeast(1))

/** `postern cimd …`. */
export const cimd = group("cimd", "Client ID Metadata Documents", [
  command(
    "serve",
    "Serve client metadata documents on this machine for development, and name the rule that would refuse one",
    {
      files,
      port,
      url: text("url", "URL", "The https URL at which others reach this server, such as a tunnel's (default: http on loopback)"),
    },
    async () => (await import("../actions/cimdServe.ts")).cimdServe,
    { "postern cimd serve app.json": "The client http://127.0.0.1:8090/app.json" },
  ),
])
