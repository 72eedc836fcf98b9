import type { Feature } from "../features/feature.ts"
import * as shipped from "./features.ts"

/** The features of a provider that is given none: everything in `features/` but the extension grants, which need settings of their own. */
export const defaultFeatures: ReadonlyArray<Feature> = [
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
  shipped.token,
  shipped.clientAuthentication,
  shipped.idTokens,
  shipped.subjectTypes,
  shipped.authorizationCode,
  shipped.refreshToken,
  shipped.clientCredentials,
  shipped.password,
  shipped.device,
  shipped.pushedAuthorization,
  shipped.dpop,
  shipped.mutualTls,
  shipped.userinfo,
  shipped.revocation,
  shipped.introspection,
]
