import { acrValuesOf } from "../../rules/acr.ts"
import { ownFormRules } from "../../rules/ownForm.ts"
import { challengeMethods } from "../../rules/pkce.ts"
import { providerRules, sourceRules } from "../../rules/provider.ts"
import { sessionRules } from "../../rules/session.ts"
import { sessionTenantRules, tenantRules } from "../../rules/tenant.ts"
import { contentEncryptionAlgorithms, peerAlgorithms } from "../../model/index.ts"
import type { Feature } from "../feature.ts"
import { authorize, resume, signInTables } from "./index.ts"
import { authorizationParameters, responseTypes } from "./parse.ts"
import { prompts } from "./rules.ts"
import { clientMetadata } from "./metadata.ts"

/** The authorization endpoint: RFC 6749 §3.1, OpenID Connect Core §3, request objects RFC 9101. */
export const feature: Feature = {
  name: "authorize",
  clientMetadata,
  registration: "authorize",
  endpoints: () => [authorize, resume],
  grantTypes: ["implicit"],
  responseTypes,
  authorizationParameters,
  tables: [...signInTables, ownFormRules, sessionRules, providerRules, sourceRules, tenantRules, sessionTenantRules],
  discovery: ({ url, settings, decryption, unsignedRequestObjects }) => ({
    authorization_endpoint: url(authorize.path),
    acr_values_supported: acrValuesOf(settings),
    display_values_supported: ["page", "popup", "touch"],
    code_challenge_methods_supported: challengeMethods.filter(
      (method) => method !== "plain" || settings.profile.parameters.plainPkce !== "none",
    ),
    prompt_values_supported: prompts,
    claims_parameter_supported: true,
    request_parameter_supported: true,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    request_object_signing_alg_values_supported: unsignedRequestObjects ? [...peerAlgorithms, "none"] : peerAlgorithms,
    ...(decryption.length === 0
      ? {}
      : {
          request_object_encryption_alg_values_supported: decryption,
          request_object_encryption_enc_values_supported: contentEncryptionAlgorithms,
        }),
    authorization_response_iss_parameter_supported: true,
  }),
}
