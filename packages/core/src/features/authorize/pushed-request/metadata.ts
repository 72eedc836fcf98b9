import { flagMember, member, pushedAlone, values } from "../../../model/index.ts"

/** Requires a client, or every client of a provider, to use pushed authorization requests (RFC 9126 §5, §6). */
export const pushingRequired = flagMember(pushedAlone[1], "Requires pushed authorization requests (RFC 9126). Default: false.")

/** The seconds within which a `request_uri` must first be visited (RFC 9126 §2.2, §7.1). */
export const pushedLifetime = member(
  "pushed_authorization_request_lifetime",
  values.whole(5, 600),
  60,
  "Lifetime of a pushed authorization request until its first visit, in seconds, from 5 to 600. Default: 60.",
)

/** The prefix of a `request_uri` that refers to a pushed request (RFC 9126 §2.2). */
export const pushedUri = "urn:ietf:params:oauth:request_uri:"
