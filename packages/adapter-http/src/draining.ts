import type { Server as HttpServer } from "node:http"
import * as Effect from "effect/Effect"
import type { StopTimes } from "./limits.ts"
import { stopAccepting } from "./listener.ts"
import type { JsonLog } from "./log.ts"

/** The connections and requests of a server, and its draining state. */
export interface Load {
  draining: boolean
  readonly answering: number
  readonly connections: number
  /** The number of connections and requests since the start. */
  readonly accepted: number
  readonly begun: number
}

const turn: Effect.Effect<void> = Effect.callback((resume) => void setImmediate(() => resume(Effect.void)))

/** Accepts the connections and requests queued in the kernel, which closing would reset, until two event-loop turns bring no new ones. */
const takeQueued = Effect.fnUntraced(function* (taken: () => number, until: () => boolean) {
  let before: number
  do {
    before = taken()
    yield* turn
    yield* turn
  } while (taken() > before && !until())
})

/**
 * Drains the servers. Each answer now ends its connection, idle connections are closed after `quiet`, and all remaining ones at the `drain`
 * limit.
 */
export const drain = Effect.fnUntraced(function* (servers: ReadonlyArray<HttpServer>, load: Load, times: StopTimes, log: JsonLog) {
  load.draining = true
  if (times.accept > 0) yield* Effect.sleep(times.accept)
  let began = performance.now()
  const waited = (): number => performance.now() - began
  yield* takeQueued(
    () => load.accepted,
    () => waited() >= times.quiet,
  )
  began = performance.now()
  for (const each of servers) stopAccepting(each)
  log.line("info", "stopping", { connections: load.connections, answering: load.answering })
  while (load.connections > 0 && waited() < times.drain && (load.answering > 0 || waited() < times.quiet)) yield* Effect.sleep(10)
  // On a busy machine, requests may have arrived since this process last ran.
  yield* takeQueued(
    () => load.begun,
    () => waited() >= times.drain,
  )
  // A request may still be in progress after its caller has disconnected.
  while (load.answering > 0 && waited() < times.drain) yield* Effect.sleep(10)
  log.line(load.answering > 0 ? "warn" : "info", "stopped", { cut: load.answering, after_ms: Math.round(waited()) })
})
