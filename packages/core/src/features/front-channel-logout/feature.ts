import { signedInMemory } from "../../rules/session.ts"
import type { Feature } from "../feature.ts"
import { framedRules, logoutFrames } from "./frames.ts"
import { frontChannelSession, frontChannelUri } from "./metadata.ts"

/** Sign-out of clients through hidden frames in the person's browser: OpenID Connect Front-Channel Logout. */
export const feature: Feature = {
  name: "front-channel-logout",
  clientMetadata: [frontChannelUri, frontChannelSession],
  registration: "front-channel-logout",
  tables: [framedRules],
  sessionFrames: [logoutFrames],
  sessionMemories: [(client, settings) => (frontChannelUri.of(client) === undefined ? 0 : signedInMemory(settings))],
  discovery: () => ({ frontchannel_logout_supported: true, frontchannel_logout_session_supported: true }),
}
