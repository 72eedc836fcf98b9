import type { Instant } from "./time.ts"

/** The result of one rule table for a request. */
export interface TrailStep {
  /** The name of the table. */
  readonly table: string
  /** Ids of the rules that passed, in order. */
  readonly passed: ReadonlyArray<string>
  /** The rule that refused; undefined when all passed. */
  readonly refused?: TrailRefusal | undefined
}

/** The rule that stopped a request. */
export interface TrailRefusal {
  /** The id of the rule. */
  readonly rule: string
  /** The paragraph that it enforces. */
  readonly cites: string
  /** The error code, or the required step of the person: `login`, `consent`. */
  readonly answer: string
  /** The private reason. */
  readonly reason: string
}

/** The explanation of a response: the rules that were applied, in order. It contains no secret. */
export interface Trail {
  /** The id of the response (`x-request-id`). */
  readonly requestId: string
  /** The name of the issuer, if the process has several. */
  readonly issuer?: string | undefined
  /** The time of the request. */
  readonly at: Instant
  /** The name of the endpoint; `none` if the request matched none. */
  readonly endpoint: string
  /** The client, if it was identified. */
  readonly clientId?: string | undefined
  /** The profile that applies to the client, if it is not the default. */
  readonly profile?: string | undefined
  /** The person, if they were identified. */
  readonly subject?: string | undefined
  /**
   * Facts about the request that features computed, by name, such as the value that a proof was compared with; undefined if there are none.
   */
  readonly facts?: Readonly<Record<string, string>> | undefined
  /** The tables, in the order of evaluation. */
  readonly steps: ReadonlyArray<TrailStep>
  /** The outcome: the decision's name, `PortFailed`, `Conflict` or `Defect`. */
  readonly outcome: string
  /** The HTTP status of the answer. */
  readonly status: number
  /** The failure outside the rules, described for the operator. */
  readonly fault?: string | undefined
}
