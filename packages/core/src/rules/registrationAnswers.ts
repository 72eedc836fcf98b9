import type { ClientMetadata } from "../model/index.ts"
import { uriParts } from "./redirectUri.ts"
import { type Fault, type Registration, fault, together } from "./registrationFault.ts"
import { pass, table } from "./rule.ts"

const answers = ["id_token", "userinfo", "introspection"] as const

/** The hosts of a client's redirect URIs, each once. */
const hosts = ({ redirect_uris = [] }: ClientMetadata): ReadonlySet<string> =>
  new Set(redirect_uris.map((uri) => uriParts(uri)?.host.toLowerCase() ?? ""))

/** The rules for a client that wants its answers encrypted, or a subject of its own. */
export const answerRules = table<Registration, Fault>("registration/answers")
  .rule("registration.encryption-alg", "OpenID Connect Dynamic Client Registration §2", ({ client }) =>
    together(
      answers.flatMap((name) => {
        const { [`${name}_encrypted_response_alg` as const]: alg, [`${name}_encrypted_response_enc` as const]: enc } = client
        return alg !== undefined || enc === undefined
          ? []
          : [
              fault(
                [`${name}_encrypted_response_enc`],
                `needs ${name}_encrypted_response_alg`,
                "say how the key is encrypted too, or leave both out",
              ),
            ]
      }),
    ),
  )
  .rule("registration.encryption-keys", "OpenID Connect Core §10.2", ({ client }) => {
    const encrypted = answers.find((name) => client[`${name}_encrypted_response_alg`] !== undefined)
    return encrypted === undefined || client.jwks !== undefined || client.jwks_uri !== undefined
      ? pass
      : fault(
          [`${encrypted}_encrypted_response_alg`],
          "needs a key of the client to encrypt to",
          "give its public keys as jwks, or say where they are as jwks_uri",
        )
  })
  .rule("registration.pairwise-salt", "OpenID Connect Core §8.1", ({ client, provider: seen }) =>
    client.subject_type !== "pairwise" || seen.pairwise
      ? pass
      : fault(["subject_type"], "is pairwise, and the provider has no pairwise_salt", "set pairwise_salt, once and for all"),
  )
  .rule("registration.pairwise-sector", "OpenID Connect Core §8.1", ({ client }) =>
    client.subject_type !== "pairwise" || client.sector_identifier_uri !== undefined || hosts(client).size <= 1
      ? pass
      : fault(
          ["sector_identifier_uri"],
          "is missing: the redirect URIs have several hosts, which would be several sectors",
          "name the one sector with a sector_identifier_uri",
        ),
  )
