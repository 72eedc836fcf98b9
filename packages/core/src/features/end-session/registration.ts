import { type Fault, type Registration, eachOf } from "../../rules/registrationFault.ts"
import { collision, redirectFault } from "../../rules/registrationRedirects.ts"
import { table } from "../../rules/rule.ts"

/** The parameter that a logout adds to the URI to which it redirects (RP-Initiated Logout §3). */
const logoutParameters: ReadonlySet<string> = new Set(["state"])

/** Rules for the URIs to which a client has people redirected after sign-out. */
export const registration = table<Registration, Fault>("registration/end-session")
  .rule("registration.post-logout-redirect-uris", "OpenID Connect RP-Initiated Logout §3.1", ({ client, provider: seen }) =>
    eachOf("post_logout_redirect_uris", client.post_logout_redirect_uris, (uri) =>
      redirectFault(uri, client.application_type === "native", seen.development),
    ),
  )
  .rule("registration.post-logout-parameters", "OpenID Connect RP-Initiated Logout §3", ({ client }) =>
    eachOf("post_logout_redirect_uris", client.post_logout_redirect_uris, (uri) => collision(uri, logoutParameters)),
  )
