import type { TrailStep } from "@postern/core/model"
import type { Answer } from "@postern/core/wire"
import type { AccessToken } from "./token.ts"

/** The reason why a request was judged as it was: the rules it met, in order. Holds no token and no secret. */
export interface VerdictTrail {
  /** The tables, in the order they were judged. */
  readonly steps: ReadonlyArray<TrailStep>
  /** Facts that were computed, by name: what a proof was compared with, the certificate that was shown. */
  readonly facts: Readonly<Record<string, string>>
}

/** Header fields, for the answer to a request. */
export type AnswerHeaders = Answer["headers"]

/** A request whose token is good for what it asks. */
export interface Accepted {
  /** The token. */
  readonly ok: AccessToken
  /** Undefined: tells an accepted request from one that is refused. */
  readonly refused?: undefined
  /** Header fields that the answer must carry: a fresh `DPoP-Nonce`, where nonces are demanded (RFC 9449 §8.2). */
  readonly headers: AnswerHeaders
  /** The rules that it met. */
  readonly trail: VerdictTrail
}

/** The reason of a refusal, and its answer. */
export interface RefusedRequest {
  /** The id of the rule. */
  readonly rule: string
  /** The paragraph that the rule comes from. */
  readonly cites: string
  /** The status of the answer: 400, 401, 403 or 503. */
  readonly status: number
  /** The error code (RFC 6750 §3.1, RFC 9449 §7.1, RFC 9470 §3). */
  readonly error: string
  /** The reason that the client may know: ASCII without `"` and `\`. */
  readonly description: string
  /** The reason for the operator alone. Holds no secret. */
  readonly reason: string
  /** The values of `WWW-Authenticate`, each a field of its own. */
  readonly challenges: ReadonlyArray<string>
  /** The answer, with its challenges. */
  readonly answer: Answer
}

/** A request that is refused. */
export interface Refused {
  /** Undefined: tells a refused request from one that is accepted. */
  readonly ok?: undefined
  /** The reason, and the answer. */
  readonly refused: RefusedRequest
  /** The same header fields as those of the answer. */
  readonly headers: AnswerHeaders
  /** The rules that it met. */
  readonly trail: VerdictTrail
}

/** The verdict on a request. */
export type Verdict = Accepted | Refused

/** Spells out a verdict for an operator, a line for each rule. */
export const explain = ({ ok, refused, trail: { steps, facts } }: Verdict): string =>
  [
    refused === undefined ? `accepted  client ${ok?.clientId ?? "not stated"}` : `refused  ${refused.status} ${refused.error}`,
    ...Object.entries(facts).map(([name, value]) => `  ${name}  ${value}`),
    ...steps.flatMap(({ table, passed, refused: stopped }) => [
      `  ${table}`,
      ...passed.map((rule) => `    ✓ ${rule}`),
      ...(stopped === undefined ? [] : [`    ✗ ${stopped.rule}  ${stopped.cites}`, `      ${stopped.reason}`]),
    ]),
  ].join("\n")
