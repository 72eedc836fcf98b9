import type { PageDesign } from "@postern/adapter-http/pages"
import { type AnyFeature, defaultFeatures } from "@postern/core"
import { jwtBearer, tokenExchange, type TrustedIssuer } from "@postern/core/grants"
import { ownModule } from "./modules.ts"
import type { ConfigFile } from "./schema.ts"

type Declared = NonNullable<NonNullable<ConfigFile["grants"]>["trusted_issuers"]>[number]

const trustedIssuer = (declared: Declared): TrustedIssuer => ({
  issuer: declared.issuer,
  jwks: declared.jwks,
  jwksUri: declared.jwks_uri,
  audiences: declared.audiences,
  algorithms: declared.algorithms,
  subjectClaim: declared.subject_claim,
  subjects: declared.subjects,
  maxLifetime: declared.max_lifetime,
})

/** The features that a configuration adds to the default ones: the extension grants that it turns on, and those of its modules. */
export const addedFeatures = (
  declared: ConfigFile["grants"] = {},
  absolute: (path: string) => string = (path) => path,
): ReadonlyArray<AnyFeature> => {
  const issuers = (declared.trusted_issuers ?? []).map(trustedIssuer)
  return [
    ...(declared.token_exchange === true ? [tokenExchange({ issuers })] : []),
    ...(declared.jwt_bearer === true ? [jwtBearer({ issuers })] : []),
    ...(declared.modules ?? []).flatMap((path) => ownModule(absolute(path)).features ?? []),
  ]
}

/** The designs of the pages of a configuration's modules. */
export const pageDesigns = (declared: ConfigFile["grants"], absolute: (path: string) => string): ReadonlyArray<PageDesign> =>
  (declared?.modules ?? []).flatMap((path) => ownModule(absolute(path)).pages ?? [])

/** The features of a provider of a configuration. */
export const featuresOf = (declared: ConfigFile["grants"], absolute?: (path: string) => string): ReadonlyArray<AnyFeature> => [
  ...defaultFeatures,
  ...addedFeatures(declared, absolute),
]

/** Every feature that a configuration can turn on by itself. */
export const everyFeature: ReadonlyArray<AnyFeature> = featuresOf({ token_exchange: true, jwt_bearer: true })

/** The features of a file that is not checked yet: of its modules, those that can be loaded. */
export const featuresStated = (file: unknown, absolute: (path: string) => string): ReadonlyArray<AnyFeature> => {
  const grants: unknown = memberOf(file, "grants")
  const modules: unknown = memberOf(grants, "modules")
  return featuresOf({ modules: Array.isArray(modules) ? modules.filter((path) => typeof path === "string") : [] }, absolute)
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
