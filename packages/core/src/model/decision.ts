import type { Command } from "./command.ts"
import type { Json } from "./json.ts"
import type { Page } from "./page.ts"
import type { Trouble } from "./trouble.ts"
import type { JwtPlan, MetadataPlan, TokenPlan } from "./plan.ts"
import type { Refusal } from "./refusal.ts"
import type { ResponseMode, ResponseParams, ResponseTo } from "./responseMode.ts"

declare const registered: unique symbol

/**
 * A redirect URI that was found among its client's own. Only the redirect rules make one, so by type
 * a request whose client or redirect_uri is not trusted can be answered by a page alone.
 */
export interface Callback extends ResponseTo {
  /** Marks a redirect URI that was checked: nothing else makes one. */
  readonly [registered]: true
  /** The response mode. */
  readonly mode: ResponseMode
  /** The `state` of the request. */
  readonly state: string | undefined
  /** Parameters that features add to every response, such as `session_state`. */
  readonly added?: ResponseParams | undefined
}

/** A cookie that a decision sets or, with no value, removes. */
export interface CookieChange {
  /** The cookie. */
  readonly name: "session" | "browser" | "language" | "known"
  /** Its new value; undefined removes it. */
  readonly value: string | undefined
}

/** The changes of a decision, and the cookies the browser is told to keep. */
export interface Changes {
  /** The changes of state that are committed with it. */
  readonly commands: ReadonlyArray<Command>
}

/** The action to take on a request. */
export type Decision =
  /** Sends parameters back to the client. `state` and `iss` are added by the renderer (RFC 9207). */
  | (Changes & {
      /** Sends the browser back to the client. */
      readonly _tag: "SendBack"
      /** The checked place it is sent to. */
      readonly callback: Callback
      /** The parameters of the response. */
      readonly params: ResponseParams
      /** The tokens that go with an authorization response of the implicit and hybrid flows (OpenID Connect Core §3.2.2.5, §3.3.2.5). */
      readonly tokens: TokenPlan | undefined
      /** Cookies to set or remove. */
      readonly cookies: ReadonlyArray<CookieChange>
    })
  /** Sends the browser on to another of our own paths, by GET (303). */
  | (Changes & {
      /** Sends the browser to a path of the provider. */
      readonly _tag: "Go"
      /** The path, below that of the issuer. */
      readonly to: string
      /** Cookies to set or remove. */
      readonly cookies: ReadonlyArray<CookieChange>
    })
  /** Sends the browser to a post_logout_redirect_uri that its client registered (RP-Initiated Logout §3), or to another provider to sign in. */
  | (Changes & {
      /** Sends the browser to another site. */
      readonly _tag: "Leave"
      /** The URL, checked. */
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
      /** The type of the token issued, for a client that asked for a kind of token (RFC 8693 §2.2.1). */
      readonly issuedTokenType?: string | undefined
    })
  /** Answers with JSON: claims, metadata, an introspection. `cacheable` answers are the same for everyone. */
  | (Changes & {
      /** Answers with JSON. */
      readonly _tag: "Reply"
      /** The body. */
      readonly body: Json
      /** True if something was made: then the status is 201. */
      readonly created?: boolean
      /** True if anybody may keep it for five minutes. */
      readonly cacheable: boolean
      /** The claims that are signed, and added to the body as `signed_metadata` (RFC 9728 §2.2). The same plan again is not signed again. */
      readonly metadata?: MetadataPlan | undefined
    })
  /** Answers with a JWT (OpenID Connect Core §5.3.2, RFC 9701 §5). */
  | (Changes & { /** Answers with a JWT. */ readonly _tag: "ReplyJwt"; /** The JWT to sign. */ readonly jwt: JwtPlan })
  /** Answers with a document of a feature's own, which pages of other sites may show in a frame (OpenID Connect Session Management §3.2). */
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
  /** Answers 200 with nothing (RFC 7009 §2.2). */
  | (Changes & {
      /** Answers that it was done. */
      readonly _tag: "Acknowledge"
      /** True for an answer without content: 204 (RFC 7592 §2.3). */
      readonly empty?: boolean
    })
  /** Refuses a program with JSON (RFC 6749 §5.2). */
  | { /** Refuses a program (RFC 6749 §5.2). */ readonly _tag: "RefuseJson"; /** The refusal. */ readonly refusal: Refusal }
  /** Refuses a bearer token (RFC 6750 §3); `bare` when none was sent. */
  | {
      /** Refuses a bearer token (RFC 6750 §3). */
      readonly _tag: "RefuseBearer"
      /** The refusal. */
      readonly refusal: Refusal
      /** True if no token was sent, so that no error is named. */
      readonly bare: boolean
      /** The scheme of the challenge; `Bearer` when undefined. */
      readonly scheme?: string
      /** Further parameters of the challenge. */
      readonly challenge?: string
    }
  /** Refuses a person with a page. */
  | {
      /** Refuses a person, by a page. */
      readonly _tag: "RefusePage"
      /** The refusal. */
      readonly refusal: Refusal
      /** The words of the page. */
      readonly trouble: Trouble
      /** The HTTP status. */
      readonly status: number
    }

/** The commands a decision carries; those of its refusal, when it is one. */
export const commandsOf = (decision: Decision): ReadonlyArray<Command> =>
  "refusal" in decision ? decision.refusal.commands : decision.commands

/** The decision, with commands that come before its own. */
export const changing = (decision: Decision, commands: ReadonlyArray<Command>): Decision => {
  if (commands.length === 0) return decision
  const all = [...commands, ...commandsOf(decision)]
  return "refusal" in decision ? { ...decision, refusal: { ...decision.refusal, commands: all } } : { ...decision, commands: all }
}
