import type { ReportPort } from "../ports/index.ts"

/** Writes a failure to `console.error`: the stack of its cause, and not the properties that a library may have hung on it. */
export const consoleReport: ReportPort = ({ port, operation, cause, requestId, endpoint }) =>
  console.error(
    `postern: ${port === undefined ? "a defect" : `${port}.${operation} failed`} (endpoint ${endpoint ?? "none"}, request ${requestId ?? "none"}): ${told(cause)}`,
  )

/** Causes that are told at most, each behind the one before it. */
const deepest = 5

const told = (cause: unknown, depth = 1): string => {
  if (!(cause instanceof Error)) return typeof cause === "object" && cause !== null ? "an object that is no Error" : String(cause)
  const own = cause.stack ?? `${cause.name}: ${cause.message}`
  return cause.cause === undefined || depth === deepest ? own : `${own}\ncaused by ${told(cause.cause, depth + 1)}`
}
