import type { ExtensionGrant } from "@postern/core"
import { jwtBearer, tokenExchange, type TrustedIssuer } from "@postern/core/grants"
import { grantModule } from "./grantModules.ts"
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

/** The extension grants that a configuration turns on. */
export const extensionGrants = (
  declared: ConfigFile["grants"] = {},
  absolute: (path: string) => string = (path) => path,
): ReadonlyArray<ExtensionGrant> => {
  const issuers = (declared.trusted_issuers ?? []).map(trustedIssuer)
  return [
    ...(declared.token_exchange === true ? [tokenExchange({ issuers })] : []),
    ...(declared.jwt_bearer === true ? [jwtBearer({ issuers })] : []),
    ...(declared.modules ?? []).flatMap((path) => grantModule(absolute(path)).grants ?? []),
  ]
}

/** Every extension grant that a configuration can turn on. */
export const everyExtensionGrant: ReadonlyArray<ExtensionGrant> = extensionGrants({ token_exchange: true, jwt_bearer: true })
