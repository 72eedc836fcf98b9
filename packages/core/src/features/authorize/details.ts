import { type Client, type DetailsAsked, type Profile, type Settings, refuse } from "../../model/index.ts"
import { profileOf } from "../../rules/profile.ts"
import { pass, table } from "../../rules/rule.ts"
import { row } from "../../settle/stage.ts"
import type { Answerable, Asking, Loaded } from "./evidence.ts"
import { sendError } from "./outcome.ts"

/** Reports whether a client's authorization details are accepted only where nobody can have changed them (RFC 9396 §12). */
export const areProtected = (client: Client, profile: Profile, { details }: Pick<Settings, "details">): boolean =>
  details !== undefined && (details.isProtected(client) || profile.parameters.details === "protected")

interface Seen {
  readonly client: Client
  readonly settings: Settings
  readonly details: DetailsAsked
}

/** Judges authorization details that are sent through a browser. */
const protectionRules = table<Seen>("authorize/details").rule("authorize.details-protected", "RFC 9396 §12", (s) =>
  s.details.sent && areProtected(s.client, profileOf(s.client, s.settings), s.settings)
    ? refuse(
        "invalid_request",
        "The authorization_details must be pushed, or in a signed request object.",
        "require_protected_authorization_details of the client or of the provider, or the client's profile",
      )
    : pass,
)

/** Refuses authorization details that a browser could have changed, if they must be protected. */
export const detailsProtected = row<Asking & Loaded & Answerable>(sendError).judge(protectionRules)
