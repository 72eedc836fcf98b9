import { feature as authorizationCode } from "../features/authorization-code/feature.ts"
import { feature as authorize } from "../features/authorize/feature.ts"
import { feature as clientAuthentication } from "../features/client-authentication/feature.ts"
import { feature as clientCredentials } from "../features/client-credentials/feature.ts"
import { feature as consent } from "../features/consent/feature.ts"
import { feature as device } from "../features/device/feature.ts"
import { feature as discovery } from "../features/discovery/feature.ts"
import { feature as dpop } from "../features/dpop/feature.ts"
import { feature as endSession } from "../features/end-session/feature.ts"
import type { Feature } from "../features/feature.ts"
import { feature as home } from "../features/home/feature.ts"
import { feature as idTokens } from "../features/id-tokens/feature.ts"
import { feature as interaction } from "../features/interaction/feature.ts"
import { feature as introspection } from "../features/introspection/feature.ts"
import { feature as jarm } from "../features/jarm/feature.ts"
import { feature as jwks } from "../features/jwks/feature.ts"
import { feature as login } from "../features/login/feature.ts"
import { feature as logout } from "../features/logout/feature.ts"
import { feature as password } from "../features/password/feature.ts"
import { feature as pushedAuthorization } from "../features/pushed-authorization/feature.ts"
import { feature as refreshToken } from "../features/refresh-token/feature.ts"
import { feature as responseModes } from "../features/response-modes/feature.ts"
import { feature as revocation } from "../features/revocation/feature.ts"
import { feature as subjectTypes } from "../features/subject-types/feature.ts"
import { feature as token } from "../features/token/feature.ts"
import { feature as upstream } from "../features/upstream/feature.ts"
import { feature as userinfo } from "../features/userinfo/feature.ts"

/** The features of a provider that is given none: everything in `features/` but the extension grants, which need settings of their own. */
export const defaultFeatures: ReadonlyArray<Feature> = [
  discovery,
  jwks,
  authorize,
  responseModes,
  jarm,
  login,
  upstream,
  consent,
  interaction,
  home,
  logout,
  endSession,
  token,
  clientAuthentication,
  idTokens,
  subjectTypes,
  authorizationCode,
  refreshToken,
  clientCredentials,
  password,
  device,
  pushedAuthorization,
  dpop,
  userinfo,
  revocation,
  introspection,
]
