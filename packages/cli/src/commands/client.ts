import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { command } from "./command.ts"
import { clientId, config, data, json, text, texts, toggle } from "./options.ts"

const actions = () => import("../actions/clients.ts")

const add = command(
  "add",
  "Register a client; a generated secret is printed once",
  {
    clientId,
    name: text("name", "TEXT", "The client's display name"),
    redirectUris: texts("redirect-uri", "URI", "A redirect URI"),
    postLogoutRedirectUris: texts("post-logout-redirect-uri", "URI", "A URI to return to after sign-out"),
    scope: text("scope", "SCOPES", "The scopes it may ask for, separated by spaces"),
    grantTypes: texts("grant-type", "GRANT", "A grant it may use (default: authorization_code)"),
    authMethod: text("auth-method", "METHOD", "The authentication method, such as private_key_jwt (default: client_secret_basic)"),
    jwksUri: text("jwks-uri", "URL", "The URL of its public keys, for private_key_jwt"),
    isPublic: toggle("public", "Register a public client: a single-page application, or an app on a user's device"),
    native: toggle("native", "Register a native app"),
    firstParty: toggle("first-party", "Skip the consent page"),
    reference: toggle("reference-tokens", "Issue opaque access tokens"),
    metadata: texts("metadata", "NAME=VALUE", "Any other client metadata, by its name in the configuration; VALUE is JSON, or a text"),
    secretStdin: toggle("secret-stdin", "Read the secret from stdin instead of generating one"),
    config,
    data,
    json,
  },
  async () => (await actions()).addClient,
  [
    {
      command: "postern client add web --redirect-uri https://app.example.com/callback --scope 'openid profile'",
      description: "A web application",
    },
    {
      command: "postern client add spa --public --redirect-uri https://spa.example.com/callback --scope openid",
      description: "A single-page application",
    },
    { command: "postern client add worker --grant-type client_credentials --scope api.read", description: "A machine" },
  ],
)

const list = command("list", "List all clients", { config, data, json }, async () => (await actions()).listClients)

const show = command(
  "show",
  "Show a client, without its secret",
  { clientId, config, data, json },
  async () => (await actions()).showClient,
)

const remove = command("remove", "Remove a client", { clientId, config, data }, async () => (await actions()).removeClient)

const file = Argument.String("file").pipe(
  Argument.withDescription("A client, a list of clients, or an object with clients, as JSON or YAML; - is standard input"),
)

const import_ = command(
  "import",
  "Register or replace all clients of a file; changes nothing if one has a fault",
  { file, config, data, json },
  async () => (await actions()).importClients,
)

/** `postern client …`. */
export const client = Command.make("client").pipe(
  Command.withDescription("Clients: add, list, show, remove, import"),
  Command.withSubcommands([add, list, show, remove, import_]),
)
