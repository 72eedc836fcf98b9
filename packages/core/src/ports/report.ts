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

/** Causes that are told at most, each behind the one before it. */
const deepest = 5

/** Tells what was thrown: its stack, with those of the causes behind it, and not the properties that a library may have hung on it. */
export const causeTold = (cause: unknown, depth = 1): string => {
  if (!(cause instanceof Error)) return typeof cause === "object" && cause !== null ? "an object that is no Error" : String(cause)
  const own = cause.stack ?? `${cause.name}: ${cause.message}`
  return cause.cause === undefined || depth === deepest ? own : `${own}\ncaused by ${causeTold(cause.cause, depth + 1)}`
}
