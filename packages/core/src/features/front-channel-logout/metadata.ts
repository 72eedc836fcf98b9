import { member, values } from "../../model/index.ts"

/** The address that ends a client's own session in a browser that shows it (OpenID Connect Front-Channel Logout §2); undefined where there is none. */
export const frontChannelUri = member(
  "frontchannel_logout_uri",
  values.url,
  undefined,
  "The URL that ends the client's own session when the browser of a person who signs out shows it in a frame (OpenID Connect Front-Channel Logout).",
)

/** True for a client that can only use such requests if they name a session; each does (OpenID Connect Front-Channel Logout §2). */
export const frontChannelSession = member(
  "frontchannel_logout_session_required",
  values.flag,
  false,
  "Requires iss and sid in each request to frontchannel_logout_uri; they are always there. Default: false.",
)
