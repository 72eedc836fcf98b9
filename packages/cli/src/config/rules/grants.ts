import { compose, compositionFaults, defaultFeatures } from "@postern/core"
import { finding, type Finding } from "../fault.ts"
import { plainFeatures } from "../features.ts"
import { ownModule } from "../modules.ts"
import { type ConfigRule, configRule, repeats } from "../rule.ts"
import type { ConfigFile } from "../schema.ts"
import type { Surroundings } from "../surroundings.ts"

/** Returns the name of an added grant that already exists. */
const takenGrant = (grants: ConfigFile["grants"], { absolute }: Surroundings): string | undefined => {
  const names = compose({ features: plainFeatures({ grants }, absolute).slice(defaultFeatures.length) }).grantTypes
  const builtIn = compose().grantTypes
  return names.find((name, at) => names.indexOf(name) < at || builtIn.includes(name))
}

/** Returns every trusted issuer with its path, including those of assertions, ID-JAG identity providers, and login_hint_tokens. */
const trustedIn = ({ grants: { trusted_issuers = [], id_jag: { identity_providers = [] } = {} } = {}, ciba }: Partial<ConfigFile>) => [
  ...trusted_issuers.map((issuer, at) => ({ path: ["grants", "trusted_issuers", at], issuer })),
  ...identity_providers.map((issuer, at) => ({ path: ["grants", "id_jag", "identity_providers", at], issuer })),
  ...(ciba?.login_hint_token_issuers ?? []).map((issuer, at) => ({ path: ["ciba", "login_hint_token_issuers", at], issuer })),
]

/** Rules about extension grants and trusted issuers. */
export const grantRules: ReadonlyArray<ConfigRule> = [
  configRule("config.grant-modules", "RFC 6749 §4.5", ({ config: { grants: { modules = [] } = {} }, around }) =>
    modules.flatMap((path, at) => {
      const { fault } = ownModule(around.absolute(path))
      return fault === undefined
        ? []
        : [
            finding(
              ["grants", "modules", at],
              fault,
              "name a file that exports what defineFeature or extensionGrant of @postern/core makes: see docs/embedding.md and docs/grants.md",
            ),
          ]
    }),
  ),
  configRule("config.grant-names", "RFC 6749 §4.5", ({ config: { grants }, around }) => {
    const taken = takenGrant(grants, around)
    return taken === undefined
      ? []
      : [finding(["grants", "modules"], `${taken} is the name of an existing grant`, "give each grant a name of its own: a URI of yours")]
  }),
  configRule("config.own-features", "specification §1", ({ config: { grants }, around }) =>
    takenGrant(grants, around) !== undefined
      ? []
      : compositionFaults({ features: plainFeatures({ grants }, around.absolute) })
          .slice(0, 1)
          .map((fault) => finding(["grants", "modules"], fault.replace(/^features: /, ""), "give it another name: see docs/embedding.md")),
  ),
  configRule("config.trusted-issuers", "RFC 7523 §3 (1)", ({ config, config: { issuer: own, grants = {} } }) => [
    ...repeats(grants.trusted_issuers ?? [], ({ issuer }) => issuer).map((at) =>
      finding(["grants", "trusted_issuers", at, "issuer"], "is also the issuer of an earlier entry", "name each issuer once"),
    ),
    ...trustedIn(config).flatMap(({ path, issuer: { issuer } }) =>
      issuer === own ? [finding([...path, "issuer"], "is this provider itself", "it trusts its own tokens: remove it")] : [],
    ),
    ...(grants.id_jag?.authorization_servers ?? []).flatMap(({ issuer }, at) =>
      issuer === own
        ? [
            finding(
              ["grants", "id_jag", "authorization_servers", at, "issuer"],
              "is this provider itself",
              "ID-JAGs are for other servers: remove it",
            ),
          ]
        : [],
    ),
  ]),
  configRule("config.trusted-issuer-keys", "RFC 7523 §3 (9), RFC 9700 §2.6", ({ config, lost }) =>
    trustedIn(config).flatMap(({ path: here, issuer: { jwks, jwks_uri } }): ReadonlyArray<Finding> => {
      if (lost(here).some((name) => name === "jwks" || name === "jwks_uri")) return []
      if ((jwks === undefined) === (jwks_uri === undefined))
        return [finding(here, `has ${jwks === undefined ? "no keys" : "its keys twice"}`, "give either jwks or jwks_uri")]
      const secret = jwks?.keys.findIndex((key) => "d" in key || "k" in key) ?? -1
      if (secret >= 0)
        return [finding([...here, "jwks", "keys", secret], "is not a public key", "give only the issuer's public keys: no d, no k")]
      return jwks_uri?.startsWith("https://") === false
        ? [finding([...here, "jwks_uri"], "is not an https URL", "publish the keys over https, or give them as jwks")]
        : []
    }),
  ),
  configRule(
    "config.trusted-issuers-used",
    "RFC 7523 §2.1",
    ({ config: { grants: { trusted_issuers = [], jwt_bearer, token_exchange } = {} }, lost }) => {
      if (lost(["grants"]).some((name) => name === "jwt_bearer" || name === "token_exchange")) return []
      if (jwt_bearer === true && trusted_issuers.length === 0)
        return [finding(["grants", "jwt_bearer"], "accepts no assertions", "declare the issuers under grants.trusted_issuers")]
      return trusted_issuers.length > 0 && jwt_bearer !== true && token_exchange !== true
        ? [finding(["grants", "trusted_issuers"], "are trusted for nothing", "turn on jwt_bearer or token_exchange, or remove them")]
        : []
    },
  ),
]
