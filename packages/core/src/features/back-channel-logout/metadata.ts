import { flagMember, optionalMember, values } from "../../model/index.ts"

/** The URI at which a client accepts logout tokens (OpenID Connect Back-Channel Logout §2.2); undefined if it accepts none. */
export const logoutUri = optionalMember(
  "backchannel_logout_uri",
  values.url,
  "The URL to which logout tokens are sent when a person who used the client signs out (OpenID Connect Back-Channel Logout).",
)

/** True for a client that can only use logout tokens that name a session (OpenID Connect Back-Channel Logout §2.2). */
export const sessionRequired = flagMember(
  "backchannel_logout_session_required",
  "Requires a sid in each logout token, also when a person is signed out everywhere. Default: false.",
)

/** True if clients are notified of expired sessions. The provider's value is the policy for clients that state none. */
export const onExpiry = optionalMember(
  "backchannel_logout_on_expiry",
  values.flag,
  "Sends logout tokens also when a session runs out, and not only when a person signs out. Of a client: default as the provider says. Of the provider: default false.",
)
