import { type JsonObject, type ProfileParameters, contentEncryptionAlgorithms, keyEncryptionAlgorithms } from "../../model/index.ts"
import type { Described } from "../feature.ts"

/** Claims of ID tokens that do not depend on a scope. */
const tokenClaims = ["sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid"]

/** Reports whether a profile takes some response in a mode that does not sign it, by its demand. */
const plain: Readonly<Record<ProfileParameters["responses"], (mode: string) => boolean>> = {
  "by-client": () => true,
  "query-or-jwt": (mode) => mode === "query",
  jwt: () => false,
  "jwt-or-id-token": (mode) => mode !== "query",
}

/**
 * The members that describe the provider as a whole (OpenID Connect Discovery §3). A member whose default would claim an ability that the
 * provider lacks is stated.
 */
export const common = ({ settings, signing, languages = [], grantTypes, responseTypes, responseModes }: Described): JsonObject => {
  const { issuer, catalog, pairwiseSalt, profile } = settings
  // Response types, response modes and grant types that the provider's profile refuses are not offered.
  const { refusedResponseTypes, refusedGrantTypes, responses } = profile.parameters
  return {
    issuer,
    scopes_supported: catalog.names,
    response_types_supported: responseTypes.filter((type) => !refusedResponseTypes.includes(type)),
    response_modes_supported: responseModes
      .filter(({ name, sign }) => sign !== undefined || plain[responses](name))
      .map(({ name }) => name),
    grant_types_supported: grantTypes.filter((type) => !refusedGrantTypes.includes(type)),
    subject_types_supported: pairwiseSalt === undefined ? ["public"] : ["public", "pairwise"],
    id_token_signing_alg_values_supported: signing,
    id_token_encryption_alg_values_supported: keyEncryptionAlgorithms,
    id_token_encryption_enc_values_supported: contentEncryptionAlgorithms,
    ...(languages.length === 0 ? {} : { ui_locales_supported: languages }),
    claim_types_supported: ["normal"],
    claims_supported: [...new Set([...tokenClaims, ...catalog.identityScopes.flatMap(({ claims }) => claims)])],
  }
}
