import { compose } from "@postern/core"
import type { ClientMetadata } from "@postern/core/model"
import { type Finding, isSamePath } from "../fault.ts"
import type { ConfigClient } from "../schema.ts"

type Name = keyof ClientMetadata

const page = "https://client.invalid/"

/** The possible values of an undecodable field. A list keeps its decodable items. */
const possible: { readonly [Field in Name]?: ReadonlyArray<NonNullable<ClientMetadata[Field]>> } = {
  grant_types: [
    ["authorization_code"],
    ["authorization_code", "refresh_token"],
    ["client_credentials"],
    ["implicit"],
    ["authorization_code", "implicit"],
  ],
  response_types: [["code"], ["id_token token"], ["code", "code id_token token"]],
  token_endpoint_auth_method: compose().clientAuthentication.map(({ method }) => method),
  token_endpoint_auth_signing_alg: ["ES256", "HS256"],
  application_type: ["web", "native"],
  redirect_uris: [[`${page}callback`]],
  scope: ["openid"],
  jwks: [{ keys: [] }],
  jwks_uri: [`${page}jwks`],
  request_uris: [[`${page}request`]],
  request_object_signing_alg: ["ES256", "none"],
  request_object_encryption_alg: ["ECDH-ES"],
  require_signed_request_object: [true],
  id_token_encrypted_response_alg: ["ECDH-ES"],
  userinfo_encrypted_response_alg: ["ECDH-ES"],
  introspection_encrypted_response_alg: ["ECDH-ES"],
  subject_type: ["pairwise"],
  sector_identifier_uri: [`${page}sector`],
  identity_providers: [["some"]],
  allow_local_login: [true],
  client_secret: ["s".repeat(64)],
  access_token_format: ["jwt", "reference"],
}

/** The maximum number of combinations examined. A client with more faults is fixed in several steps. */
const most = 400

const readings = (client: ConfigClient, lost: ReadonlyArray<string>): ReadonlyArray<ConfigClient> =>
  lost.reduce<ReadonlyArray<ConfigClient>>(
    (all, name) => {
      // The names of undecodable fields come from the file, so only own properties of the table count.
      const values: ReadonlyArray<unknown> = Object.hasOwn(possible, name) ? (possible[name as Name] ?? []) : []
      const widened = all.flatMap((reading) => {
        const left: unknown = reading[name as Name]
        const others = left === undefined ? values : Array.isArray(left) ? values.map((value) => [...left, ...[value].flat()]) : []
        return [reading, ...others.map((value): ConfigClient => ({ ...reading, [name]: value }))]
      })
      return widened.length > most ? all : widened
    },
    [client],
  )

/** Returns the findings about a client that hold whatever the value of its undecodable fields. */
export const certain = (
  client: ConfigClient,
  lost: ReadonlyArray<string>,
  judge: (client: ConfigClient) => ReadonlyArray<Finding>,
): ReadonlyArray<Finding> => {
  const [found = [], ...others] = readings(client, lost).map(judge)
  return found.filter(({ path, message }) =>
    others.every((other) => other.some((each) => each.message === message && isSamePath(each.path, path))),
  )
}
