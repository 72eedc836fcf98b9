import type { Fault, Registration } from "../../rules/registrationFault.ts"
import { onlyBeside, signOutUri } from "../../rules/registrationPublished.ts"
import { table } from "../../rules/rule.ts"
import { logoutUri, sessionRequired } from "./metadata.ts"

/** Rules for the URI at which a client accepts logout tokens. */
export const registration = table<Registration, Fault>("registration/back-channel-logout")
  .include(signOutUri("registration.backchannel-logout-uri", "OpenID Connect Back-Channel Logout §2.2", logoutUri))
  .include(onlyBeside("registration.backchannel-logout-session", "OpenID Connect Back-Channel Logout §2.2", sessionRequired, logoutUri))
