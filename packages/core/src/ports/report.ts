/** A failure that cost a request its answer, or the provider a record: for the operator, never for the caller. */
export interface ReportedFault {
  /** The interface of the port that threw or rejected, without its ending: `TokenStore`; undefined for a defect of the provider itself. */
  readonly port?: string | undefined
  /** The operation that was called: `commit`; undefined for a defect. */
  readonly operation?: string | undefined
  /** The value that was thrown, as it was thrown. It is the port's own: the provider puts no secret into it. */
  readonly cause: unknown
  /** True if nobody knows if a commit was carried out. */
  readonly uncertain: boolean
  /** The id on the answer (`x-request-id`); undefined where the failure left none. */
  readonly requestId?: string | undefined
  /** The endpoint by its name in trails: `token`; undefined where the request met none. */
  readonly endpoint?: string | undefined
}

/** Receives each failure once. Must not block; its own failures are dropped. */
export type ReportPort = (fault: ReportedFault) => void
