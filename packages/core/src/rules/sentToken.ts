import { type Confirmation, type Instant, type Refusal, refuse, sameConfirmation, tokenTypeOf } from "../model/index.ts"
import { type Message, isForm, readParams } from "../wire/index.ts"
import { pass, rule } from "./rule.ts"

/** The scheme of bearer tokens (RFC 6750 §2.1). */
export const bearer = "Bearer"

/** An HTTP scheme for tokens in addition to `Bearer`. */
export interface TokenScheme {
  /** The HTTP scheme, such as `DPoP`; that of bearer tokens if undefined. */
  readonly scheme?: string
  /** The parameters of its challenges, such as `algs="ES256"`. */
  readonly challenge?: string
}

/** The access tokens of a request, not yet validated. */
export interface SentToken {
  /** Every access token that was sent, by any method. */
  readonly tokens: ReadonlyArray<string>
  readonly inQuery: boolean
  /** True if the Authorization header is not a single token with a known scheme. */
  readonly unreadable: boolean
  /** The scheme of the Authorization header, `Bearer` without one. */
  readonly scheme: string
  /** The parameters of that scheme's challenges. Without an Authorization header, the challenges of all schemes that have some (RFC 9449 §7.2). */
  readonly challenge: string | undefined
}

/** Reads the access tokens of a request. */
export const sentToken = (
  message: Pick<Message, "method" | "query" | "headers" | "body">,
  schemes: ReadonlyArray<TokenScheme>,
): SentToken => {
  const inForm = message.method === "POST" && isForm(message.headers["content-type"]) ? readParams(message.body).all("access_token") : []
  const inQuery = readParams(message.query).all("access_token")
  const authorization = message.headers["authorization"]
  // A comma joins repeated fields, even empty ones; no token contains one (RFC 6750 §2.1).
  const [, named = "", token] = /^(\S+) +([^\s,]+)\s*$/.exec(authorization ?? "") ?? []
  const lower = named.toLowerCase()
  const own = lower === "bearer" ? undefined : schemes.find((each) => each.scheme?.toLowerCase() === lower)
  const scheme = lower === "bearer" ? bearer : own?.scheme
  const inHeader = token === undefined || scheme === undefined ? [] : [token]
  return {
    tokens: [...inHeader, ...inForm, ...inQuery],
    inQuery: inQuery.length > 0,
    unreadable: authorization !== undefined && inHeader.length === 0,
    scheme: scheme ?? bearer,
    challenge: authorization === undefined ? challengesOf(schemes) : own?.challenge,
  }
}

const challengesOf = (schemes: ReadonlyArray<TokenScheme>): string =>
  schemes.flatMap(({ scheme, challenge }) => (challenge === undefined ? [] : `${scheme} ${challenge}`)).join(", ")

/** Refuses an access token without telling its sender the reason. */
export const invalidToken = (reason: string): Refusal => refuse("invalid_token", "The access token is not valid.", reason)

/** A loaded access token, and the time at which it is presented. */
export interface TimedToken {
  readonly now: Instant
  readonly found: { readonly expiresAt: Instant }
}

/** A loaded access token, with the proofs of its request. */
export interface BoundToken {
  readonly found: { readonly confirmation: Confirmation | undefined }
  readonly scheme: string
  /** The keys and certificates that the request has proved. */
  readonly proved: ReadonlyArray<Confirmation>
}

/** Returns the rules about access tokens that all resources share; `name` is the prefix of their ids. */
export const sentTokenRules = (name: string) => ({
  /** Requires that an Authorization header contains one token. */
  headerForm: rule<SentToken, SentToken>(`${name}.header-form`, "RFC 6750 §2.1, §3.1", (s) =>
    s.unreadable
      ? refuse("invalid_request", "The Authorization header holds no bearer token.", "another scheme, or more than one token")
      : pass,
  ),
  /** Requires that a request sends only one token. */
  once: rule<SentToken, SentToken>(`${name}.token-once`, "RFC 6750 §2", (s) =>
    s.tokens.length > 1 ? refuse("invalid_request", "The access token is sent more than once.") : pass,
  ),
  /** Forbids tokens in URLs. */
  notInUrl: rule<SentToken, SentToken>(`${name}.token-not-in-url`, "RFC 9700 §4.3.2", (s) =>
    s.inQuery ? refuse("invalid_request", "The access token must not be sent in the URL.") : pass,
  ),
  /** Requires a token. */
  present: rule<SentToken, SentToken>(`${name}.token-present`, "RFC 6750 §3", (s) =>
    s.tokens.length === 0 ? refuse("invalid_token", "An access token is needed.", "no access token sent") : pass,
  ),
  /** Requires that the token has not expired. */
  fresh: rule<TimedToken, TimedToken>(`${name}.token-fresh`, "RFC 6750 §3.1", (s) =>
    s.now < s.found.expiresAt ? pass : refuse("invalid_token", "The access token has expired.", "expired"),
  ),
  /** Requires proof of possession of the key or certificate of a bound token. */
  bound: rule<BoundToken, BoundToken>(`${name}.token-bearer`, "RFC 9449 §7.1, RFC 8705 §3", ({ found: { confirmation }, proved }) =>
    confirmation === undefined || proved.some((each) => sameConfirmation(each, confirmation))
      ? pass
      : invalidToken("the token is bound, and nothing was proved of what it is bound to"),
  ),
  /** Requires that the token is presented with the scheme of its type. */
  scheme: rule<BoundToken, BoundToken>(`${name}.token-scheme`, "RFC 9449 §7.2", ({ found: { confirmation }, scheme }) =>
    tokenTypeOf(confirmation) === scheme ? pass : invalidToken("the token is not presented by the scheme of its type"),
  ),
})
