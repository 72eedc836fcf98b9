import { refuse } from "../../model/index.ts"
import { pass, table } from "../../rules/rule.ts"

/** The keys that an authorization request names or proves. */
export interface ForetoldSeen {
  /** The parameter `dpop_jkt`. */
  readonly jkt: string | undefined
  /** The key that the request also proves. */
  readonly proved: string | undefined
}

/** Binding a code to a key (RFC 9449 §10, §10.1). */
export const foretoldRules = table<ForetoldSeen>("dpop/authorization")
  .rule("dpop.jkt-form", "RFC 9449 §10", ({ jkt }) =>
    jkt === undefined || /^[\w-]{43}$/.test(jkt)
      ? pass
      : refuse("invalid_request", "The dpop_jkt is not a SHA-256 thumbprint.", "not 43 characters of base64url"),
  )
  .rule("dpop.jkt-proved", "RFC 9449 §10.1", ({ jkt, proved }) =>
    jkt === undefined || proved === undefined || jkt === proved
      ? pass
      : refuse("invalid_dpop_proof", "The DPoP proof is not of the key that dpop_jkt names.", "two keys in one request"),
  )
