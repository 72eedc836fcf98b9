import type { Feature } from "../features/feature.ts"
import * as shipped from "./features.ts"

/**
 * The default features of a provider: everything in `features/` except the extension grants, which need settings. The list is frozen so
 * that it is combined only once for all providers that use it.
 */
export const defaultFeatures: ReadonlyArray<Feature> = Object.freeze([
  shipped.discovery,
  shipped.jwks,
  shipped.authorize,
  shipped.responseModes,
  shipped.jarm,
  shipped.login,
  shipped.upstream,
  shipped.consent,
  shipped.interaction,
  shipped.home,
  shipped.logout,
  shipped.endSession,
  shipped.backChannelLogout,
  shipped.frontChannelLogout,
  shipped.token,
  shipped.extensionGrants,
  shipped.clientAuthentication,
  shipped.idTokens,
  shipped.subjectTypes,
  shipped.authorizationCode,
  shipped.refreshToken,
  shipped.clientCredentials,
  shipped.password,
  shipped.device,
  shipped.pushedAuthorization,
  shipped.richAuthorization,
  shipped.dpop,
  shipped.mutualTls,
  shipped.userinfo,
  shipped.protectedResources,
  shipped.revocation,
  shipped.introspection,
])
