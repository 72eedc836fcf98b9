import { type Confirmation, type Instant, type Seconds, sameDigest } from "@postern/core/model"
import type { DigestPort, JwtsPort } from "@postern/core/ports"
import {
  type Objection,
  type Tracing,
  judge,
  nonceBegin,
  nonceTexts,
  proofFacts,
  proofKeys,
  proofRules,
  readNonce,
  signatureRules,
  thumbprintText,
  timeRules,
  useText,
  usedUntil,
  writeNonce,
} from "@postern/core/verify"
import type { JsonObject, Refusal } from "@postern/core/model"

/** Dependencies of checking proofs. */
export interface ProofMeans {
  readonly digest: Pick<DigestPort, "sha256">
  readonly jwts: Pick<JwtsPort, "verify">
  /** Seconds for which a proof is accepted. */
  readonly lifetime: Seconds
  /** The key of nonces. Undefined if none is required. */
  readonly nonceKey: string | undefined
  readonly algorithms: ReadonlyArray<string>
}

/** A proof as received, with its request. */
export interface SentProof {
  readonly sent: string
  readonly method: string
  /** The request's public URLs. */
  readonly addresses: ReadonlyArray<string>
  readonly accessToken: string
  readonly now: Instant
}

/** The result of checking a proof. */
export interface JudgedProof {
  /** The first objection. Undefined if the proof is valid. */
  readonly refusal: Refusal | undefined
  /** The key that the proof proves, and the use that has yet to be claimed. */
  readonly proved: { readonly confirmation: Confirmation; readonly use: string; readonly until: Instant } | undefined
  readonly facts: Readonly<Record<string, string>>
}

/** Seals the period of a nonce with a keyed hash. It is nested, so that hashes of longer texts cannot be derived from it. */
const sealOf = async ({ digest, nonceKey = "" }: ProofMeans, at: Instant): Promise<string> =>
  digest.sha256(JSON.stringify([nonceKey, await digest.sha256(JSON.stringify([nonceKey, ...nonceTexts("resource", at)]))]))

/** Makes the nonce of the current period. Returns undefined if none is required. */
export const freshNonce = async (means: ProofMeans, now: Instant): Promise<string | undefined> => {
  if (means.nonceKey === undefined) return undefined
  const at = nonceBegin(now, means.lifetime)
  return writeNonce(at, await sealOf(means, at))
}

const liveNonce = async (nonce: unknown, means: ProofMeans, now: Instant) => {
  const read = means.nonceKey === undefined ? undefined : readNonce(nonce, now, means.lifetime)
  return read !== undefined && sameDigest(await sealOf(means, read.at), read.seal) ? { until: read.until } : undefined
}

/** The members that the rules of a proof establish. */
interface Established {
  readonly header: JsonObject
  readonly claims: JsonObject
  readonly key: JsonObject
  readonly alg: string
  readonly jti: string
  readonly iat: number
}

/** Checks a proof by core's own tables (RFC 9449 §4.3). Checks without computation come first, and the signature is verified last. */
export const judgedProof = async (trace: Tracing, proof: SentProof, means: ProofMeans): Promise<JudgedProof> => {
  const { sent, method, addresses, accessToken, now } = proof
  const { digest, jwts, lifetime: window, algorithms } = means
  const profile = { name: "of this resource", parameters: { algorithms } }
  const seen = { sent, method, addresses, now, profile }
  const facts = { htm: method, htu: addresses.join(" ") }
  const stopped = (refusal: Objection, facts: Readonly<Record<string, string>>): JudgedProof => ({
    // The tables of proofs only object with refusals.
    refusal: refusal as Refusal,
    proved: undefined,
    facts,
  })
  const unformed = judge(trace, proofRules, seen)
  if (unformed !== undefined) return stopped(unformed, proofFacts(facts))
  // The table has established these members, which the type of its input cannot express.
  const { header, claims, key, alg, jti, iat } = seen as typeof seen & Established
  const [jkt, ath, nonce] = await Promise.all([
    digest.sha256(thumbprintText(key)),
    digest.sha256(accessToken),
    liveNonce(claims["nonce"], means, now),
  ])
  const told = proofFacts({ ...facts, jkt, ath, age: now - iat, window })
  const untimely = judge(trace, timeRules, { iat, claims, now, window, nonceRequired: means.nonceKey !== undefined, nonce, ath })
  if (untimely !== undefined) return stopped(untimely, told)
  const verdict = await jwts.verify(sent, proofKeys(key, header["kid"]), [alg])
  const unsigned = judge(trace, signatureRules, { unverified: verdict._tag === "Verified" ? undefined : verdict.reason })
  if (unsigned !== undefined) return stopped(unsigned, told)
  const use = await digest.sha256(useText(jkt, jti))
  return { refusal: undefined, proved: { confirmation: { jkt }, use, until: usedUntil(iat, window, nonce?.until) }, facts: told }
}
