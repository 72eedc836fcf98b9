import type { Instant } from "./time.ts"

/** One rule table as a request met it. */
export interface TrailStep {
  readonly table: string
  /** Ids of the rules that passed, in order. */
  readonly passed: ReadonlyArray<string>
  readonly refused?: TrailRefusal | undefined
}

/** The rule that stopped a request. */
export interface TrailRefusal {
  readonly rule: string
  readonly cites: string
  /** The error code, or what was asked of the person: `login`, `consent`. */
  readonly answer: string
  /** The private reason. */
  readonly reason: string
}

/** Why a request was answered as it was: the rules it met, in order. Holds no secret. */
export interface Trail {
  readonly requestId: string
  readonly at: Instant
  readonly endpoint: string
  readonly clientId?: string | undefined
  readonly subject?: string | undefined
  readonly steps: ReadonlyArray<TrailStep>
  /** What came of it: the decision's name, `PortFailed`, `Conflict` or `Defect`. */
  readonly outcome: string
  readonly status: number
  /** What failed outside the rules, in the operator's words. */
  readonly fault?: string | undefined
}
