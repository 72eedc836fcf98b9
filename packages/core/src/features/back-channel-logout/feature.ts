import type { Feature } from "../feature.ts"
import { answerRules, deliverLogout } from "./delivery.ts"
import { logoutTokens, toldRules } from "./ending.ts"
import { logoutMessage } from "./message.ts"
import { logoutUri, sessionRequired } from "./metadata.ts"
import { registration } from "./registration.ts"

/** Logout tokens to clients, sent from here to there: OpenID Connect Back-Channel Logout. */
export const feature: Feature = {
  name: "back-channel-logout",
  clientMetadata: [logoutUri, sessionRequired],
  registration,
  tables: [toldRules, answerRules],
  sessionEndings: [logoutTokens],
  deliveries: { [logoutMessage]: deliverLogout },
  discovery: () => ({ backchannel_logout_supported: true, backchannel_logout_session_supported: true }),
}
