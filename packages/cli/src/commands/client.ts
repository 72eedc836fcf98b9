import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../action.ts"
import { clientId, config, data, json } from "./options.ts"

const actions = () => import("../actions/clients.ts")

const yes = (name: string, description: string) => Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))
const many = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(`${description}; repeatable`), Flag.atLeast(0))
const one = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.withDefault(undefined))

const add = Command.make(
  "add",
  {
    clientId,
    name: one("name", "TEXT", "The client's display name"),
    redirectUris: many("redirect-uri", "URI", "A redirect URI"),
    postLogoutRedirectUris: many("post-logout-redirect-uri", "URI", "A URI to return to after sign-out"),
    scope: one("scope", "SCOPES", "The scopes it may ask for, separated by spaces"),
    grantTypes: many("grant-type", "GRANT", "A grant it may use (default: authorization_code)"),
    authMethod: Flag.Literals("auth-method", ["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt"]).pipe(
      Flag.withMetavar("METHOD"),
      Flag.withDescription("The authentication method (default: client_secret_basic)"),
      Flag.withDefault(undefined),
    ),
    jwksUri: one("jwks-uri", "URL", "The URL of its public keys, for private_key_jwt"),
    isPublic: yes("public", "Register a public client: a single-page application, or an app on a user's device"),
    native: yes("native", "Register a native app"),
    firstParty: yes("first-party", "Skip the consent page"),
    reference: yes("reference-tokens", "Issue opaque access tokens"),
    secretStdin: yes("secret-stdin", "Read the secret from stdin instead of generating one"),
    config,
    data,
    json,
  },
  lazily(async () => (await actions()).addClient),
).pipe(
  Command.withDescription("Register a client; a generated secret is printed once"),
  Command.withExamples([
    {
      command: "postern client add web --redirect-uri https://app.example.com/callback --scope 'openid profile'",
      description: "A web application",
    },
    {
      command: "postern client add spa --public --redirect-uri https://spa.example.com/callback --scope openid",
      description: "A single-page application",
    },
    { command: "postern client add worker --grant-type client_credentials --scope api.read", description: "A machine" },
  ]),
)

const list = Command.make(
  "list",
  { config, data, json },
  lazily(async () => (await actions()).listClients),
).pipe(Command.withDescription("List all clients"))

const show = Command.make(
  "show",
  { clientId, config, data, json },
  lazily(async () => (await actions()).showClient),
).pipe(Command.withDescription("Show a client, without its secret"))

const remove = Command.make(
  "remove",
  { clientId, config, data },
  lazily(async () => (await actions()).removeClient),
).pipe(Command.withDescription("Remove a client"))

const file = Argument.String("file").pipe(
  Argument.withDescription("A client, a list of clients, or an object with clients, as JSON or YAML; - is standard input"),
)

const import_ = Command.make(
  "import",
  { file, config, data, json },
  lazily(async () => (await actions()).importClients),
).pipe(Command.withDescription("Register or replace all clients of a file; changes nothing if one has a fault"))

/** `postern client …`. */
export const client = Command.make("client").pipe(
  Command.withDescription("Clients: add, list, show, remove, import"),
  Command.withSubcommands([add, list, show, remove, import_]),
)
