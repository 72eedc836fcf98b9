import type { Instant } from "./time.ts"

/** One rule table as a request met it. */
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
  /** The paragraph it comes from. */
  readonly cites: string
  /** The error code, or what was asked of the person: `login`, `consent`. */
  readonly answer: string
  /** The private reason. */
  readonly reason: string
}

/** The reason a request was answered as it was: the rules it met, in order. Holds no secret. */
export interface Trail {
  /** The id on the answer (`x-request-id`). */
  readonly requestId: string
  /** The name of the issuer, where one process has several. */
  readonly issuer?: string | undefined
  /** The time of the request. */
  readonly at: Instant
  /** The endpoint by its name; `none` where the request met none. */
  readonly endpoint: string
  /** The client, once it was known. */
  readonly clientId?: string | undefined
  /** The profile that the client is held to, where it is not the default one. */
  readonly profile?: string | undefined
  /** The person, once they were known. */
  readonly subject?: string | undefined
  /** Facts that features computed of it, by name: what a proof was compared with. Undefined where there are none. */
  readonly facts?: Readonly<Record<string, string>> | undefined
  /** The tables, in the order they were judged. */
  readonly steps: ReadonlyArray<TrailStep>
  /** The outcome: the decision's name, `PortFailed`, `Conflict` or `Defect`. */
  readonly outcome: string
  /** The HTTP status of the answer. */
  readonly status: number
  /** The failure outside the rules, in the operator's words. */
  readonly fault?: string | undefined
}
