import { type Fault, type Registration, fault } from "../../rules/registrationFault.ts"
import { documentFault } from "../../rules/registrationPublished.ts"
import { pass, table } from "../../rules/rule.ts"
import { logoutUri, sessionRequired } from "./metadata.ts"

/** Rules about where a client takes logout tokens. */
export const registration = table<Registration, Fault>("registration/back-channel-logout")
  .rule("registration.backchannel-logout-uri", "OpenID Connect Back-Channel Logout §2.2", (seen) => {
    const uri = logoutUri.of(seen)
    if (uri === undefined) return pass
    const found = uri.includes("#")
      ? (["has a fragment", "leave out everything from the # on"] as const)
      : documentFault(uri, seen.provider.development)
    return found === undefined ? pass : fault([logoutUri.name], ...found)
  })
  .rule("registration.backchannel-logout-session", "OpenID Connect Back-Channel Logout §2.2", (seen) =>
    sessionRequired.of(seen) && logoutUri.of(seen) === undefined
      ? fault([sessionRequired.name], `means nothing without ${logoutUri.name}`, "give both, or neither")
      : pass,
  )
