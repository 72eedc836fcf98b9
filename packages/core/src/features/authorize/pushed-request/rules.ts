import { type Client, type Instant, type PushedRequest, type Settings, refuse } from "../../../model/index.ts"
import { type PageRefusal, refusePage } from "../../../rules/page.ts"
import { profileOf } from "../../../rules/profile.ts"
import { pass, prove, table } from "../../../rules/rule.ts"
import type { AuthorizeRequest } from "../parse.ts"
import type { Waiting } from "../evidence.ts"
import { pushingRequired } from "./metadata.ts"

/** A request that refers to a pushed request. */
type FoundSeen = AuthorizeRequest & { readonly found: PushedRequest | undefined; readonly now: Instant }

const finished = (reason: string): PageRefusal =>
  refusePage("interaction_finished", 400, "invalid_request_uri", "The pushed request is already used.", reason)

/**
 * Judges a pushed request at its first visit. No value of an expired one is trusted, so the answer is a page before any other (RFC 9126
 * §4).
 */
export const pushedRules = table<FoundSeen, PageRefusal>("authorize/pushed-request")
  .present("pushed-request.known", "RFC 9126 §2.2, §4", "found", () =>
    refusePage(
      "request_invalid",
      400,
      "invalid_request_uri",
      "The request_uri is unknown.",
      "no such pushed request, or not with this secret",
    ),
  )
  .rule("pushed-request.client", "RFC 9126 §2.2, §7.1", ({ found, clientId }) =>
    found.clientId === clientId
      ? pass
      : refusePage("request_invalid", 400, "invalid_request_uri", "The request_uri is unknown.", "pushed by another client"),
  )
  .rule("pushed-request.fresh", "RFC 9126 §2.2, §4", ({ found, now }) =>
    now < found.expiresAt
      ? pass
      : refusePage(
          "interaction_expired",
          400,
          "invalid_request_uri",
          "The request_uri has expired.",
          `expired ${now - found.expiresAt} s ago`,
        ),
  )
  .establish("pushed-request.unused", "RFC 9126 §4, §7.3", ({ found }) =>
    found.finishedAt === undefined ? prove({ pushed: found }) : finished("tokens were issued by it before"),
  )

/** A request that is resumed after a page, and the pushed request behind it, whose age no longer matters (RFC 9126 §2.2). */
interface GoingOn {
  readonly waiting: Waiting
  readonly found: PushedRequest | undefined
}

/** Judges a pushed request whose person has been asked. It is used once, although its answer may be sent again. */
export const goingOnRules = table<GoingOn, PageRefusal>("authorize/pushed-request-resumed").establish(
  "pushed-request.used-once",
  "RFC 9126 §4, §7.3",
  ({ found, waiting }) =>
    found !== undefined && (found.finishedAt === undefined || found.usedBy === waiting.interaction.locator)
      ? prove({ pushed: found })
      : finished("tokens were issued by it in another window, or it is swept"),
)

/** Requires clients that must push their requests to send none in another way. */
export const pushingRules = table<{ readonly client: Client; readonly settings: Settings }>("authorize/pushing").rule(
  "authorize.pushed-request-required",
  "RFC 9126 §5, §6, FAPI 2.0 Security Profile §5.3.2.2 (3)",
  ({ client, settings }) =>
    // Without a pushing endpoint the metadata stored for a client is ignored. A profile still applies, because laxer rules would help
    // nobody.
    profileOf(client, settings).parameters.pushing === "all" ||
    (settings.clientMetadata.has(pushingRequired.name) && (pushingRequired.of(client) || pushingRequired.of(settings)))
      ? refuse(
          "invalid_request",
          "The request must be pushed.",
          "require_pushed_authorization_requests of the client or of the provider, or the client's profile",
        )
      : pass,
)
