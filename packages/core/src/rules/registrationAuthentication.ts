import type { ClientAuthenticationMethod, ClientMetadata } from "../model/index.ts"
import { algorithmsOf } from "./clientAssertion.ts"
import { type Fault, type Registration, fault } from "./registrationFault.ts"
import { type Rule, pass, rule, table } from "./rule.ts"

/** The method by which a client authenticates (RFC 7591 §2). */
export const authMethod = (client: ClientMetadata): ClientAuthenticationMethod => client.token_endpoint_auth_method ?? "client_secret_basic"

/** Reports whether a client proves itself by JWTs that it signs (OpenID Connect Core §9). */
const signsAssertions = (client: ClientMetadata): boolean =>
  authMethod(client) === "client_secret_jwt" || authMethod(client) === "private_key_jwt"

/** A client that authenticates by `method` has no secret; one that has would use `instead`. */
const noSecret = (
  id: string,
  cites: string,
  method: ClientAuthenticationMethod,
  instead: string,
): Rule<Registration, Registration, Fault> =>
  rule(id, cites, ({ client }) =>
    authMethod(client) === method && client.client_secret !== undefined
      ? fault(
          ["client_secret"],
          `is given for a client that authenticates by ${method}`,
          `remove the secret, or set token_endpoint_auth_method to ${instead}`,
        )
      : pass,
  )

/** The rules for a client's means of authentication: a secret, or keys. */
export const authenticationRules = table<Registration, Fault>("registration/authentication")
  .rule("registration.secret", "RFC 6749 §2.3.1", ({ client, provider: seen }) =>
    ["none", "private_key_jwt"].includes(authMethod(client)) || client.client_secret !== undefined || seen.secretKept
      ? pass
      : fault(["client_secret"], "is missing", "give a secret, or set token_endpoint_auth_method to none for a client that can keep none"),
  )
  .include(noSecret("registration.public-secret", "RFC 6749 §2.1", "none", "client_secret_basic"))
  .include(noSecret("registration.secret-unused", "OpenID Connect Core §9", "private_key_jwt", "client_secret_jwt"))
  .rule("registration.secret-length", "RFC 7518 §3.2", ({ client }) => {
    const { token_endpoint_auth_signing_alg: alg = "HS256", client_secret: secret } = client
    const needed = Number(/^HS(\d{3})$/.exec(alg)?.[1] ?? 0) / 8
    return authMethod(client) === "client_secret_jwt" && secret !== undefined && new TextEncoder().encode(secret).length < needed
      ? fault(["client_secret"], `is shorter than the ${needed} bytes that ${alg} needs`, "make one with: openssl rand -base64 64")
      : pass
  })
  .rule("registration.secret-sealed", "OpenID Connect Core §9", ({ client, provider: seen }) =>
    authMethod(client) === "client_secret_jwt" && !seen.sealing
      ? fault(
          ["token_endpoint_auth_method"],
          "is client_secret_jwt, whose secret cannot be kept as a hash, and there is no key to seal it with",
          "set key_encryption_key in the configuration, or use private_key_jwt",
        )
      : pass,
  )
  .rule("registration.keys", "OpenID Connect Core §9", ({ client }) =>
    authMethod(client) === "private_key_jwt" && client.jwks === undefined && client.jwks_uri === undefined
      ? fault(
          ["token_endpoint_auth_method"],
          "is private_key_jwt, and no key of the client is known",
          "give its public keys as jwks, or where it publishes them as jwks_uri",
        )
      : pass,
  )
  .rule("registration.auth-signing-alg", "OpenID Connect Dynamic Client Registration §2", ({ client }) => {
    const { token_endpoint_auth_signing_alg: alg, token_endpoint_auth_method: method } = client
    if (alg === undefined) return pass
    if (!signsAssertions(client))
      return fault(
        ["token_endpoint_auth_signing_alg"],
        "is given for a client that signs no assertions",
        "remove it, or set token_endpoint_auth_method to private_key_jwt or client_secret_jwt",
      )
    const allowed = algorithmsOf({ tokenEndpointAuthMethod: authMethod(client) })
    return allowed.includes(alg)
      ? pass
      : fault(["token_endpoint_auth_signing_alg"], `is ${alg}, which is not for ${method}`, `use one of: ${allowed.join(", ")}`)
  })
