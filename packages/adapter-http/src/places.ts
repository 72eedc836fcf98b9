import type { JsonLog } from "./log.ts"

/** The minimum interval between two log lines about exhausted slots, in milliseconds. */
const saidEvery = 5_000

/** Logs that a resource is exhausted, at a limited rate and with the number of refusals since the last line. */
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
 * Limits the number of concurrent requests. Each call takes a slot and returns its release function; undefined if all are taken. Requests
 * that wait `elsewhere`, for another party's answer or a slow hash, are not counted: they have limits of their own, and must not block
 * requests that need neither.
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
