import type { Refusal } from "@postern/core/model"
import type { SentToken } from "@postern/core/verify"
import type { Binding, Needs } from "./rules.ts"
import type { AnswerHeaders, RefusedRequest } from "./verdict.ts"

/** The contents of a challenge. */
export interface ChallengeSeen extends Needs {
  readonly refusal: Refusal
  readonly sent: Pick<SentToken, "tokens" | "unreadable" | "scheme">
  /** The scheme by which the token must be presented, if known. */
  readonly owed: string | undefined
  /** The URL of the resource's metadata (RFC 9728 §5.1). */
  readonly metadataUrl: string | undefined
  /** The accepted algorithms of proofs. Undefined if no proof is accepted. */
  readonly algs: string | undefined
  /** The binding required of every token. */
  readonly bound: Binding | undefined
  readonly scope: ReadonlyArray<string>
}

const statusOf = ({ error }: Refusal): number => {
  if (error === "invalid_request") return 400
  if (error === "insufficient_scope") return 403
  return error === "temporarily_unavailable" ? 503 : 401
}

type Parameter = readonly [name: string, value: string | undefined]

/** Makes a quoted-string (RFC 9110 §5.6.4). Characters that it cannot contain are removed. */
const quoted = (value: string): string => `"${value.replaceAll(/[^\x20-\x7e]/g, "").replaceAll(/["\\]/g, String.raw`\$&`)}"`

const challenge = (scheme: string, parameters: ReadonlyArray<Parameter>): string => {
  const written = parameters.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${quoted(value)}`]))
  return `${scheme} ${written.length === 0 ? 'realm="resource"' : written.join(", ")}`
}

/**
 * The challenges of a refusal. They state no error if no token was sent, and there is one for each accepted scheme (RFC 6750 §3, RFC 9449
 * §7.1).
 */
const challengesOf = (seen: ChallengeSeen): ReadonlyArray<string> => {
  const { refusal, sent, owed, metadataUrl, algs, bound, scope, acrValues, maxAge } = seen
  const { error, description } = refusal
  if (error === "temporarily_unavailable") return []
  const needed: Parameter = ["scope", scope.length === 0 ? undefined : scope.join(" ")]
  const place: Parameter = ["resource_metadata", metadataUrl]
  const proofs: Parameter = ["algs", algs]
  if (sent.tokens.length === 0 && !sent.unreadable)
    return [
      // Clients that support only one scheme look at the first challenge.
      ...(bound !== "dpop" ? [challenge("Bearer", [place, needed])] : []),
      ...(algs === undefined ? [] : [challenge("DPoP", [proofs, place, needed])]),
    ]
  // A resource that only accepts tokens bound to keys accepts no other scheme (RFC 9110 §11.6.1).
  const scheme = bound === "dpop" ? "DPoP" : (owed ?? sent.scheme)
  const step: ReadonlyArray<Parameter> =
    error === "insufficient_user_authentication"
      ? [
          ["acr_values", acrValues?.join(" ")],
          ["max_age", maxAge === undefined ? undefined : String(maxAge)],
        ]
      : []
  return [
    challenge(scheme, [
      ["error", error],
      ["error_description", description],
      ...step,
      ...(error === "insufficient_scope" ? [needed] : []),
      ...(scheme === "DPoP" ? [proofs] : []),
      place,
    ]),
  ]
}

/** Makes the response to a refused request, with additional header fields. */
export const refusedBy = (
  seen: ChallengeSeen,
  { rule, cites }: { readonly rule: string; readonly cites: string },
  more: AnswerHeaders,
): RefusedRequest => {
  const { error, description, reason } = seen.refusal
  const status = statusOf(seen.refusal)
  const challenges = challengesOf(seen)
  const isBare = seen.sent.tokens.length === 0 && !seen.sent.unreadable
  return {
    rule,
    cites,
    status,
    error,
    description,
    reason,
    challenges,
    answer: {
      status,
      headers: [
        ["content-type", "application/json"],
        ["cache-control", "no-store"],
        ...challenges.map((each) => ["www-authenticate", each] as const),
        ...(status === 503 ? [["retry-after", "5"] as const] : []),
        ...more,
      ],
      // A response to a request without a token contains no error (RFC 6750 §3.1).
      body: JSON.stringify(isBare ? {} : { error, error_description: description }),
    },
  }
}
