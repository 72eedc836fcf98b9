import { authMethodOf, peerAlgorithms, privateMember } from "../../model/index.ts"
import type { AuthenticationMeans } from "../../rules/clientAuthentication.ts"
import { profileOf } from "../../rules/registeredProfile.ts"
import { algorithmAccepted, ownAlgorithms } from "../../rules/registrationAlgorithm.ts"
import { type Fault, type Registration, fault, together } from "../../rules/registrationFault.ts"
import { fetchable, keyLack } from "../../rules/registrationPublished.ts"
import { pass, table } from "../../rules/rule.ts"

/** The method by which a client authenticates (RFC 7591 §2); undefined if the provider has no method of that name. */
const meansOf = ({ client, provider }: Registration): AuthenticationMeans | undefined =>
  provider.clientAuthentication.find(({ method }) => method === authMethodOf(client))

/** The rules for a client's credentials: a secret, or keys. */
export const registration = table<Registration, Fault>("registration/authentication")
  .rule("registration.auth-method", "RFC 7591 §2", (s) =>
    meansOf(s) === undefined
      ? fault(
          ["token_endpoint_auth_method"],
          `${authMethodOf(s.client)} is not a way of client authentication of this provider`,
          `use one of: ${s.provider.clientAuthentication.map(({ method }) => method).join(", ")}`,
        )
      : pass,
  )
  .rule("registration.secret", "RFC 6749 §2.3.1", (s) =>
    meansOf(s)?.secret === undefined || s.client.client_secret !== undefined || s.provider.secretKept
      ? pass
      : fault(["client_secret"], "is missing", "give a secret, or set token_endpoint_auth_method to none for a client that can keep none"),
  )
  .rule("registration.public-secret", "RFC 6749 §2.1", ({ client }) =>
    client.token_endpoint_auth_method === "none" && client.client_secret !== undefined
      ? fault(
          ["client_secret"],
          "is given for a client that authenticates by none",
          "remove the secret, or set token_endpoint_auth_method to client_secret_basic",
        )
      : pass,
  )
  .rule("registration.secret-unused", "OpenID Connect Core §9", (s) => {
    const means = meansOf(s)
    return means === undefined || means.method === "none" || means.secret !== undefined || s.client.client_secret === undefined
      ? pass
      : fault(
          ["client_secret"],
          `is given for a client that authenticates by ${means.method}`,
          "remove the secret, or set token_endpoint_auth_method to client_secret_jwt",
        )
  })
  .rule("registration.secret-length", "RFC 7518 §3.2", ({ client }) => {
    const { token_endpoint_auth_signing_alg: alg = "HS256", client_secret: secret } = client
    const needed = Number(/^HS(\d{3})$/.exec(alg)?.[1] ?? 0) / 8
    return client.token_endpoint_auth_method === "client_secret_jwt" &&
      secret !== undefined &&
      new TextEncoder().encode(secret).length < needed
      ? fault(["client_secret"], `is shorter than the ${needed} bytes that ${alg} needs`, "make one with: openssl rand -base64 64")
      : pass
  })
  .rule("registration.secret-sealed", "OpenID Connect Core §9", (s) =>
    meansOf(s)?.secret === "sealed" && !s.provider.sealing
      ? fault(
          ["token_endpoint_auth_method"],
          `is ${meansOf(s)?.method ?? ""}, whose secret cannot be kept as a hash, and there is no key to seal it with`,
          "set key_encryption_key in the configuration, or use private_key_jwt",
        )
      : pass,
  )
  .rule("registration.keys", "OpenID Connect Core §9", ({ client, provider }) => {
    const { token_endpoint_auth_method: method, token_endpoint_auth_signing_alg: alg } = client
    const stated = peerAlgorithms.find((each) => each === alg)
    const lack = method === "private_key_jwt" ? keyLack(client, ownAlgorithms(stated, profileOf(client, provider))) : undefined
    return lack && fault(["token_endpoint_auth_method"], `is private_key_jwt, and ${lack[0]}`, lack[1])
  })
  .rule("registration.auth-signing-alg", "OpenID Connect Dynamic Client Registration §2", (s) => {
    const { token_endpoint_auth_signing_alg: alg, token_endpoint_auth_method: method } = s.client
    if (alg === undefined) return pass
    const allowed = meansOf(s)?.signingAlgorithms
    if (allowed === undefined)
      return fault(
        ["token_endpoint_auth_signing_alg"],
        "is given for a client that signs no assertions",
        "remove it, or set token_endpoint_auth_method to private_key_jwt or client_secret_jwt",
      )
    return allowed.includes(alg)
      ? pass
      : fault(["token_endpoint_auth_signing_alg"], `is ${alg}, which is not for ${method}`, `use one of: ${allowed.join(", ")}`)
  })
  .rule("registration.keys-once", "RFC 7591 §2", ({ client }) =>
    client.jwks !== undefined && client.jwks_uri !== undefined
      ? fault(["jwks_uri"], "is given beside jwks", "give one of the two: jwks_uri, where the client can publish its keys")
      : pass,
  )
  .rule("registration.keys-public", "RFC 7591 §2, RFC 7517 §9.2", ({ client }) =>
    together(
      (client.jwks?.keys ?? []).flatMap((key, at) => {
        const secret = privateMember(key)
        return secret === undefined
          ? []
          : [fault(["jwks", "keys", at], `holds ${secret}, which is secret`, "give the public key alone, and replace a key that was shown")]
      }),
    ),
  )
  .include(fetchable("registration.jwks-uri", "RFC 7591 §5", "jwks_uri"))
  .include(algorithmAccepted("token_endpoint_auth_signing_alg"))
