import type { Shown } from "../exchange/redact.ts"
import type { Requirement } from "../requirement/requirement.ts"

/** The outcome of a requirement. */
export type Verdict = "pass" | "fail" | "warn" | "skip" | "not applicable" | "inconclusive"

/** A requirement's verdict, with its reason and evidence. */
export interface Result {
  readonly requirement: Pick<Requirement, "id" | "paragraph" | "level" | "title">
  readonly verdict: Verdict
  /** The fault that was found, or the reason why the requirement was not tried; undefined if it is met. */
  readonly reason: string | undefined
  /** The last requests and responses, redacted; empty if the requirement is met. */
  readonly exchanges: ReadonlyArray<Shown>
  /** The rules of our own provider that led to the last response. */
  readonly trail: string | undefined
  /** Duration in milliseconds. */
  readonly duration: number
}

/** The result of a whole run. */
export interface Report {
  /** The target's name. */
  readonly target: string
  /** The name of the set of requirements. */
  readonly set: string
  /** The start time in RFC 3339 format. */
  readonly startedAt: string
  /** Duration in milliseconds. */
  readonly duration: number
  readonly results: ReadonlyArray<Result>
}

/** Counts the results by verdict. */
export const counted = ({ results }: Pick<Report, "results">): Readonly<Record<Verdict, number>> => {
  const counts: Record<Verdict, number> = { pass: 0, fail: 0, warn: 0, skip: 0, "not applicable": 0, inconclusive: 0 }
  for (const { verdict } of results) counts[verdict] += 1
  return counts
}
