import { member, values } from "../../model/index.ts"

/** The place where a client takes logout tokens (OpenID Connect Back-Channel Logout §2.2); undefined where it takes none. */
export const logoutUri = member(
  "backchannel_logout_uri",
  values.url,
  undefined,
  "The URL to which logout tokens are sent when a person who used the client signs out (OpenID Connect Back-Channel Logout).",
)

/** True for a client that can only use logout tokens that name a session (OpenID Connect Back-Channel Logout §2.2). */
export const sessionRequired = member(
  "backchannel_logout_session_required",
  values.flag,
  false,
  "Requires a sid in each logout token, also when a person is signed out everywhere. Default: false.",
)
