import type { JsonLog } from "./log.ts"

/** Milliseconds between two log lines about exhausted places. */
const saidEvery = 5_000

/** Says that something ran out, once in a while, and how often since. */
export const saidSeldom = (log: Pick<JsonLog, "line">): ((fields: Readonly<Record<string, number>>) => void) => {
  let refused = 0
  let saidAt = Number.NEGATIVE_INFINITY
  return (fields) => {
    refused++
    if (performance.now() - saidAt < saidEvery) return
    log.line("warn", "overloaded", { ...fields, refused })
    saidAt = performance.now()
    refused = 0
  }
}

/**
 * So many places for requests. Each call takes one and returns its release; undefined when all are taken. Requests that wait `elsewhere`, for
 * somebody else's answer or a slow hash, take none: they are bounded by themselves, and must not stop what waits for neither.
 */
export const places = (most: number, log: Pick<JsonLog, "line">, elsewhere: () => number = () => 0): (() => (() => void) | undefined) => {
  let taken = 0
  const full = saidSeldom(log)
  const leave = (): void => void taken--
  return () => {
    if (taken < most || taken - elsewhere() < most) {
      taken++
      return leave
    }
    full({ in_flight: taken })
    return undefined
  }
}
