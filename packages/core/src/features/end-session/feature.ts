import type { Feature } from "../feature.ts"
import { endSession } from "./index.ts"
import { registration } from "./registration.ts"

/** Logout begun by a client: OpenID Connect RP-Initiated Logout. */
export const feature: Feature = {
  name: "end-session",
  registration,
  endpoints: () => [endSession],
  discovery: ({ url }) => ({ end_session_endpoint: url(endSession.path) }),
}
