import { type Instant, type Json, type Refusal, type Session, clockTolerance, refuse, isJsonObject } from "../../model/index.ts"
import type { JwtVerdict, UpstreamLogoutKeys } from "../../ports/index.ts"
import { isNotAhead } from "../../rules/ahead.ts"
import { type Objection, pass, prove, table } from "../../rules/rule.ts"
import { readJwt } from "../../wire/index.ts"

/** The event that a logout token reports (OpenID Connect Back-Channel Logout §2.4). */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

/** The longest time from now to `exp`, in seconds. A token is remembered for that long, so that it can be used only once. */
const longestLife = 86_400

/** A request in which another provider reports that somebody has signed out there. */
interface LogoutRequest {
  readonly token: string | undefined
}

const invalid = (reason: string, description = "The logout_token is not valid."): Refusal => refuse("invalid_request", description, reason)

/** Judges whether there is a token at all, before anything is looked up for it. */
export const requestRules = table<LogoutRequest>("upstream-logout")
  .present("upstream-logout.token-present", "OpenID Connect Back-Channel Logout §2.5", "token", () =>
    invalid("no logout_token", "The logout_token is missing."),
  )
  .rule("upstream-logout.token-form", "OpenID Connect Back-Channel Logout §2.6 (1), (2)", ({ token }) =>
    readJwt(token) === undefined ? invalid("no signed JWT of at most 16,384 characters; an encrypted one is not taken") : pass,
  )

/** A token, and the keys with which it is verified. */
interface SourceSeen {
  readonly source: UpstreamLogoutKeys | undefined
}

/** Judges whether logout tokens of the provider are accepted. */
export const sourceRules = table<SourceSeen>("upstream-logout/source").present(
  "upstream-logout.taken",
  "OpenID Connect Back-Channel Logout §2.2",
  "source",
  () => invalid("the logoutKeys of the IdentityProviders port know no keys of this provider", "No logout tokens are taken."),
)

/** A token whose signature was checked. */
interface TokenSeen {
  readonly now: Instant
  readonly source: UpstreamLogoutKeys
  readonly verdict: JwtVerdict
}

const types: ReadonlyArray<string> = ["logout+jwt", "jwt"]

const isTyped = (typ: Json | undefined): boolean =>
  typ === undefined || (typeof typ === "string" && types.includes(typ.toLowerCase().replace(/^application\//, "")))

const isText = (value: Json | undefined): value is string => typeof value === "string" && value !== ""

const names = (aud: Json | undefined, clientId: string): boolean => (Array.isArray(aud) ? aud.includes(clientId) : aud === clientId)

/** Judges a logout token (OpenID Connect Back-Channel Logout §2.6). */
export const tokenRules = table<TokenSeen>("upstream-logout/token")
  .establish("upstream-logout.signature", "OpenID Connect Back-Channel Logout §2.6 (2), (3)", ({ verdict }) =>
    verdict._tag === "Verified" ? prove({ header: verdict.header, claims: verdict.claims }) : invalid(verdict.reason),
  )
  .rule("upstream-logout.type", "OpenID Connect Back-Channel Logout §2.4, RFC 8725 §3.11", ({ header: { typ } }) =>
    isTyped(typ) ? pass : invalid("a JWT of another type than logout+jwt"),
  )
  .rule("upstream-logout.issuer", "OpenID Connect Back-Channel Logout §2.6 (4)", ({ claims: { iss }, source: { issuer } }) =>
    iss === issuer ? pass : invalid("iss is another issuer than the provider's"),
  )
  .rule("upstream-logout.audience", "OpenID Connect Back-Channel Logout §2.6 (4)", ({ claims: { aud }, source: { clientId } }) =>
    names(aud, clientId) ? pass : invalid("aud does not name the client_id that we have there"),
  )
  .rule("upstream-logout.issued-at", "OpenID Connect Back-Channel Logout §2.4, §2.6 (4)", ({ claims: { iat }, now }) =>
    typeof iat === "number" && isNotAhead(iat, now) ? pass : invalid("no iat, or one in the future"),
  )
  .establish("upstream-logout.expiry-present", "OpenID Connect Back-Channel Logout §2.4, §2.6 (4)", ({ claims: { exp } }) =>
    typeof exp === "number" && Number.isFinite(exp) ? prove({ expiresAt: Math.floor(exp) }) : invalid("no exp"),
  )
  .rule("upstream-logout.fresh", "OpenID Connect Back-Channel Logout §2.6 (4)", ({ expiresAt, now }) =>
    now < expiresAt + clockTolerance ? pass : invalid("expired"),
  )
  .rule("upstream-logout.expiry-near", "OpenID Connect Back-Channel Logout §2.4", ({ expiresAt, now }) =>
    expiresAt <= now + longestLife ? pass : invalid(`exp is more than ${longestLife} s ahead`),
  )
  .establish("upstream-logout.subject", "OpenID Connect Back-Channel Logout §2.6 (5)", ({ claims: { sub, sid } }) => {
    const isSound = [sub, sid].every((each) => each === undefined || isText(each)) && (sub !== undefined || sid !== undefined)
    const named = { sub: isText(sub) ? sub : undefined, sid: isText(sid) ? sid : undefined }
    return isSound ? prove({ named }) : invalid("neither sub nor sid, or one that is no text")
  })
  .rule("upstream-logout.event", "OpenID Connect Back-Channel Logout §2.6 (6)", ({ claims: { events } }) =>
    isJsonObject(events) && Object.hasOwn(events, logoutEvent) && isJsonObject(events[logoutEvent])
      ? pass
      : invalid("events does not have the back-channel logout event, with an object"),
  )
  .rule("upstream-logout.no-nonce", "OpenID Connect Back-Channel Logout §2.6 (7)", ({ claims: { nonce } }) =>
    nonce === undefined ? pass : invalid("it has a nonce, as an ID token has"),
  )
  .establish("upstream-logout.jti-present", "OpenID Connect Back-Channel Logout §2.4", ({ claims: { jti } }) =>
    isText(jti) ? prove({ jti }) : invalid("no jti"),
  )

/** A valid token, apart from its reuse. */
interface UseSeen {
  /** True if a token with its `jti` was accepted before. */
  readonly used: boolean
}

/** Judges whether a token is sent for the first time. It comes after all other rules, so that nothing is looked up for an invalid token. */
export const useRules = table<UseSeen>("upstream-logout/use").rule(
  "upstream-logout.unused",
  "OpenID Connect Back-Channel Logout §2.6 (8)",
  ({ used }) => (used ? invalid("a token of this jti was taken before", "The logout_token was sent before.") : pass),
)

/** The sessions here that a token concerns. */
interface EndingSeen {
  /** The sessions that are live. */
  readonly sessions: ReadonlyArray<Session>
}

/** Judges whether there is anything to end. If not, the response is the same, because the person is already signed out (§2.8). */
export const endingRules = table<EndingSeen, Objection>("upstream-logout/sessions").establish(
  "upstream-logout.sessions",
  "OpenID Connect Back-Channel Logout §2.7, §2.8",
  ({ sessions }) =>
    sessions.length > 0
      ? prove({ ending: sessions })
      : { reason: "no session here came of that sign-in, or each has ended; nothing to end" },
)
