import { type Fault, type Registration, fault } from "../../rules/registrationFault.ts"
import { onlyBeside, signOutUri } from "../../rules/registrationPublished.ts"
import { collision } from "../../rules/registrationRedirects.ts"
import { pass, table } from "../../rules/rule.ts"
import { frontChannelSession, frontChannelUri } from "./metadata.ts"

/** The parameters that are added to the URI (OpenID Connect Front-Channel Logout §3). */
const taken: ReadonlySet<string> = new Set(["iss", "sid"])

const originOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).origin : "null")

/** Rules for the URI that ends a client's own session. */
export const registration = table<Registration, Fault>("registration/front-channel-logout")
  .include(
    signOutUri("registration.frontchannel-logout-uri", "OpenID Connect Front-Channel Logout §2", frontChannelUri, (uri) =>
      collision(uri, taken),
    ),
  )
  .rule("registration.frontchannel-logout-origin", "OpenID Connect Front-Channel Logout §2", (seen) => {
    const uri = frontChannelUri.of(seen)
    if (uri === undefined) return pass
    return (seen.client.redirect_uris ?? []).some((each) => originOf(each) === originOf(uri))
      ? pass
      : fault(
          [frontChannelUri.name],
          "is of another origin than every redirect URI",
          "use the scheme, host and port of one of redirect_uris",
        )
  })
  .include(
    onlyBeside("registration.frontchannel-logout-session", "OpenID Connect Front-Channel Logout §2", frontChannelSession, frontChannelUri),
  )
