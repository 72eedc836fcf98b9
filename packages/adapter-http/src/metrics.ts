import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { Provider } from "@postern/core"

/** Counts requests in Effect's own registry, alongside other metrics there. */
export interface Meter {
  /** Records one answered request. */
  readonly answered: (endpoint: string, status: number, milliseconds: number) => void
  /** Returns the whole registry in Prometheus' text format. */
  readonly text: () => Promise<string>
  /** Removes this server's gauges from the registry. */
  readonly close: () => void
}

/** Values that a meter reads on each scrape. */
export interface Gauges {
  readonly connections: () => number
  readonly inFlight: () => number
}

/** A value that is read when metrics are requested. */
export interface Reading {
  readonly name: string
  readonly description: string
  readonly attributes?: Readonly<Record<string, string>>
  /** True for a counter: a number since the start that never decreases. */
  readonly counts?: boolean
  readonly read: () => number
}

/** Upper bounds of the duration histogram, in seconds. */
const boundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Metrics of one endpoint: requests by status, and their durations. */
interface Series {
  readonly counters: Map<number, Metric.Counter<number>>
  readonly histogram: Metric.Histogram<number>
}

/** Creates a meter on a context's registry. */
export const meter = (
  context: Context.Context<never>,
  gauges: Gauges,
  readings: ReadonlyArray<Reading> = [],
  growing: () => ReadonlyArray<Reading> = () => [],
): Meter => {
  const series = new Map<string, Series>()
  const seriesOf = (endpoint: string): Series => {
    let known = series.get(endpoint)
    if (known === undefined) {
      known = {
        counters: new Map(),
        histogram: Metric.histogram("postern_http_request_duration_seconds", {
          description: "Time from the end of the headers to the answer",
          boundaries,
          attributes: { endpoint },
        }),
      }
      series.set(endpoint, known)
    }
    return known
  }
  const gauge = (name: string, description: string, read: () => number, attributes: Readonly<Record<string, string>> = {}) => {
    const metric = Metric.gauge(name, { description, attributes })
    return Metric.registerUnsafe(metric, context, { get: () => ({ value: read() }), update: () => undefined, modify: () => undefined })
  }
  const count = (name: string, description: string, read: () => number, attributes: Readonly<Record<string, string>> = {}) => {
    const metric = Metric.counter(name, { description, attributes, incremental: true })
    const get = () => ({ count: read(), incremental: true })
    return Metric.registerUnsafe(metric, context, { get, update: () => undefined, modify: () => undefined })
  }
  const taken = ({ name, description, read, attributes, counts }: Reading) =>
    (counts === true ? count : gauge)(name, description, read, attributes)
  const registered = [
    gauge("postern_http_connections", "Open connections", gauges.connections),
    gauge("postern_http_requests_in_flight", "Requests that are being answered", gauges.inFlight),
    gauge("process_resident_memory_bytes", "Resident memory", () => process.memoryUsage.rss()),
    gauge("process_start_time_seconds", "Start of the process, in seconds since 1970", () => Math.round(performance.timeOrigin / 1000)),
    ...readings.map(taken),
  ]
  /** Readings that were added after the start. Each object is registered once. */
  const grown = new Set<Reading>()
  return {
    answered: (endpoint, status, milliseconds) => {
      const { counters, histogram } = seriesOf(endpoint)
      let counter = counters.get(status)
      if (counter === undefined) {
        counter = Metric.counter("postern_http_requests_total", {
          description: "Requests answered",
          incremental: true,
          attributes: { endpoint, status: String(status) },
        })
        counters.set(status, counter)
      }
      counter.updateUnsafe(1, context)
      histogram.updateUnsafe(milliseconds / 1000, context)
    },
    // Loaded on first use, because the module imports a router.
    text: async () => {
      for (const reading of growing())
        if (!grown.has(reading)) {
          grown.add(reading)
          registered.push(taken(reading))
        }
      return (await import("effect/observability/PrometheusMetrics")).formatUnsafe(context)
    },
    close: () => {
      for (const registration of registered) registration.remove()
    },
  }
}

/**
 * Returns the label under which requests for a path are counted. Unknown paths count as `other`, so that callers cannot create new series.
 */
export const endpointLabel = (path: string, basePath: string, endpointAt: Provider["endpointAt"]): string => {
  const endpoint = endpointAt(path)
  if (endpoint !== undefined) return endpoint.countedAs
  return path.startsWith(`${basePath}/assets/`) ? "/assets" : "other"
}
