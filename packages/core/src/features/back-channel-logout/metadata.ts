import { flagMember, optionalMember, values } from "../../model/index.ts"

/** The place where a client takes logout tokens (OpenID Connect Back-Channel Logout §2.2); undefined where it takes none. */
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

/** True where clients are told of sessions that run out; of a provider the policy for clients that do not state it. */
export const onExpiry = optionalMember(
  "backchannel_logout_on_expiry",
  values.flag,
  "Sends logout tokens also when a session runs out, and not only when a person signs out. Of a client: default as the provider says. Of the provider: default false.",
)
