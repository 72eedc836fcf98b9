import { type PresentedJwt, type TrustedIssuer, issuerOf, jwtRules, keysOfIssuer } from "../../extension/trustedIssuer.ts"
import { type Instant, type Settings, peerAlgorithms, refuse } from "../../model/index.ts"
import { mapped } from "../../ports/steps.ts"
import { pass, table } from "../../rules/rule.ts"
import { refuseJson } from "../../settle/programs.ts"
import { verifyBy } from "../../settle/remote.ts"
import { row } from "../../settle/stage.ts"
import type { CibaSettings } from "./options.ts"

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

/** Judges a `login_hint_token`: a JWT of an issuer that the operator trusts, as the assertions of RFC 7523 are (CIBA Core §7.1, §13). */
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

/** Reads whom a `login_hint_token` names: a subject of ours, in `jwt`. */
export const hintToken = ({ loginHintTokenIssuers: issuers }: CibaSettings, path: string) =>
  row<TokenAsked>(refuseJson)
    .read(({ settings, loginHintToken = "" }, inquiry) => {
      const issuer: TrustedIssuer | undefined = issuerOf(loginHintToken, issuers)
      const seen = { isTaken: issuers.length > 0, tokenEndpoint: `${settings.issuer.replace(/\/$/, "")}${path}` }
      if (issuer === undefined) return { ...seen, presented: { issued: undefined } as PresentedJwt }
      const verified = verifyBy(loginHintToken, keysOfIssuer(issuer), issuer.algorithms ?? peerAlgorithms, inquiry)
      return mapped(verified, (verdict) => ({ ...seen, presented: { issued: { issuer, verdict } } as PresentedJwt }))
    })
    .judge(tokenRules)
    .read(({ jwt: { subject } }) => ({ hintedSubject: subject as string | undefined }))
