import type { Command } from "./command.ts"
import type { Json, JsonObject } from "./json.ts"
import type { Page, Trouble } from "./page.ts"
import type { Refusal } from "./refusal.ts"
import type { AccessTokenTyp, SigningAlgorithm } from "./client.ts"
import type { EncryptionPlan } from "./jwk.ts"
import type { Seconds } from "./time.ts"

/** How an authorization response travels (OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode §2). */
export type ResponseMode = "query" | "fragment" | "form_post"

declare const registered: unique symbol

/**
 * A redirect URI that was found among its client's own. Only the redirect rules make one, so by type
 * a request whose client or redirect_uri is not trusted can be answered by a page alone.
 */
export interface Callback {
  readonly [registered]: true
  readonly redirectUri: string
  readonly mode: ResponseMode
  readonly state: string | undefined
  readonly clientName: string
}

/** A cookie that a decision sets or, with no value, removes. */
export interface CookieChange {
  readonly name: "session" | "browser" | "language"
  readonly value: string | undefined
}

/** An access token to be issued: an opaque value, or claims to be signed. */
export type AccessTokenPlan =
  | { readonly _tag: "Reference"; readonly value: string }
  | { readonly _tag: "Jwt"; readonly alg: SigningAlgorithm; readonly typ: AccessTokenTyp; readonly claims: JsonObject }

/** An ID token to be signed once what it binds is known (OpenID Connect Core §3.1.3.6). */
export interface IdTokenPlan {
  readonly alg: SigningAlgorithm
  readonly claims: JsonObject
  /** Encrypts it once signed (OpenID Connect Core §10.2). */
  readonly encryption: EncryptionPlan | undefined
}

/** A JWT that is the whole answer: userinfo, an introspection. */
export interface JwtPlan {
  /** Undefined for claims that are encrypted only. */
  readonly alg: SigningAlgorithm | undefined
  readonly typ: string
  readonly claims: JsonObject
  readonly encryption: EncryptionPlan | undefined
  readonly contentType: string
}

/** Tokens to be signed together: the access token first, since the ID token binds it, and the code where one goes with them. */
export interface TokenPlan {
  readonly accessToken: AccessTokenPlan | undefined
  readonly expiresIn: Seconds
  readonly scope: ReadonlyArray<string>
  readonly idToken: IdTokenPlan | undefined
  /** A code sent with the ID token, which its `c_hash` binds (OpenID Connect Core §3.3.2.11). */
  readonly code: string | undefined
}

/** What a decision changes, and what the browser is told to keep. */
export interface Changes {
  readonly commands: ReadonlyArray<Command>
}

/** What is to be done about a request. */
export type Decision =
  /** Sends parameters back to the client. `state` and `iss` are added by the renderer (RFC 9207). */
  | (Changes & {
      readonly _tag: "SendBack"
      readonly callback: Callback
      readonly params: ReadonlyArray<readonly [string, string]>
      /** What goes with an authorization response of the implicit and hybrid flows (OpenID Connect Core §3.2.2.5, §3.3.2.5). */
      readonly tokens: TokenPlan | undefined
      readonly cookies: ReadonlyArray<CookieChange>
    })
  /** Sends the browser on to another of our own paths, by GET (303). */
  | (Changes & { readonly _tag: "Go"; readonly to: string; readonly cookies: ReadonlyArray<CookieChange> })
  /** Sends the browser to a post_logout_redirect_uri that its client registered (RP-Initiated Logout §3), or to another provider to sign in. */
  | (Changes & {
      readonly _tag: "Leave"
      readonly to: string
      readonly params: ReadonlyArray<readonly [string, string]>
      readonly cookies: ReadonlyArray<CookieChange>
    })
  /** Shows a page. */
  | (Changes & { readonly _tag: "Show"; readonly page: Page; readonly status: number; readonly cookies: ReadonlyArray<CookieChange> })
  /** Issues tokens (RFC 6749 §5.1). */
  | (Changes & {
      readonly _tag: "IssueTokens"
      readonly tokens: TokenPlan
      readonly refreshToken: string | undefined
      /** What was issued, for a client that asked for a kind of token (RFC 8693 §2.2.1). */
      readonly issuedTokenType?: string | undefined
    })
  /** Answers with JSON: claims, metadata, an introspection. `cacheable` answers are the same for everyone. */
  | (Changes & { readonly _tag: "Reply"; readonly body: Json; readonly cacheable: boolean })
  /** Answers with a JWT (OpenID Connect Core §5.3.2, RFC 9701 §5). */
  | (Changes & { readonly _tag: "ReplyJwt"; readonly jwt: JwtPlan })
  /** Answers 200 with nothing (RFC 7009 §2.2). */
  | (Changes & { readonly _tag: "Acknowledge" })
  /** Refuses a program with JSON (RFC 6749 §5.2). */
  | { readonly _tag: "RefuseJson"; readonly refusal: Refusal }
  /** Refuses a bearer token (RFC 6750 §3); `bare` when none was sent. */
  | { readonly _tag: "RefuseBearer"; readonly refusal: Refusal; readonly bare: boolean }
  /** Refuses a person with a page. */
  | { readonly _tag: "RefusePage"; readonly refusal: Refusal; readonly trouble: Trouble; readonly status: number }

/** The commands a decision carries; those of its refusal, when it is one. */
export const commandsOf = (decision: Decision): ReadonlyArray<Command> =>
  "refusal" in decision ? decision.refusal.commands : decision.commands

/** The decision, with commands that come before its own. */
export const changing = (decision: Decision, commands: ReadonlyArray<Command>): Decision => {
  if (commands.length === 0) return decision
  const all = [...commands, ...commandsOf(decision)]
  return "refusal" in decision ? { ...decision, refusal: { ...decision.refusal, commands: all } } : { ...decision, commands: all }
}
