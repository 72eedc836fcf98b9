import type { Challenge } from "../model/index.ts"
import { sameDigest } from "../model/index.ts"

/** Reports whether a value has the form of a code challenge and code verifier: 43 to 128 unreserved characters (RFC 7636 §4.1, §4.2). */
export const isPkceString = (value: string): boolean => /^[A-Za-z0-9\-._~]{43,128}$/.test(value)

/** The code challenge methods (RFC 7636 §4.2). */
export const challengeMethods: ReadonlyArray<Challenge["method"]> = ["S256", "plain"]

/** Reports whether a verifier matches a challenge (RFC 7636 §4.6). The caller supplies the S256 transformation of the verifier. */
export const proves = (challenge: Challenge, verifier: string, verifierDigest: string): boolean =>
  sameDigest(challenge.value, challenge.method === "S256" ? verifierDigest : verifier)
