import { signedInMemory } from "../../rules/session.ts"
import type { Feature } from "../feature.ts"
import { answerRules, deliverLogout } from "./delivery.ts"
import { logoutTokens, toldRules } from "./ending.ts"
import { logoutMessage } from "./message.ts"
import { logoutUri, sessionRequired } from "./metadata.ts"

/** Logout tokens to clients, sent from here to there: OpenID Connect Back-Channel Logout. */
export const feature: Feature = {
  name: "back-channel-logout",
  clientMetadata: [logoutUri, sessionRequired],
  registration: "back-channel-logout",
  tables: [toldRules, answerRules],
  sessionEndings: [logoutTokens],
  sessionMemories: [(client) => (logoutUri.of(client) === undefined ? 0 : signedInMemory)],
  deliveries: { [logoutMessage]: deliverLogout },
  discovery: () => ({ backchannel_logout_supported: true, backchannel_logout_session_supported: true }),
}
