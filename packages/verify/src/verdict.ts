import type { TrailStep } from "@postern/core/model"
import { partFaults, refuseFaults } from "@postern/core/options"
import type { Answer } from "@postern/core/wire"
import type { AccessToken } from "./token.ts"

/** The rules that were applied to a request, in order. Contains no token and no secret. */
export interface VerdictTrail {
  /** The tables, in the order in which they were applied. */
  readonly steps: ReadonlyArray<TrailStep>
  /** Computed values by name, such as those that a proof was compared with, or the digest of the certificate. */
  readonly facts: Readonly<Record<string, string>>
}

/** Header fields of a response. */
export type AnswerHeaders = Answer["headers"]

/** A request whose token is valid and sufficient. */
export interface Accepted {
  /** The verified token. */
  readonly ok: AccessToken
  /** Undefined. Distinguishes an accepted request from a refused one. */
  readonly refused?: undefined
  /** The header fields that the response must contain, such as a fresh `DPoP-Nonce` if nonces are required (RFC 9449 §8.2). */
  readonly headers: AnswerHeaders
  /** The rules that were applied. */
  readonly trail: VerdictTrail
}

/** The reason for a refusal, with the response. */
export interface RefusedRequest {
  /** The id of the rule that refused the request. */
  readonly rule: string
  /** The paragraph of the specification that the rule implements. */
  readonly cites: string
  /** The status of the response: 400, 401, 403 or 503. */
  readonly status: number
  /** The error code (RFC 6750 §3.1, RFC 9449 §7.1, RFC 9470 §3). */
  readonly error: string
  /** The reason that the client may learn, in ASCII without `"` and `\`. */
  readonly description: string
  /** The reason for the operator only. Contains no secret. */
  readonly reason: string
  /** The values of `WWW-Authenticate`, each in its own field. */
  readonly challenges: ReadonlyArray<string>
  /** The response, including the challenges. */
  readonly answer: Answer
}

/** A refused request. */
export interface Refused {
  /** Undefined. Distinguishes a refused request from an accepted one. */
  readonly ok?: undefined
  /** The reason and the response. */
  readonly refused: RefusedRequest
  /** The header fields of the response. */
  readonly headers: AnswerHeaders
  /** The rules that were applied. */
  readonly trail: VerdictTrail
}

/** The verdict on a request. */
export type Verdict = Accepted | Refused

/** Formats a verdict for an operator, with one line per rule. */
export const explain = (verdict: Verdict): string => {
  refuseFaults("@postern/verify", partFaults("verdict", verdict, { trail: "object", headers: "list" }, "Verdict"))
  const {
    ok,
    refused,
    trail: { steps, facts },
  } = verdict
  return [
    refused === undefined ? `accepted  client ${ok?.clientId ?? "not stated"}` : `refused  ${refused.status} ${refused.error}`,
    ...Object.entries(facts).map(([name, value]) => `  ${name}  ${value}`),
    ...steps.flatMap(({ table, passed, refused: stopped }) => [
      `  ${table}`,
      ...passed.map((rule) => `    ✓ ${rule}`),
      ...(stopped === undefined ? [] : [`    ✗ ${stopped.rule}  ${stopped.cites}`, `      ${stopped.reason}`]),
    ]),
  ].join("\n")
}
