import { readable } from "../model/index.ts"

/** A failure because of which a request was not answered normally or a record was lost. It is for the operator, never for the caller. */
export interface ReportedFault {
  /**
   * The interface of the port that threw or rejected, without the ending `Port`: `TokenStore`. Undefined for a bug in the provider itself.
   */
  readonly port?: string | undefined
  /** The operation that was called: `commit`. Undefined for a bug in the provider. */
  readonly operation?: string | undefined
  /** The thrown value, unchanged. It comes from the port: the provider puts no secret into it. */
  readonly cause: unknown
  /** True if it is unknown whether a commit was carried out. */
  readonly uncertain: boolean
  /** The id of the response (`x-request-id`); undefined if the failure did not affect a response. */
  readonly requestId?: string | undefined
  /** The name of the endpoint in trails: `token`. Undefined if the request matched none. */
  readonly endpoint?: string | undefined
}

/** Receives each failure once. It must not block; its own failures are dropped. */
export type ReportPort = (fault: ReportedFault) => void

/** The maximum number of nested causes that are printed. */
const deepest = 5

/** Formats a thrown value: its stack with those of its causes, but without the properties that a library may have added. */
export const causeTold = (thrown: unknown, depth = 1): string => {
  const cause = readable(thrown)
  if (!(cause instanceof Error)) return typeof cause === "object" && cause !== null ? "an object that is no Error" : String(cause)
  const own = cause.stack ?? `${cause.name}: ${cause.message}`
  return cause.cause === undefined || depth === deepest ? own : `${own}\ncaused by ${causeTold(cause.cause, depth + 1)}`
}
