import * as Schema from "effect/Schema"
import { member } from "../../../model/index.ts"

/** Holds a client, or every client of a provider, to pushed authorization requests (RFC 9126 §5, §6). */
export const pushingRequired = member(
  "require_pushed_authorization_requests",
  Schema.Boolean,
  false,
  "Requires pushed authorization requests (RFC 9126). Default: false.",
)

/** The beginning of a `request_uri` that stands for a pushed request (RFC 9126 §2.2). */
export const pushedUri = "urn:ietf:params:oauth:request_uri:"
