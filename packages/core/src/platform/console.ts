import { type ReportPort, causeTold } from "../ports/index.ts"

/** Writes a failure to `console.error`: the stack of its cause, but without the properties that a library may have added. */
export const consoleReport: ReportPort = ({ port, operation, cause, requestId, endpoint }) =>
  console.error(
    `postern: ${port === undefined ? "a defect" : `${port}.${operation} failed`} (endpoint ${endpoint ?? "none"}, request ${requestId ?? "none"}): ${causeTold(cause)}`,
  )
