import type { Feature } from "../feature.ts"
import { issuing } from "./issuing.ts"
import { idJagTokenType } from "./issuingRules.ts"
import { type IdJagOptions, ownFaults, refuseIdJag } from "./options.ts"
import { taking } from "./taking.ts"

export type { AssertingProvider, ClientElsewhere, IdJagOptions, ResourceAuthorizationServer } from "./options.ts"

/** The profile of JWT bearer assertions that discovery states (draft-ietf-oauth-identity-assertion-authz-grant §7.2). */
const grantProfile = "urn:ietf:params:oauth:grant-profile:id-jag"

/**
 * Identity assertion JWT authorization grants, or cross-app access (draft-ietf-oauth-identity-assertion-authz-grant). A provider asserts
 * the sign-in of a person to another authorization server, which issues tokens for it to the client without asking the person again. The
 * feature has both roles, and either can be used alone. It is not one of the default features. Throws a `TypeError` for invalid options.
 *
 * ```ts
 * const servers = [{ issuer: "https://as.todo.example", scope: ["todo.read"], clients: { wiki: { clientId: "wiki-at-todo" } } }]
 * createProvider({ ...options, features: [...defaultFeatures, idJag({ authorizationServers: servers })] })
 * ```
 */
export const idJag = (options: IdJagOptions): Feature => {
  refuseIdJag(options)
  const { authorizationServers, identityProviders } = options
  return {
    name: "id-jag",
    settingFaults: (_settings, { issuer }) => ownFaults(options, issuer),
    grants: authorizationServers === undefined ? [] : [issuing(authorizationServers)],
    extensionGrants: identityProviders === undefined ? [] : [taking(identityProviders)],
    discovery: () => ({
      ...(authorizationServers === undefined ? {} : { identity_chaining_requested_token_types_supported: [idJagTokenType] }),
      ...(identityProviders === undefined ? {} : { authorization_grant_profiles_supported: [grantProfile] }),
    }),
  }
}
