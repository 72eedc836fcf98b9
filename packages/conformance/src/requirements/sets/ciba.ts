import { frozen } from "./frozen.ts"

/** OpenID Connect CIBA Core, with the requirements of FAPI-CIBA on signed requests. */
export const ciba = frozen(
  "ciba",
  "Clients that ask people on their own devices (CIBA Core)",
  `
    ciba.modes ciba.answer ciba.not-stored ciba.id-unguessable ciba.client ciba.client-registered ciba.method ciba.scope-missing
    ciba.scope-openid ciba.scope-unknown ciba.hint-missing ciba.hint-two ciba.hint-broken ciba.hint-unknown ciba.hint-id-token
    ciba.message-long ciba.message-form ciba.expiry ciba.expiry-form ciba.repeated ciba.notification-token ciba.notification-token-long
    ciba.pending ciba.slow-down ciba.unknown ciba.missing ciba.own-client ciba.expired ciba.tokens ciba.id-token ciba.userinfo ciba.once
    ciba.race ciba.denied ciba.forged ciba.pinged ciba.pinged-tokens ciba.pinged-at-once ciba.pushed ciba.push-denied
    ciba.push-polled ciba.details ciba.details-unknown ciba.details-form ciba.push-expired ciba.push-expired-proved ciba.late ciba-request.honored
    ciba-request.audience-list ciba-request.expiry-number ciba-request.unsigned ciba-request.alg-none ciba-request.signature
    ciba-request.garbage ciba-request.beside ciba-request.issuer ciba-request.issuer-missing ciba-request.audience
    ciba-request.audience-missing ciba-request.expired ciba-request.exp-missing ciba-request.iat-missing ciba-request.nbf-missing
    ciba-request.not-yet ciba-request.jti-missing ciba-request.long-lived ciba-request.once
  `,
)
