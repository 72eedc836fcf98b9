import type { Feature } from "../feature.ts"
import { answerRules, deliverLogout } from "./delivery.ts"
import { logoutTokens, toldRules } from "./ending.ts"
import { logoutMessage } from "./message.ts"
import { logoutUri, sessionRequired } from "./metadata.ts"
import { registration } from "./registration.ts"

/** Thirty days: longer than a browser that comes back stays signed in without another request for authorization, which is remembered anew. */
const memory = 30 * 86_400

/** Logout tokens to clients, sent from here to there: OpenID Connect Back-Channel Logout. */
export const feature: Feature = {
  name: "back-channel-logout",
  clientMetadata: [logoutUri, sessionRequired],
  registration,
  tables: [toldRules, answerRules],
  sessionEndings: [logoutTokens],
  sessionMemories: [(client) => (logoutUri.of(client) === undefined ? 0 : memory)],
  deliveries: { [logoutMessage]: deliverLogout },
  discovery: () => ({ backchannel_logout_supported: true, backchannel_logout_session_supported: true }),
}
