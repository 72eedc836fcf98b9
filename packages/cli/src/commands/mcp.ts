import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { command } from "./command.ts"
import { config, json, text, texts } from "./options.ts"

const target = Argument.String("target").pipe(
  Argument.withDescription(
    "The URL of a provider, of an MCP server or of a client's document, or the name of a client, such as claude-code",
  ),
)

const doctor = command(
  "doctor",
  "Tell which rule refuses which client of the Model Context Protocol (exit status 1 where one is refused)",
  {
    target,
    clients: texts("client", "NAME", "A client to try at the URL; all that are known when not given"),
    resource: text(
      "resource",
      "URL",
      "The resource that a client names at the provider of the configuration (default: the first that is a URL)",
    ),
    config,
    json,
  },
  async () => (await import("../actions/mcpDoctor.ts")).mcpDoctor,
  [
    { command: "postern mcp doctor https://mcp.example.com/mcp", description: "An MCP server, and the provider that it names" },
    { command: "postern mcp doctor claude-code", description: "One client at the provider of the configuration" },
  ],
)

/** `postern mcp …`. */
export const mcp = Command.make("mcp").pipe(
  Command.withDescription("The Model Context Protocol: doctor"),
  Command.withSubcommands([doctor]),
)
