import { flagMember, optionalMember, values } from "../../model/index.ts"

/**
 * The URI that ends a client's own session in a browser that loads it (OpenID Connect Front-Channel Logout §2); undefined if there is none.
 */
export const frontChannelUri = optionalMember(
  "frontchannel_logout_uri",
  values.url,
  "The URL that ends the client's own session when the browser of a person who signs out shows it in a frame (OpenID Connect Front-Channel Logout).",
)

/** True for a client that can only use requests that name a session; every request does (OpenID Connect Front-Channel Logout §2). */
export const frontChannelSession = flagMember(
  "frontchannel_logout_session_required",
  "Requires iss and sid in each request to frontchannel_logout_uri; they are always there. Default: false.",
)
