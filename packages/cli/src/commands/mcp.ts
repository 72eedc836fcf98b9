import { command, group } from "./command.ts"
import { argument, config, json, text, texts } from "./options.ts"

const target = argument(
  "target",
  "The URL of a provider, of an MCP server or of a client's metadata document, or the name of a client, such as claude-code",
)

/** `postern mcp …`. */
export const mcp = group("mcp", "The Model Context Protocol", [
  command(
    "doctor",
    "Show which MCP clients a provider refuses, and by which rule (exit status 1 if it refuses any)",
    {
      target,
      clients: texts("client", "NAME", "A client to try at the URL (default: all known clients)"),
      resource: text(
        "resource",
        "URL",
        "The resource that the client asks for, with the configured provider (default: the first that is a URL)",
      ),
      config,
      json,
    },
    async () => (await import("../actions/mcpDoctor.ts")).mcpDoctor,
    {
      "postern mcp doctor https://mcp.example.com/mcp": "An MCP server and the provider that it names",
      "postern mcp doctor claude-code": "One client at the configured provider",
    },
  ),
])
