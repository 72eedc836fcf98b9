import type { ClientOption } from "../actions/clientOptions.ts"
import { actionsOf, command, group } from "./command.ts"
import { argument, clientId, config, data, json, text, texts, toggle } from "./options.ts"

const action = actionsOf(() => import("../actions/clients.ts"))

const flagOf = ({ name, placeholder = "TEXT", description, states, repeats }: ClientOption) => {
  if (states !== undefined) return toggle(name, description)
  return repeats === true ? texts(name, placeholder, description) : text(name, placeholder, description)
}

const add = (options: ReadonlyArray<ClientOption>) =>
  command(
    "add",
    "Register a client; a generated secret is printed once",
    {
      clientId,
      stated: Object.fromEntries(options.map((option) => [option.name, flagOf(option)])),
      metadata: texts("metadata", "NAME=VALUE", "Any other client metadata, by its name in the configuration; VALUE is JSON, or a text"),
      secretStdin: toggle("secret-stdin", "Read the secret from stdin instead of generating one"),
      config,
      data,
      json,
    },
    action("addClient"),
    {
      "postern client add web --redirect-uri https://app.example.com/callback --scope 'openid profile'": "A web application",
      "postern client add spa --public --redirect-uri https://spa.example.com/callback --scope openid": "A single-page application",
      "postern client add worker --grant-type client_credentials --scope api.read": "A machine",
    },
  )

const file = argument("file", "A client, a list of clients, or an object with clients, as JSON or YAML; - is standard input")

/** `postern client …`. `options` are the options of `add` for client metadata. */
export const client = (options: ReadonlyArray<ClientOption>) =>
  group("client", "Clients", [
    add(options),
    command(
      "import",
      "Register or replace all clients in a file; changes nothing if any has a fault",
      { file, config, data, json },
      action("importClients"),
    ),
    command("list", "List all clients", { config, data, json }, action("listClients")),
    command("show", "Show a client, without its secret", { clientId, config, data, json }, action("showClient")),
    command(
      "readiness",
      "Report whether a client meets a profile, and what it lacks",
      { clientId, profile: text("profile", "NAME", "The profile (default: the client's own)"), config, data, json },
      async () => (await import("../actions/readiness.ts")).clientReadiness,
      { "postern client readiness bank --profile fapi2-security": "Check before you set the profile; changes nothing" },
    ),
    command("remove", "Remove a client", { clientId, config, data }, action("removeClient")),
  ])
