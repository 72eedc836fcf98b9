import type { Trail } from "@postern/core/model"
import type { TrailPort } from "@postern/core/ports"
import { type Answer, requestIdHeader } from "@postern/core/wire"
import type { Fields, JsonLog } from "./log.ts"

/** Settings of a trail log. */
export interface TrailLogOptions {
  readonly log: JsonLog
  /** Receives every trail as well. */
  readonly next?: TrailPort
}

/** Writes trails to a log: those of refused requests, and at level `debug` all. */
export interface TrailLog extends TrailPort {
  /** Tells how long the request of an answer took, in milliseconds; its line leaves with that. */
  readonly answered: (answer: Pick<Answer, "headers">, milliseconds: number) => void
}

/** How long a line waits to learn how long its request took, in milliseconds. */
const patience = 50

/** Lines that wait at most: under a flood of refusals they leave at once, without the time. */
const mostWaiting = 1_000

/** One line per refused request, with the rule that refused and the private reason. Holds what trails hold, so no secret. */
export const logTrails = ({ log, next }: TrailLogOptions): TrailLog => {
  const waiting = new Map<string, Fields>()
  let timer: NodeJS.Timeout | undefined
  const emit = (fields: Fields): void =>
    log.line(fields["fault"] === undefined ? (fields["rule"] === undefined ? "debug" : "info") : "error", "request", fields)
  const release = (): void => {
    timer = undefined
    for (const fields of waiting.values()) emit(fields)
    waiting.clear()
  }
  return {
    record: (trail, refused) => {
      next?.record(trail, refused)
      if (!refused && log.level !== "debug") return
      const { requestId, ...rest } = trail()
      const fields = fieldsOf({ requestId, ...rest })
      if (waiting.size >= mostWaiting) return emit(fields)
      waiting.set(requestId, fields)
      timer ??= setTimeout(release, patience).unref()
    },
    answered: ({ headers }, milliseconds) => {
      if (waiting.size === 0) return
      const requestId = headers.find(([name]) => name === requestIdHeader)?.[1] ?? ""
      const fields = waiting.get(requestId)
      if (fields === undefined) return
      waiting.delete(requestId)
      emit({ ...fields, duration_ms: Math.round(milliseconds * 10) / 10 })
    },
  }
}

const fieldsOf = ({ requestId, endpoint, status, outcome, clientId, subject, steps, fault }: Trail): Fields => {
  const refused = steps.findLast((step) => step.refused !== undefined)?.refused
  return {
    request_id: requestId,
    endpoint,
    status,
    outcome,
    client_id: clientId,
    subject,
    ...(refused === undefined ? {} : { rule: refused.rule, cites: refused.cites, error: refused.answer, reason: refused.reason }),
    fault,
  }
}
