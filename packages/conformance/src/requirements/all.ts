import type { Requirement } from "../requirement/requirement.ts"
import { authorize } from "./authorize.ts"
import { clients } from "./clients.ts"
import { code } from "./code.ts"
import { discovery } from "./discovery.ts"
import { idToken } from "./idToken.ts"
import { publishedKeys } from "./keys.ts"
import { refreshTokens } from "./refresh.ts"
import { tokenEndpoint } from "./tokenEndpoint.ts"

/** Every requirement, area by area. */
export const requirements: ReadonlyArray<Requirement> = [
  ...discovery,
  ...publishedKeys,
  ...authorize,
  ...code,
  ...idToken,
  ...clients,
  ...tokenEndpoint,
  ...refreshTokens,
]
