import type { Command } from "./command.ts"
import type { Json } from "./json.ts"
import type { Page } from "./page.ts"
import type { Trouble } from "./trouble.ts"
import type { JwtPlan, MetadataPlan, TokenPlan } from "./plan.ts"
import type { Refusal } from "./refusal.ts"
import type { ResponseMode, ResponseParams, ResponseTo } from "./responseMode.ts"

declare const registered: unique symbol

/**
 * A redirect URI that is registered for its client. Only the redirect rules create one, so the types enforce that a request with an
 * untrusted client or redirect_uri is answered with a page.
 */
export interface Callback extends ResponseTo {
  /** Marks a validated redirect URI: nothing else creates one. */
  readonly [registered]: true
  /** The response mode. */
  readonly mode: ResponseMode
  /** The `state` of the request. */
  readonly state: string | undefined
  /** Parameters that features add to every response, such as `session_state`. */
  readonly added?: ResponseParams | undefined
}

/** A cookie that a decision sets or, without a value, removes. */
export interface CookieChange {
  /** The cookie. */
  readonly name: "session" | "browser" | "language" | "known"
  /** Its new value; undefined removes it. */
  readonly value: string | undefined
}

/** The state changes of a decision. */
export interface Changes {
  /** The commands that are committed with it. */
  readonly commands: ReadonlyArray<Command>
}

/** The action to take on a request. */
export type Decision =
  /** Redirects to the client with parameters. The renderer adds `state` and `iss` (RFC 9207). */
  | (Changes & {
      /** Redirects the browser to the client. */
      readonly _tag: "SendBack"
      /** The validated destination. */
      readonly callback: Callback
      /** The parameters of the response. */
      readonly params: ResponseParams
      /** The tokens in an authorization response of the implicit and hybrid flows (OpenID Connect Core §3.2.2.5, §3.3.2.5). */
      readonly tokens: TokenPlan | undefined
      /** Cookies to set or remove. */
      readonly cookies: ReadonlyArray<CookieChange>
    })
  /** Redirects the browser to another path of the provider, by GET (303). */
  | (Changes & {
      /** Redirects the browser to a path of the provider. */
      readonly _tag: "Go"
      /** The path, below the issuer's path. */
      readonly to: string
      /** Cookies to set or remove. */
      readonly cookies: ReadonlyArray<CookieChange>
    })
  /** Redirects the browser to a registered post_logout_redirect_uri (RP-Initiated Logout §3), or to another provider to sign in. */
  | (Changes & {
      /** Redirects the browser to another site. */
      readonly _tag: "Leave"
      /** The validated URL. */
      readonly to: string
      /** Parameters added to its query. */
      readonly params: ReadonlyArray<readonly [string, string]>
      /** Cookies to set or remove. */
      readonly cookies: ReadonlyArray<CookieChange>
    })
  /** Shows a page. */
  | (Changes & {
      /** Shows a page. */
      readonly _tag: "Show"
      /** The page. */
      readonly page: Page
      /** The HTTP status. */
      readonly status: number
      /** Cookies to set or remove. */
      readonly cookies: ReadonlyArray<CookieChange>
    })
  /** Issues tokens (RFC 6749 §5.1). */
  | (Changes & {
      /** Answers with tokens (RFC 6749 §5.1). */
      readonly _tag: "IssueTokens"
      /** The tokens to sign. */
      readonly tokens: TokenPlan
      /** The refresh token; none when undefined. */
      readonly refreshToken: string | undefined
      /** The type of the issued token, for a client that requested a token type (RFC 8693 §2.2.1). */
      readonly issuedTokenType?: string | undefined
    })
  /** Answers with JSON: claims, metadata, an introspection. A `cacheable` response is the same for everyone. */
  | (Changes & {
      /** Answers with JSON. */
      readonly _tag: "Reply"
      /** The body. */
      readonly body: Json
      /** True if something was created, so that the status is 201. */
      readonly created?: boolean
      /** True if anybody may cache it for five minutes. */
      readonly cacheable: boolean
      /** The claims that are signed and added to the body as `signed_metadata` (RFC 9728 §2.2). An identical plan is not signed again. */
      readonly metadata?: MetadataPlan | undefined
    })
  /** Answers with a JWT (OpenID Connect Core §5.3.2, RFC 9701 §5). */
  | (Changes & { /** Answers with a JWT. */ readonly _tag: "ReplyJwt"; /** The JWT to sign. */ readonly jwt: JwtPlan })
  /** Answers with a document of a feature, which pages of other sites may embed in a frame (OpenID Connect Session Management §3.2). */
  | (Changes & {
      /** Answers with a document. */
      readonly _tag: "Document"
      /** Its media type. */
      readonly contentType: string
      /** Its Content-Security-Policy. */
      readonly policy: string
      /** The document. */
      readonly body: string
    })
  /** Answers 200 without content (RFC 7009 §2.2). */
  | (Changes & {
      /** Confirms the action. */
      readonly _tag: "Acknowledge"
      /** True for the status 204, without content (RFC 7592 §2.3). */
      readonly empty?: boolean
    })
  /** Refuses a request with a JSON error (RFC 6749 §5.2). */
  | {
      /** Refuses a request with a JSON error (RFC 6749 §5.2). */
      readonly _tag: "RefuseJson"
      /** The refusal. */
      readonly refusal: Refusal
    }
  /** Refuses a bearer token (RFC 6750 §3); `bare` if none was sent. */
  | {
      /** Refuses a bearer token (RFC 6750 §3). */
      readonly _tag: "RefuseBearer"
      /** The refusal. */
      readonly refusal: Refusal
      /** True if no token was sent, so that the response contains no error code. */
      readonly bare: boolean
      /** The scheme of the challenge; `Bearer` when undefined. */
      readonly scheme?: string
      /** Further parameters of the challenge. */
      readonly challenge?: string
    }
  /** Refuses a request with an error page. */
  | {
      /** Refuses a request with an error page. */
      readonly _tag: "RefusePage"
      /** The refusal. */
      readonly refusal: Refusal
      /** The text of the page. */
      readonly trouble: Trouble
      /** The HTTP status. */
      readonly status: number
    }

/** Returns the commands of a decision, or of its refusal. */
export const commandsOf = (decision: Decision): ReadonlyArray<Command> =>
  "refusal" in decision ? decision.refusal.commands : decision.commands

/** Returns the decision with commands prepended to its own. */
export const changing = (decision: Decision, commands: ReadonlyArray<Command>): Decision => {
  if (commands.length === 0) return decision
  const all = [...commands, ...commandsOf(decision)]
  return "refusal" in decision ? { ...decision, refusal: { ...decision.refusal, commands: all } } : { ...decision, commands: all }
}
