import * as Effect from "effect/Effect"
import { jwtRules } from "../../extension/jwtRules.ts"
import { type PresentedJwt, type VerifiedJwt, endOf, issuerOf, keysOfIssuer } from "../../extension/trustedIssuer.ts"
import { type Instant, type Settings, peerAlgorithms, refuse, useOnce, usedUntilEnd } from "../../model/index.ts"
import type { JwtVerdict } from "../../ports/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { refuseJson } from "../../settle/programs.ts"
import { verifyBy } from "../../settle/remote.ts"
import { type Inquiry, digestOf, isUsed } from "../../settle/request.ts"
import { row } from "../../settle/stage.ts"
import type { CibaSettings, HintIssuer } from "./options.ts"
import { subjectIdentified } from "./subjectId.ts"

/** A request whose hint is a token. */
interface TokenAsked {
  readonly settings: Settings
  readonly now: Instant
  readonly loginHintToken?: string | undefined
}

interface TokenSeen extends TokenAsked {
  readonly isTaken: boolean
  readonly tokenEndpoint: string
  readonly presented: PresentedJwt
}

/** Judges a `login_hint_token`, a JWT of an issuer that the operator trusts, like the assertions of RFC 7523 (CIBA Core §7.1, §13). */
export const tokenRules = jwtRules(
  table<TokenSeen>("backchannel-authentication/login-hint-token").rule("ciba.login-hint-token", "CIBA Core §7.1", ({ isTaken }) =>
    isTaken ? pass : refuse("invalid_request", "A login_hint_token is not supported.", "no issuer of such tokens is trusted"),
  ),
  {
    prefix: "ciba-hint",
    name: "login_hint_token",
    error: "invalid_request",
    errors: { expired: "expired_login_hint_token", unknown: "unknown_user_id" },
    endpoint: "backchannel authentication endpoint",
  },
)

interface UseSeen {
  /** The `jti` claim of the token, unchecked. */
  readonly jti: unknown
  /** The key under which its use is stored; undefined if it may be used again or has no `jti`. */
  readonly useKey: string | undefined
  /** True if it was used before. */
  readonly used: boolean
}

/** Judges whether a token with a `jti` is used for the first time. */
export const useRules = table<UseSeen>("backchannel-authentication/login-hint-token-use")
  .rule("ciba-hint.jti-form", "RFC 7519 §4.1.7", ({ jti }) =>
    jti === undefined || isJti(jti)
      ? pass
      : refuse("invalid_request", "The login_hint_token is not valid.", "its jti is no text of 1 to 256 characters"),
  )
  .establish("ciba-hint.unused", "RFC 7523 §3 (7)", ({ useKey, used }) =>
    used ? refuse("invalid_request", "The login_hint_token was used before.", "its jti came before") : prove({ hintUse: useKey }),
  )

const isJti = (jti: unknown): jti is string => typeof jti === "string" && jti !== "" && jti.length <= 256

/** The verified JWT, with the person whom its `sub_id` identifies, if its issuer may identify people this way. */
const presentedBy = (issuer: HintIssuer, verdict: JwtVerdict, inquiry: Inquiry) => {
  const id = verdict._tag === "Verified" ? verdict.claims["sub_id"] : undefined
  const identified = issuer.subjectIds === true && id !== undefined ? subjectIdentified(id, inquiry) : Effect.succeed(undefined)
  return mapped(identified, (found): PresentedJwt => ({ issued: { issuer, verdict }, identified: found }))
}

/** Finds whether a token was used, by its issuer and its `jti`. */
const useOf = ({ claims, issuer }: VerifiedJwt, issuers: ReadonlyArray<HintIssuer>, inquiry: Inquiry) => {
  const { jti } = claims
  const reusable = issuers.find((each) => each.issuer === issuer.issuer)?.reusable === true
  const key = reusable || !isJti(jti) ? undefined : digestOf(inquiry.ports, `postern login hint ${JSON.stringify([issuer.issuer, jti])}`)
  const use = key && onward(key, (useKey) => mapped(isUsed(useKey, inquiry), (used) => ({ useKey, used })))
  return mapped(together({ use }), ({ use: found }) => ({ jti, useKey: found?.useKey, used: found?.used === true }))
}

/**
 * Reads the person whom a `login_hint_token` identifies, as a subject of this provider, into `jwt`. The token is used up by the request
 * that results from it, and not by a refusal.
 */
export const hintToken = ({ loginHintTokenIssuers: issuers }: CibaSettings, path: string) =>
  row<TokenAsked>(refuseJson)
    .read(({ settings, loginHintToken = "" }, inquiry) => {
      const named = issuerOf(loginHintToken, issuers)
      const issuer = issuers.find((each) => each === named)
      const seen = { isTaken: issuers.length > 0, tokenEndpoint: `${settings.issuer.replace(/\/$/, "")}${path}` }
      if (issuer === undefined) return { ...seen, presented: { issued: undefined } as PresentedJwt }
      const verified = verifyBy(loginHintToken, keysOfIssuer(issuer), issuer.algorithms ?? peerAlgorithms, inquiry)
      return onward(verified, (verdict) => mapped(presentedBy(issuer, verdict, inquiry), (presented) => ({ ...seen, presented })))
    })
    .judge(tokenRules)
    .read(({ jwt }, inquiry) => useOf(jwt, issuers, inquiry))
    .judge(useRules)
    .read(({ jwt, hintUse, now }) => ({
      hintedSubject: jwt.subject as string | undefined,
      spent: hintUse === undefined ? [] : [useOnce(hintUse, now, usedUntilEnd(endOf(jwt)))],
    }))
