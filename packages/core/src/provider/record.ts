import * as Cause from "effect/Cause"
import { type Decision, type Profile, type Trail, readable } from "../model/index.ts"
import { PortFailed, type Ports, type ReportedFault, isUncertain } from "../ports/index.ts"
import { defaultProfile } from "../profiles/index.ts"
import { spell } from "../rules/rule.ts"
import type { Inquiry } from "../settle/request.ts"
import { Contended } from "../settle/settle.ts"
import type { Auditing } from "./audit.ts"
import type { Endpoint } from "../settle/endpoint.ts"

/** Records the audit events. No request waits for that, and a failure affects none. */
export const audit = ({ isAudited, auditOf }: Auditing, decision: Decision, endpoint: string, inquiry: Inquiry): void => {
  if (!isAudited(decision)) return
  record("Audit", inquiry, endpoint, () => inquiry.ports.audit.record(() => auditOf(decision, endpoint, inquiry)))
}

/** Calls a recording port. Its failure is reported and does not affect the answer. */
const record = (port: string, { ports, requestId }: Inquiry, endpoint: string | undefined, tell: () => unknown): void =>
  unhindered(tell, (cause) => {
    const fault: ReportedFault = { port, operation: "record", cause, uncertain: false, requestId, endpoint }
    unhindered(() => ports.report(fault), ignored)
  })

/** Reports a failure, unless the caller disconnected. */
export const report = (ports: Ports, cause: Cause.Cause<unknown>, inquiry: Inquiry | undefined, endpoint: Endpoint | undefined): void => {
  if (Cause.hasInterruptsOnly(cause)) return
  unhindered(
    () => ports.report({ ...thrown(readable(Cause.squash(cause))), requestId: inquiry?.requestId, endpoint: endpoint?.name }),
    ignored,
  )
}

/** Reports a request that could not be read, so that no endpoint was called. */
export const reportUnread = (tell: Ports["report"], cause: unknown): void => unhindered(() => tell({ cause, uncertain: false }), ignored)

const thrown = (cause: unknown): Pick<ReportedFault, "port" | "operation" | "cause" | "uncertain"> => {
  if (cause instanceof PortFailed)
    return { port: cause.port, operation: cause.operation, cause: cause.cause, uncertain: isUncertain(cause) }
  if (cause instanceof Contended) return { port: "TokenStore", operation: "commit", cause, uncertain: false }
  return { port: undefined, operation: undefined, cause, uncertain: false }
}

const ignored = (): void => undefined

/** A port written with `async` returns a promise, whose rejection must be handled here. */
const unhindered = (tell: () => unknown, failed: (cause: unknown) => void): void => {
  try {
    const told = tell()
    if (told instanceof Promise) told.catch(failed)
  } catch (cause) {
    failed(cause)
  }
}

/** Returns the profile of a client for the trail, unless it is the default one. */
const profileTold = (profile: Profile | undefined): Pick<Trail, "profile"> =>
  profile === undefined || profile.name === defaultProfile.name ? {} : { profile: profile.name }

/** Records the trail of a request, and returns the function that builds it. */
export const leave = (
  inquiry: Inquiry,
  endpoint: Endpoint | undefined,
  outcome: string,
  fault: string | undefined,
  status: number,
): (() => Trail) => {
  const { ports, requestId, now, about, trace } = inquiry
  const { steps } = trace
  const trail = (): Trail => ({
    requestId,
    at: now,
    endpoint: endpoint?.name ?? "none",
    clientId: about.clientId,
    ...profileTold(about.profile),
    subject: about.subject,
    ...(about.facts === undefined ? {} : { facts: about.facts }),
    steps: steps.map((step) => spell(trace, step)),
    outcome,
    status,
    fault,
  })
  const refused = fault !== undefined || steps.some(({ objection }) => objection !== undefined)
  record("Trail", inquiry, endpoint?.name, () => ports.trails.record(trail, refused))
  return trail
}
