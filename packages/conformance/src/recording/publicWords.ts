import type { Composition, ProviderOptions } from "@postern/core"

/** The scopes, media types and identifiers that no feature lists. */
const commonWords = [
  "openid profile email address phone offline_access",
  "application/x-www-form-urlencoded",
  "application/json",
  "text/html",
  "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  "urn:ietf:params:oauth:token-type:access_token",
]

/** The public words by which requests to a provider are decided: its paths, its grant types, its scopes and the like. */
export const publicWordsOf = (provider: Composition, { scopes, resources, issuer }: ProviderOptions): string =>
  [
    ...provider.features.flatMap(({ endpoints }) => endpoints?.(provider).map(({ path }) => path) ?? []),
    ...provider.grantTypes,
    ...provider.responseTypes,
    ...provider.responseModes.map(({ name }) => name),
    JSON.stringify({ scopes, resources }),
    issuer,
    ...commonWords,
  ].join("\n")
