import * as Schema from "effect/Schema"
import { type Recipe, recipes } from "./recipe.ts"
import { type RoleClient, type RoleName, roleNames, roles } from "./roles.ts"
import type { Person } from "./target.ts"

const strings = Schema.Array(Schema.String)

const Detail = Schema.Record(Schema.String, Schema.Json)

const Client = Schema.Struct({
  client_id: Schema.String,
  client_secret: Schema.optionalKey(Schema.String),
  token_endpoint_auth_method: Schema.optionalKey(Schema.String),
  redirect_uris: Schema.optionalKey(strings),
  post_logout_redirect_uris: Schema.optionalKey(strings),
  backchannel_logout_uri: Schema.optionalKey(Schema.String),
  frontchannel_logout_uri: Schema.optionalKey(Schema.String),
  id_jag_audience: Schema.optionalKey(Schema.String),
  id_jag_issuer: Schema.optionalKey(Schema.String),
  backchannel_client_notification_endpoint: Schema.optionalKey(Schema.String),
  authorization_details: Schema.optionalKey(
    Schema.Struct({ asked: Detail, narrower: Schema.optionalKey(Detail), wider: Schema.optionalKey(Detail) }),
  ),
  scope: Schema.optionalKey(Schema.String),
  key: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
})

const Pages = Schema.Struct({
  name: Schema.String,
  approvals: Schema.optionalKey(Schema.String),
  pages: Schema.Array(
    Schema.Struct({
      kind: Schema.Literals(["sign-in", "consent", "confirmation"]),
      when: Schema.String,
      javascript: Schema.optionalKey(Schema.Boolean),
      fill: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
      tick: Schema.optionalKey(Schema.String),
      click: Schema.String,
      refuse: Schema.optionalKey(Schema.String),
    }),
  ),
})

/** The client file, which describes a provider for a test: its clients by role, a person who can sign in, and the recipe of its pages. */
export const ClientFile = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  clients: Schema.Struct(
    Object.fromEntries(roleNames.map((role) => [role, Schema.optionalKey(Client)])) as Record<RoleName, Schema.optionalKey<typeof Client>>,
  ),
  person: Schema.optionalKey(
    Schema.Struct({ username: Schema.String, password: Schema.String, user_code: Schema.optionalKey(Schema.String) }),
  ),
  pages: Schema.optionalKey(Schema.Union([Schema.Literals(recipes.map(({ name }) => name)), Pages])),
})

/** The content of a client file. */
export interface Known {
  readonly clients: Readonly<Partial<Record<RoleName, RoleClient>>>
  readonly person: Person | undefined
  readonly recipe: Recipe | undefined
}

/** Converts a client file. Client metadata that it omits is that of the role. */
export const knownFrom = ({ clients, person, pages }: typeof ClientFile.Type): Known => ({
  clients: Object.fromEntries(
    roleNames.flatMap((role) => {
      const stated = clients[role]
      if (stated === undefined) return []
      const usual: Partial<RoleClient> = roles[role]
      const client: RoleClient = { redirect_uris: [], token_endpoint_auth_method: "client_secret_basic", ...usual, ...defined(stated) }
      return [[role, client]]
    }),
  ),
  person,
  recipe: typeof pages === "string" ? recipes.find(({ name }) => name === pages) : pages,
})

const defined = <A extends object>(value: A): A => Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as A
