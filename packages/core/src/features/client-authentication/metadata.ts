import {
  type Field,
  type JsonObject,
  ShortText,
  WebUri,
  plainField,
  peerAlgorithms,
  secretAlgorithms,
  values,
  valuesOf,
} from "../../model/index.ts"

/** Public keys, each a JWK. */
const Keys = values.listOf(values.object, 0, 50)

/** Client metadata for client authentication: secrets, and keys, which are also used elsewhere to verify and encrypt. */
export const clientMetadata: ReadonlyArray<Field> = [
  plainField("client_secret", values.textOf(1024)),
  plainField(
    "token_endpoint_auth_method",
    ShortText,
    {
      name: "auth-method",
      placeholder: "METHOD",
      description: "The authentication method, such as private_key_jwt (default: client_secret_basic)",
    },
    {
      name: "public",
      states: "none",
      description: "Register a public client: a single-page application, or an app on a user's device",
    },
  ),
  plainField("token_endpoint_auth_signing_alg", values.oneOf([...peerAlgorithms, ...secretAlgorithms])),
  plainField("client_assertion_audience", values.oneOf(["issuer", "any"])),
  plainField(
    "jwks",
    valuesOf<{ readonly keys: ReadonlyArray<JsonObject> }>({
      kind: "object",
      of: { keys: { form: Keys.form, description: "Public keys, each a JWK (RFC 7517 §4)." } },
    }),
  ),
  plainField("jwks_uri", WebUri, {
    name: "jwks-uri",
    placeholder: "URL",
    description: "The URL of its public keys, for private_key_jwt",
  }),
]

/** Descriptions of these fields, which no request needs. */
export const descriptions = {
  client_secret:
    "The client's secret; stored as a hash, or sealed with key_encryption_key for client_secret_jwt. Not for none and private_key_jwt.",
  token_endpoint_auth_method:
    "The client's authentication method; no other is accepted. Default: client_secret_basic or client_secret_post.",
  token_endpoint_auth_signing_alg: "The only algorithm accepted for its assertions. Default: any that fits its method.",
  client_assertion_audience: "The audience required of its assertions: issuer, or any for the URL of an endpoint too. Default: any.",
  jwks: "The client's public keys, as a JWK set. Set this or jwks_uri.",
  jwks_uri: "The https URL of its public keys.",
}
