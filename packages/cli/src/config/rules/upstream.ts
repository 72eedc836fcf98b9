import type { PrivateJwk, UpstreamAuthentication, UpstreamProvider, VouchingClaim } from "@postern/adapter-http/upstream"
import { reservedClaims, signingAlgorithms } from "@postern/core/model"
import { finding, type Finding, type Path } from "../fault.ts"
import { type ConfigRule, configRule, repeats } from "../rule.ts"
import type { ConfigFile } from "../schema.ts"
import type { Secret } from "../secretSchema.ts"
import { secretText } from "../secret.ts"
import { isLoopbackHost } from "./server.ts"

type Provider = NonNullable<ConfigFile["identity_providers"]>[number]

const methodOf = ({ token_endpoint_auth_method, client_secret, client_key }: Provider) => {
  if (token_endpoint_auth_method !== undefined) return token_endpoint_auth_method
  if (client_key !== undefined) return "private_key_jwt"
  return client_secret === undefined ? "none" : "client_secret_basic"
}

const isPrivateJwk = (value: unknown): value is PrivateJwk =>
  typeof value === "object" &&
  value !== null &&
  "kty" in value &&
  "d" in value &&
  "alg" in value &&
  signingAlgorithms.some((each) => each === value.alg)

/** Parses a private key of the configuration; returns undefined if it can't be used for signing. */
const keyOf = (text: string | undefined): PrivateJwk | undefined => {
  try {
    const key: unknown = JSON.parse(text ?? "")
    return isPrivateJwk(key) ? key : undefined
  } catch {
    return undefined
  }
}

const authenticationOf = (provider: Provider, textOf: (secret: Secret | undefined) => string | undefined): UpstreamAuthentication => {
  const method = methodOf(provider)
  switch (method) {
    case "none":
      return { method }
    case "private_key_jwt":
      return { method, key: keyOf(textOf(provider.client_key)) ?? {} }
    case "client_secret_basic":
    case "client_secret_post":
      return { method, secret: textOf(provider.client_secret) ?? "" }
  }
}

/** Converts a validated provider of the configuration to our registration with it. */
export const upstreamProvider = (provider: Provider, textOf: (secret: Secret | undefined) => string | undefined): UpstreamProvider => {
  const { name, issuer, client_id, scopes, claims, trusted_claims, acr_values, password_grant } = provider
  return {
    name,
    issuer,
    clientId: client_id,
    authentication: authenticationOf(provider, textOf),
    ...(scopes === undefined ? {} : { scopes }),
    ...(claims === undefined ? {} : { claims }),
    trustedClaims: trusted_claims ?? [],
    ...(acr_values === undefined ? {} : { acrValues: acr_values }),
    passwordGrant: password_grant ?? false,
  }
}

const eachProvider = (
  providers: ReadonlyArray<Provider> | undefined,
  check: (provider: Provider, path: Path) => ReadonlyArray<Finding>,
): ReadonlyArray<Finding> => (providers ?? []).flatMap((provider, at) => check(provider, ["identity_providers", at]))

const parsed = (issuer: string): URL | undefined => (URL.canParse(issuer) ? new URL(issuer) : undefined)

/**
 * The claims by which a provider vouches for an email address or phone number. They equal the adapter's `vouchingClaims`, which is not
 * imported because the adapter is loaded only when needed.
 */
const vouching = ["email_verified", "phone_number_verified"] as const satisfies ReadonlyArray<VouchingClaim>

