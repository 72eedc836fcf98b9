import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { command } from "./command.ts"
import { port, text } from "./options.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription("A file with the metadata of a client, JSON or YAML; its client_id is the URL that it is served at"),
  Argument.atLeast(1),
)

const serve = command(
  "serve",
  "Serve documents of clients on this machine, for development, and tell which rule would refuse one",
  {
    files,
    port,
    url: text("url", "URL", "The https URL by which others reach this server, such as that of a tunnel (default: http on loopback)"),
  },
  async () => (await import("../actions/cimdServe.ts")).cimdServe,
  [{ command: "postern cimd serve app.json", description: "The client http://127.0.0.1:8090/app.json" }],
)

/** `postern cimd …`. */
export const cimd = Command.make("cimd").pipe(
  Command.withDescription("Documents of clients (Client ID Metadata Document): serve"),
  Command.withSubcommands([serve]),
)
