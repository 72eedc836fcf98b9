import { signedInMemory } from "../../rules/session.ts"
import type { Feature } from "../feature.ts"
import { answerRules, deliverLogout } from "./delivery.ts"
import { logoutTokens, toldRules } from "./ending.ts"
import { deliverExpiry, expiredRules, expiryRules } from "./expiry.ts"
import { logoutMessage, sessionMessage } from "./message.ts"
import { logoutUri, onExpiry, sessionRequired } from "./metadata.ts"
import { watched } from "./watch.ts"

/** Logout tokens, sent from the provider to clients: OpenID Connect Back-Channel Logout. */
export const feature: Feature = {
  name: "back-channel-logout",
  clientMetadata: [logoutUri, sessionRequired, onExpiry],
  providerSettings: [onExpiry],
  registration: "back-channel-logout",
  tables: [toldRules, answerRules, expiryRules, expiredRules],
  sessionUses: [watched],
  sessionEndings: [logoutTokens],
  sessionMemories: [(client, settings) => (logoutUri.of(client) === undefined ? 0 : signedInMemory(settings))],
  deliveries: { [logoutMessage]: deliverLogout, [sessionMessage]: deliverExpiry },
  discovery: () => ({ backchannel_logout_supported: true, backchannel_logout_session_supported: true }),
}
