import { type Confirmation, type Instant, type Refusal, messageOf, scopeWords } from "@postern/core/model"
import { partFaults, refuseFaults } from "@postern/core/options"
import { type SentToken, type Tracing, judge, sentToken, spell, useRules } from "@postern/core/verify"
import { webDigest } from "@postern/core/webcrypto"
import { type Message, readJwt } from "@postern/core/wire"
import { refusedBy } from "./challenge.ts"
import type { Introspect } from "./introspection.ts"
import { introspected } from "./introspectionRules.ts"
import type { Issuer } from "./issuer.ts"
import { faultsOfNeeds } from "./needs.ts"
import type { ResourceServerOptions } from "./options.ts"
import { type JudgedProof, type ProofMeans, freshNonce, judgedProof } from "./proofs.ts"
import { timely } from "./remote.ts"
import * as rules from "./rules.ts"
import type { AccessToken } from "./token.ts"
import type { ProofUses } from "./uses.ts"
import type { Accepted, AnswerHeaders, Verdict } from "./verdict.ts"

/** A request as received. `path` is not decoded. Names of header fields are in lower case, and repeated fields are joined with `, `. */
export type ResourceRequest = Pick<Message, "method" | "path" | "query" | "headers" | "peerCertificate">

/** Dependencies of a resource server. */
export interface Means {
  readonly options: ResourceServerOptions
  readonly issuer: Issuer
  readonly introspect: Introspect | undefined
  readonly proofs: ProofMeans | undefined
  readonly uses: ProofUses
  readonly bases: ReadonlyArray<string>
  readonly metadataUrl: string | undefined
  readonly algorithms: ReadonlyArray<string>
}

/** The state of a request while it is verified. */
interface Progress {
  readonly trace: Tracing
  readonly sent: SentToken
  readonly now: Instant
  found: AccessToken | undefined
  facts: Readonly<Record<string, string>>
  headers: AnswerHeaders
}

/** A request to verify, with its earlier verdict if it has already passed for other needs. */
export interface Judging {
  readonly request: ResourceRequest
  readonly needs: rules.Needs
  readonly passed: Accepted | undefined
}

const requestKinds = { method: "text", path: "text", query: "text", headers: "object" } as const

/** Verifies a request, table after table. */
export const verdictOn = async ({ request, needs, passed }: Judging, means: Means, trace: Tracing, now: Instant): Promise<Verdict> => {
  refuseFaults("@postern/verify", partFaults("request", request, requestKinds, "ResourceRequest"))
  const { proofs } = means
  const schemes = proofs === undefined ? [] : [{ scheme: "DPoP" }]
  const sent = sentToken({ ...request, body: "" }, schemes)
  const progress: Progress = { trace, sent, now, found: passed?.ok, facts: {}, headers: passed?.headers ?? [] }
  refuseFaults("@postern/verify", faultsOfNeeds(needs))
  const scope = typeof needs.scope === "string" ? scopeWords(needs.scope) : (needs.scope ?? [])
  const refusal =
    passed === undefined
      ? await refusalOf(request, { ...needs, scope }, means, progress)
      : judge(trace, rules.sufficiency, { found: passed.ok, now, ...needs, scope })
  const trail = { steps: trace.steps.map((step) => spell(trace, step)), facts: progress.facts }
  const { found, headers } = progress
  if (refusal === undefined && found !== undefined) return { ok: found, headers, trail }
  const stopped = trail.steps.at(-1)?.refused
  // A request without a token cannot pass, because some table objects to it.
  if (refusal === undefined || stopped === undefined) throw new Error("a request ended without a verdict")
  const owed = found?.confirmation === undefined ? undefined : "jkt" in found.confirmation && proofs !== undefined ? "DPoP" : "Bearer"
  const refused = refusedBy(
    {
      refusal,
      sent,
      owed,
      metadataUrl: means.metadataUrl,
      algs: proofs?.algorithms.join(" "),
      bound: means.options.bound,
      ...needs,
      scope,
    },
    stopped,
    headers,
  )
  return { refused, headers: refused.answer.headers, trail }
}

/** Applies table after table. Returns the first objection, or undefined if there is none. Only a request that passes uses up its proof. */
const refusalOf = async (
  request: ResourceRequest,
  needs: rules.Needs & { readonly scope: ReadonlyArray<string> },
  means: Means,
  progress: Progress,
): Promise<Refusal | undefined> => {
  const { trace, sent, now } = progress
  const { options, proofs } = means
  const value = sent.tokens[0] ?? ""
  const unpresented = judge(trace, rules.presentation, sent)
  if (unpresented !== undefined) return unpresented
  if (proofs !== undefined && sent.scheme === "DPoP") {
    const nonce = await freshNonce(proofs, now)
    if (nonce !== undefined) progress.headers = [["dpop-nonce", nonce]]
  }
  const read = await tokenRead(value, means, trace, now)
  if (!("claims" in read)) return read
  progress.found = read
  const audiences = [options.resource, ...(options.audiences ?? [])]
  const invalid = judge(trace, rules.validity, { found: read, now, audiences })
  if (invalid !== undefined) return invalid
  const shown = await shownBy(request, progress)
  const proof = await proofOf(request, value, means, progress)
  if (proof?.refusal !== undefined) return proof.refusal
  const proved = [...shown, ...(proof?.proved === undefined ? [] : [proof.proved.confirmation])]
  const unbound = judge(trace, rules.binding, { found: read, scheme: sent.scheme, proved, demanded: options.bound })
  if (unbound !== undefined) return unbound
  const insufficient = judge(trace, rules.sufficiency, { found: read, now, ...needs })
  if (insufficient !== undefined || proof?.proved === undefined) return insufficient
  const { used, unknown } = await claimed(means.uses, proof.proved, now)
  return judge(trace, rules.useKnown, { unknown }) ?? judge(trace, useRules, { used })
}

