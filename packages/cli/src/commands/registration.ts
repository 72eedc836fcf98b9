import { actionsOf, command, group } from "./command.ts"
import { argument, config, data, json, limit, text, texts, toggle } from "./options.ts"

const action = actionsOf(() => import("../actions/registration.ts"))

const name = argument("name", "A name for the token, such as its recipient")

const token = argument("token", "The id of the token, as shown by list")

const tokens = group("tokens", "Initial access tokens", [
  command(
    "add",
    "Create an initial access token; it is printed once",
    {
      name,
      uses: limit("uses", "N", "Number of clients it may register (default: unlimited)", 1_000_000_000),
      days: limit("days", "N", "Days until it expires (default: never)", 36_500),
      redirectHosts: texts("redirect-host", "HOST", "A host that redirect URIs may have, such as *.example.com"),
      scope: text("scope", "SCOPES", "The scopes its clients may have, separated by spaces"),
      grantTypes: texts("grant-type", "GRANT", "A grant type its clients may have"),
      metadata: texts("metadata", "NAME=VALUE", "Metadata that all its clients get; VALUE is JSON, or a text"),
      config,
      data,
      json,
    },
    action("addToken"),
    {
      "postern registration tokens add partners --uses 10 --days 30 --redirect-host '*.example.com'":
        "Ten clients of one domain within a month",
    },
  ),
  command("list", "List the newest initial access tokens, without their secrets", { config, data, json }, action("listTokens")),
  command("revoke", "Revoke an initial access token; the clients it registered remain", { token, config, data }, action("revokeToken")),
])

/** `postern registration …`. */
export const registration = group("registration", "Dynamic registration of clients", [
  tokens,
  command(
    "policy",
    "Show the limits and rules of registration, or the rule that refuses given metadata",
    {
      metadata: text("metadata", "FILE", "Client metadata as JSON, judged as a registration request would be; nothing is registered"),
      config,
      data,
      json,
    },
    action("showPolicy"),
    { "postern registration policy --metadata client.json": "Find the rule that refuses a client" },
  ),
  command(
    "clean",
    "Remove expired clients, as a running provider does by itself",
    { dryRun: toggle("dry-run", "Only report them"), config, data, json },
    action("cleanClients"),
  ),
])
