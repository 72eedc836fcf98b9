import { describe, expect, it, onTestFinished, vi } from "vitest"
import { defaultLimits, lastingMetrics, readingsText, shareOfLimits, sumMetrics } from "@postern/adapter-http"
import { checkedWorkers } from "../../packages/cli/src/doctor/workers.ts"
import { waitersOf } from "../../packages/adapter-http/src/waiters.ts"
import { outboxReadings, queueReadings } from "../../packages/cli/src/serve/readings.ts"
import { keepTickets } from "../../packages/cli/src/workers/tickets.ts"
import { type Answers, linkOf, type Port } from "../../packages/cli/src/workers/link.ts"
import { Failed, failed } from "../../packages/cli/src/failure.ts"
import { workersOf } from "../../packages/cli/src/workerCount.ts"

const one = `# HELP requests Requests
# TYPE requests counter
requests{endpoint="/token",status="200"} 3
requests{endpoint="/token",status="400"} 1

# HELP seconds Time
# TYPE seconds histogram
seconds_bucket{endpoint="/token",le="0.001"} 1
seconds_bucket{endpoint="/token",le="+Inf"} 4
seconds_sum{endpoint="/token"} 0.5
seconds_count{endpoint="/token"} 4

# HELP connections Open connections
# TYPE connections gauge
connections 7

# HELP process_start_time_seconds Start
# TYPE process_start_time_seconds gauge
process_start_time_seconds 2000
`
const other = one.replace('200"} 3', '200"} 5').replace("seconds 2000", "seconds 1990").replace('status="400"', 'status="429"')

describe("metrics of several processes", () => {
  it("counters, histograms and gauges add up, under one comment each; the oldest process tells the start", () => {
    const sum = sumMetrics([one, other])
    expect(sum.split("\n").filter((line) => line !== "")).toEqual([
      "# HELP requests Requests",
      "# TYPE requests counter",
      'requests{endpoint="/token",status="200"} 8',
      'requests{endpoint="/token",status="400"} 1',
      'requests{endpoint="/token",status="429"} 1',
      "# HELP seconds Time",
      "# TYPE seconds histogram",
      'seconds_bucket{endpoint="/token",le="0.001"} 2',
      'seconds_bucket{endpoint="/token",le="+Inf"} 8',
      'seconds_sum{endpoint="/token"} 1',
      'seconds_count{endpoint="/token"} 8',
      "# HELP connections Open connections",
      "# TYPE connections gauge",
      "connections 14",
      "# HELP process_start_time_seconds Start",
      "# TYPE process_start_time_seconds gauge",
      "process_start_time_seconds 1990",
    ])
    expect(sumMetrics([sum])).toBe(sum)
  })

  it("of a process that ended what it counted goes on, and its state does not", () => {
    const lasting = lastingMetrics(one)
    expect(lasting).toContain('requests{endpoint="/token",status="200"} 3')
    expect(lasting).toContain('seconds_count{endpoint="/token"} 4')
    expect(lasting).not.toMatch(/^connections|^process_start/m)
  })

  it("readings of a process without a meter are of the same format", () => {
    const text = readingsText([{ name: "waiting", description: "Who wait", attributes: { kind: "a" }, read: () => 2 }])
    expect(sumMetrics([text, text])).toContain('# TYPE waiting gauge\nwaiting{kind="a"} 4')
  })

  it("what was refused is counted, and goes on when a process ends", () => {
    const circuits = { load: () => ({ open: 1, refused: 2 }) }
    const stores = { hashLoad: () => ({ running: 1, waiting: 1, refused: 3 }) }
    const deliveries = () => ({ due: 1, running: 1, delivered: 4, failed: 5, dead: 6 })
    const text = readingsText([...queueReadings(stores, [circuits]), ...waitersOf().readings, ...outboxReadings(deliveries)])
    expect([...lastingMetrics(text).matchAll(/^# TYPE (\S+) counter$/gm)].map(([, name]) => name)).toEqual([
      "postern_hash_refused",
      "postern_outbound_circuit_refused",
      "postern_outbound_refused",
      "postern_outbox_delivered",
      "postern_outbox_failed",
      "postern_outbox_dead",
    ])
    expect(lastingMetrics(text)).toContain('postern_hash_refused{kind="sign_in"} 3')
    expect(lastingMetrics(text)).not.toMatch(/_(?:running|waiting|open)/)
  })
})

it("the main process keeps no secret of session tickets of an earlier period, though no worker asks for one (RFC 5077 §5.5)", () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const tickets = keepTickets()
  onTestFinished(tickets.stop)
  const first = tickets.kept()
  vi.advanceTimersByTime(12 * 3_600_000 + 60_000)
  expect(tickets.kept().period).toBe(first.period + 1)
  expect(tickets.kept()).toEqual(tickets.current())
  expect(tickets.kept().secret).not.toBe(first.secret)
})

describe("the number of workers", () => {
  it("0 is one for each core, at most eight; any other number is that many", () => {
    expect([workersOf(0, 1), workersOf(0, 4), workersOf(0, 32), workersOf(1, 4), workersOf(12, 4)]).toEqual([1, 4, 8, 1, 12])
  })

  it("doctor warns of more workers than cores, and says nothing of one process", () => {
    const states = [1, 2, 3, 0].map((workers) => checkedWorkers({ workers }, 2).map(({ state }) => state))
    expect(states).toEqual([[], ["ok"], ["warning"], ["ok"]])
  })

  it("all workers together have the limits of one server, and no caller's own bound is divided", () => {
    const share = shareOfLimits(defaultLimits, 4)
    const counted = ["inFlight", "connections", "bodies", "pipelined"] as const
    expect(counted.map((each) => share[each] * 4)).toEqual(counted.map((each) => defaultLimits[each]))
    expect([share.body, share.headersTime]).toEqual([defaultLimits.body, defaultLimits.headersTime])
  })
})

describe("the link between processes", () => {
  type Sums = { readonly add: { readonly given: ReadonlyArray<number>; readonly made: number } }
  const pair = (answers: Answers<Sums>) => {
    const listeners: Array<(message: unknown) => void> = []
    const port = (mine: number): Port => ({
      send: (message) => void setImmediate(() => listeners[1 - mine]?.(structuredClone(message))),
      receive: (listener) => void (listeners[mine] = listener),
    })
    const asking = linkOf<Sums, {}>(port(0), {})
    linkOf<{}, Sums>(port(1), answers)
    return asking
  }

  it("answers come to whoever asked; a failure comes with its hint and its details", async () => {
    const link = pair({
      add: async (given) => {
        if (given.length === 0) throw failed("nothing to add", "give some", ["line 1"])
        return given.reduce((sum, each) => sum + each, 0)
      },
    })
    expect(await Promise.all([link.call("add", [1, 2]), link.call("add", [3])])).toEqual([3, 3])
    const fault: unknown = await link.call("add", []).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(Failed)
    expect(fault).toMatchObject({ message: "nothing to add", hint: "give some", details: ["line 1"] })
  })

  it("when the other side is gone everything that was asked fails, and what comes later too", async () => {
    const link = pair({ add: () => new Promise(() => undefined) })
    const pending = link.call("add", [1])
    link.lose("a worker ended")
    await expect(pending).rejects.toThrow("a worker ended")
    await expect(link.call("add", [2])).rejects.toThrow("a worker ended")
  })
})
