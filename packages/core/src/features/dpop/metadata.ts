import { member, values } from "../../model/index.ts"

/** Holds a client to tokens that are bound to a key (RFC 9449 §5.2). */
export const boundTokens = member(
  "dpop_bound_access_tokens",
  values.flag,
  false,
  "Binds all access tokens of the client to a key by DPoP (RFC 9449): a token request without a proof is refused. Default: false.",
)

/** Demands a nonce of the provider in every proof (RFC 9449 §8). */
export const noncesRequired = member(
  "require_dpop_nonces",
  values.flag,
  false,
  "Requires a nonce of the provider in every DPoP proof (RFC 9449). Default: false.",
)

/** The seconds for which a proof is taken after it was made, and for which a nonce is handed out (RFC 9449 §11.1). */
export const proofLifetime = member(
  "dpop_proof_lifetime",
  values.whole(5, 300),
  60,
  "Lifetime of a DPoP proof, in seconds since it was made, from 5 to 300. Default: 60.",
)

/** The most seconds that a client's clock may be ahead of ours (FAPI 2.0 Security Profile §5.3.2.1, 13). */
export const ahead = 10

/** The most seconds that a clock is ahead where a nonce tells the time instead of it. */
export const farAhead = 60
