import type { Server as HttpServer } from "node:http"
import * as Effect from "effect/Effect"
import type { StopTimes } from "./limits.ts"
import { stopAccepting } from "./listener.ts"
import type { JsonLog } from "./log.ts"

/** Connections and requests of a server, and whether it stops. */
export interface Load {
  draining: boolean
  readonly answering: number
  readonly connections: number
  /** Connections since the start, and requests. */
  readonly accepted: number
  readonly begun: number
}

const turn: Effect.Effect<void> = Effect.callback((resume) => void setImmediate(() => resume(Effect.void)))

/** Accepts the connections and requests that wait in the kernel, which closing would reset, until two turns of the event loop bring no others. */
const takeQueued = Effect.fnUntraced(function* (taken: () => number, until: () => boolean) {
  let before: number
  do {
    before = taken()
    yield* turn
    yield* turn
  } while (taken() > before && !until())
})

/** Every answer now ends its connection; those without a request are closed after a while, all of them at the bound. */
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
  // On a machine with much to do, requests may have come since this process was last given time.
  yield* takeQueued(
    () => load.begun,
    () => waited() >= times.drain,
  )
  // A caller may be gone whose request is still worked on.
  while (load.answering > 0 && waited() < times.drain) yield* Effect.sleep(10)
  log.line(load.answering > 0 ? "warn" : "info", "stopped", { cut: load.answering, after_ms: Math.round(waited()) })
})