/** Verifies a token locally or introspects it. */
const tokenRead = async (value: string, means: Means, trace: Tracing, now: Instant): Promise<AccessToken | Refusal> => {
  const { options, issuer, introspect, algorithms } = means
  const jwt = readJwt(value)
  const isJwt = jwt !== undefined
  const { header, claims: stated } = jwt ?? { header: {}, claims: {} }
  const unreadable = judge(trace, rules.form, { isJwt, introspects: introspect !== undefined })
  if (unreadable !== undefined) return unreadable
  if (introspect !== undefined && (!isJwt || options.introspection?.always === true)) {
    const answer = await introspect(value, now)
    if (answer.step !== undefined) {
      trace.steps.push(answer.step)
      const { objection } = answer.step
      // The table of signed responses only objects with refusals.
      if (objection !== undefined) return objection as Refusal
    }
    const reason = answer.value === undefined ? answer.reason : ""
    const seen = { answer: answer.value, reason, issuer: options.issuer, stated }
    return judge(trace, introspected, seen) ?? foundIn(seen)
  }
  const unfit = judge(trace, rules.jwtForm, { header, stated, issuer: options.issuer, algorithms })
  if (unfit !== undefined) return unfit
  const verdict = await issuer.verify(value, algorithms)
  const keyless = judge(trace, rules.keysKnown, { keyless: typeof verdict === "string" ? verdict : undefined })
  if (keyless !== undefined) return keyless
  const seen = {
    verdict: typeof verdict === "string" ? ({ _tag: "NoKey", reason: verdict } as const) : verdict,
    issuer: options.issuer,
  }
  return judge(trace, rules.jwtContent, seen) ?? foundIn(seen)
}

/** Returns the token that a table has established, which the type of its input cannot express. */
const foundIn = (seen: object): AccessToken => (seen as { readonly found: AccessToken }).found

/** Digests the certificate of the request if its token is bound to one (RFC 8705 §3). */
const shownBy = async ({ peerCertificate }: ResourceRequest, progress: Progress): Promise<ReadonlyArray<Confirmation>> => {
  const { confirmation } = progress.found ?? {}
  if (peerCertificate === undefined || confirmation === undefined || !("x5t#S256" in confirmation)) return []
  const digest = await webDigest.sha256(peerCertificate.der)
  progress.facts = { ...progress.facts, certificate: digest }
  return [{ "x5t#S256": digest }]
}

/** Checks the proof of a request if its token is presented by DPoP or bound to a key. */
const proofOf = async (
  { method, path, headers }: ResourceRequest,
  accessToken: string,
  { proofs, bases }: Means,
  progress: Progress,
): Promise<JudgedProof | undefined> => {
  const { dpop: proof } = headers
  const { confirmation } = progress.found ?? {}
  const isOwed = progress.sent.scheme === "DPoP" || (confirmation !== undefined && "jkt" in confirmation)
  if (proofs === undefined || proof === undefined || !isOwed) return undefined
  // A target that is not a path, such as `m://x`, would make another host of the base URL (RFC 9112 §3.2).
  const rooted = path.startsWith("/") ? path : `/${path}`
  const judged = await judgedProof(
    progress.trace,
    { sent: proof, method, addresses: bases.map((base) => base + rooted), accessToken, now: progress.now },
    proofs,
  )
  progress.facts = { ...progress.facts, ...judged.facts }
  return judged
}

/** Claims the use of a proof atomically. A second claim is refused. */
const claimed = async (
  uses: ProofUses,
  { use, until }: NonNullable<JudgedProof["proved"]>,
  now: Instant,
): Promise<{ readonly used: boolean; readonly unknown: string | undefined }> => {
  try {
    // A result of another type, such as a database's, must not count as the first claim.
    const isFirst: unknown = await timely(() => uses.claim(use, until, now))
    if (typeof isFirst !== "boolean" && isFirst !== undefined) throw new TypeError("claim answered neither true nor false")
    return isFirst === undefined ? { used: false, unknown: "no more uses of proofs can be kept" } : { used: !isFirst, unknown: undefined }
  } catch (error) {
    return { used: false, unknown: `the uses of proofs: ${messageOf(error)}` }
  }
}
