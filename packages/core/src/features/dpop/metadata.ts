import { flagMember, keyBound, member, optionalMember, values } from "../../model/index.ts"

/** Requires a client to use tokens that are bound to a key (RFC 9449 §5.2). */
export const boundTokens = flagMember(
  keyBound[1],
  "Binds all access tokens of the client to a key by DPoP (RFC 9449): a token request without a proof is refused. Default: false.",
)

const kinds = ["access", "refresh", "both"] as const

/** The tokens that proofs bind. */
export type BoundTokens = (typeof kinds)[number]

/** The tokens of a client, or of every client of a provider, that the key of a proof binds (RFC 9449 §5). */
export const boundKinds = optionalMember(
  "dpop_bound_tokens",
  values.oneOf(kinds),
  "Tokens that a DPoP proof binds to its key: access, refresh or both. Default: access tokens, and the refresh tokens of public clients, which always are.",
)

/** Requires a nonce of the provider in every proof (RFC 9449 §8). */
export const noncesRequired = flagMember(
  "require_dpop_nonces",
  "Requires a nonce of the provider in every DPoP proof (RFC 9449). Default: false.",
)

/** The seconds for which a proof is accepted after it was made, and for which a nonce is supplied (RFC 9449 §11.1). */
export const proofLifetime = member(
  "dpop_proof_lifetime",
  values.whole(5, 300),
  60,
  "Lifetime of a DPoP proof, in seconds since it was made, from 5 to 300. Default: 60.",
)