/** Rules about upstream identity providers. */
export const upstreamRules: ReadonlyArray<ConfigRule> = [
  configRule("config.provider-names", "RFC 9700 §4.4.2.2", ({ config: { identity_providers = [] } }) =>
    repeats(identity_providers, ({ name }) => name).map((at) =>
      finding(
        ["identity_providers", at, "name"],
        "is also the name of an earlier entry",
        "give each provider its own name, which is part of its callback address",
      ),
    ),
  ),
  configRule("config.provider-issuers", "RFC 8414 §2, RFC 9700 §2.6", ({ config, development }) =>
    eachProvider(config.identity_providers, ({ issuer }, path) => {
      const url = parsed(issuer)
      if (url === undefined || url.search !== "" || url.hash !== "" || url.username !== "")
        return [finding([...path, "issuer"], "is no issuer", "write its https URL, as its own discovery document does")]
      if (url.protocol === "https:" || (development && url.protocol === "http:" && isLoopbackHost(url.hostname))) return []
      return [finding([...path, "issuer"], "is not https", "use https; http is for development on a loopback address only")]
    }),
  ),
  configRule("config.provider-issuer-ours", "RFC 9700 §4.4", ({ config }) =>
    eachProvider(config.identity_providers, ({ issuer }, path) =>
      issuer === config.issuer ? [finding([...path, "issuer"], "is this provider's own", "name another provider")] : [],
    ),
  ),
  configRule("config.provider-authentication", "OpenID Connect Core §9", ({ config, around, lost }) =>
    eachProvider(config.identity_providers, (provider, path) => {
      if (lost(path).some((name) => ["token_endpoint_auth_method", "client_secret", "client_key"].includes(name))) return []
      const { client_secret, client_key } = provider
      const method = methodOf(provider)
      const wanted = method === "private_key_jwt" ? "client_key" : method === "none" ? undefined : "client_secret"
      const unused = (["client_secret", "client_key"] as const).filter((name) => name !== wanted && provider[name] !== undefined)
      if (unused.length > 0)
        return unused.map((name) =>
          finding([...path, name], `has no effect with ${method}`, "remove it, or change token_endpoint_auth_method"),
        )
      if (wanted !== undefined && provider[wanted] === undefined)
        return [{ path: [...path, wanted], about: "absence" as const, message: "is missing", hint: `${method} needs it` }]
      const read = client_key === undefined || client_secret !== undefined ? undefined : secretText(client_key, around)
      return read !== undefined && "text" in read && keyOf(read.text) === undefined
        ? [
            finding(
              [...path, "client_key"],
              "is not a private key that can sign",
              "give a private JWK with its alg: RS256, PS256, ES256 or EdDSA",
            ),
          ]
        : []
    }),
  ),
  configRule("config.provider-scopes", "OpenID Connect Core §3.1.2.1", ({ config }) =>
    eachProvider(config.identity_providers, ({ scopes }, path) =>
      scopes === undefined || scopes.includes("openid")
        ? []
        : [finding([...path, "scopes"], "lacks openid", "add it: without it, no ID token says who signed in")],
    ),
  ),
  configRule("config.provider-claims", "OpenID Connect Core §2", ({ config }) =>
    eachProvider(config.identity_providers, ({ claims = {} }, path) =>
      Object.keys(claims).flatMap((name) =>
        reservedClaims.has(name)
          ? [
              {
                path: [...path, "claims", name],
                about: "key" as const,
                message: "is a claim that only this provider sets",
                hint: "remove it",
              },
            ]
          : [],
      ),
    ),
  ),
  configRule("config.provider-trusted-claims", "OpenID Connect Core §5.7", ({ config }) =>
    eachProvider(config.identity_providers, ({ claims, trusted_claims = [] }, path) =>
      vouching.flatMap((name) => {
        if (claims === undefined) return []
        const [isMapped, isTrusted] = [Object.hasOwn(claims, name), trusted_claims.includes(name)]
        if (isMapped && !isTrusted)
          return [
            {
              path: [...path, "claims", name],
              about: "key" as const,
              message: "is not accepted from a provider that is not trusted for it",
              hint: `remove it, or name ${name} in trusted_claims if the provider verifies such addresses itself`,
            },
          ]
        return isTrusted && !isMapped
          ? [finding([...path, "trusted_claims"], `names ${name}, but claims maps nothing to it`, `add it to claims, or remove it here`)]
          : []
      }),
    ),
  ),
]
