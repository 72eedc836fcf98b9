import { frozen } from "./frozen.ts"
import { oidcSignIn } from "./oidcSignIn.ts"

/** OpenID Connect with the hybrid flow. */
export const oidcHybrid = frozen(
  "oidc-hybrid",
  "OpenID Connect with the hybrid flow",
  `
    response.code-id-token-answer response.code-id-token-place response.code-token-answer response.code-token-place
    response.code-id-token-token-answer response.code-id-token-token-place response.code-id-token-signature response.code-id-token-nonce
    response.code-id-token-nonce-required response.code-id-token-audience response.code-id-token-token-signature
    response.code-id-token-token-nonce response.code-id-token-token-nonce-required response.code-id-token-token-audience
    response.code-id-token-token-at-hash response.code-id-token-c-hash response.code-id-token-token-c-hash
    response.code-id-token-not-in-query response.code-id-token-error-place response.code-token-not-in-query response.code-token-error-place
    response.code-id-token-token-not-in-query response.code-id-token-token-error-place response.hybrid-same-sub response.order-of-words
  `,
  oidcSignIn,
)
