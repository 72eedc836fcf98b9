import type { Trail } from "@postern/core/model"
import type { TrailPort } from "@postern/core/ports"
import { memberFaults, refuseFaults } from "@postern/core/options"
import { type Answer, requestIdHeader } from "@postern/core/wire"
import type { Fields, JsonLog, Level } from "./log.ts"
import { refusalFields, severityOf } from "./severity.ts"

/** Settings of a trail log. */
export interface TrailLogOptions {
  /** The log to write to. */
  readonly log: JsonLog
  /** Also receives every trail. */
  readonly next?: TrailPort
}

/** Writes trails to a log: those of refused requests, and all of them at level `debug`. */
export interface TrailLog extends TrailPort {
  /** Adds the duration of an answered request, in milliseconds, and writes its line. */
  readonly answered: (answer: Pick<Answer, "headers">, milliseconds: number) => void
}

/** The milliseconds for which a line waits for its request's duration. */
const patience = 50

/** The maximum number of waiting lines. During a flood of refusals, further lines are written at once without a duration. */
const mostWaiting = 1_000

/**
 * Writes one line per refused request, at its level of severity, with the rule and the private reason. Lines contain only data from trails,
 * so no secrets.
 */
export const logTrails = (options: TrailLogOptions): TrailLog => {
  refuseFaults("logTrails", memberFaults(options, { log: "object", next: "object?" }))
  const { log, next } = options
  const waiting = new Map<string, Line>()
  let timer: NodeJS.Timeout | undefined
  const emit = ({ level, fields }: Line): void => log.line(level, "request", fields)
  const release = (): void => {
    timer = undefined
    for (const line of waiting.values()) emit(line)
    waiting.clear()
  }
  return {
    record: (trail, refused) => {
      next?.record(trail, refused)
      if (!refused && log.level !== "debug") return
      const told = trail()
      const line = lineOf(told)
      if (waiting.size >= mostWaiting) return emit(line)
      waiting.set(told.requestId, line)
      timer ??= setTimeout(release, patience).unref()
    },
    answered: ({ headers }, milliseconds) => {
      if (waiting.size === 0) return
      const requestId = headers.find(([name]) => name === requestIdHeader)?.[1] ?? ""
      const line = waiting.get(requestId)
      if (line === undefined) return
      waiting.delete(requestId)
      emit({ level: line.level, fields: { ...line.fields, duration_ms: Math.round(milliseconds * 10) / 10 } })
    },
  }
}

interface Line {
  readonly level: Level
  readonly fields: Fields
}

const lineOf = (trail: Trail): Line => {
  const { requestId, endpoint, status, outcome, clientId, subject, steps, fault } = trail
  const refused = steps.findLast((step) => step.refused !== undefined)?.refused
  return {
    level: severityOf(trail, refused),
    fields: {
      request_id: requestId,
      endpoint,
      status,
      outcome,
      client_id: clientId,
      subject,
      ...(refused === undefined ? {} : refusalFields(trail, refused)),
      fault,
    },
  }
}
