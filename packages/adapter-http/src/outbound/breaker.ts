import { OutwardRefused } from "@postern/core/ports"

/** Deadlines of calls to others. */
export interface BreakerOptions {
  /** Failures in a row after which a host is left alone; 3 when not given. */
  readonly failures?: number
  /** Milliseconds for which it is left alone at first; 5,000 when not given. Each time that follows is twice as long, up to a minute. */
  readonly pause?: number
  /** Told when a host is left alone, and when it answers again. */
  readonly changed?: (host: string, isOpen: boolean) => void
  /** Milliseconds, of any beginning; `performance.now` when not given. */
  readonly clock?: () => number
}

/** Calls to hosts, of which those that fail time after time are left alone for a while. */
export interface Breaker {
  /**
   * Calls a host. Rejects with {@link OutwardRefused}, without a call, while the host is skipped; after that a single call tries whether it
   * answers again. `hasFailed` tells by a result that it does not; a rejection always does.
   */
  readonly call: <A>(host: string, ask: () => Promise<A>, hasFailed?: (result: A) => boolean) => Promise<A>
  /** Hosts that are left alone now, and calls that were not made for it. */
  readonly load: () => { readonly open: number; readonly refused: number }
}

interface Circuit {
  failures: number
  /** Number of times in a row that it was left alone. */
  pauses: number
  /** Until when it is left alone; undefined while it is called as usual. */
  until: number | undefined
  isTried: boolean
}

/** Hosts that are remembered; the one that failed longest ago makes way. */
const mostHosts = 1_000

const longestPause = 60_000

/** A breaker that has met no host yet. */
export const breaker = ({ failures = 3, pause = 5_000, changed, clock = () => performance.now() }: BreakerOptions = {}): Breaker => {
  const circuits = new Map<string, Circuit>()
  let refused = 0

  const succeeded = (host: string): void => {
    const circuit = circuits.get(host)
    circuits.delete(host)
    if (circuit?.until !== undefined) changed?.(host, false)
  }
  const failed = (host: string): void => {
    const circuit = circuits.get(host) ?? { failures: 0, pauses: 0, until: undefined, isTried: false }
    circuits.delete(host)
    circuits.set(host, circuit)
    for (const oldest of circuits.keys()) {
      if (circuits.size <= mostHosts) break
      circuits.delete(oldest)
    }
    circuit.failures++
    // Those that were on their way when it was left alone fail too, and prove nothing new.
    if (circuit.until === undefined ? circuit.failures < failures : !circuit.isTried) return
    if (circuit.until === undefined) changed?.(host, true)
    circuit.until = clock() + Math.min(pause * 2 ** circuit.pauses, longestPause)
    circuit.pauses++
    circuit.isTried = false
  }
  const refuseOpen = (host: string): void => {
    const circuit = circuits.get(host)
    if (circuit?.until === undefined) return
    const left = circuit.until - clock()
    if (left <= 0 && !circuit.isTried) {
      circuit.isTried = true
      return
    }
    refused++
    throw new OutwardRefused(`${host} failed ${circuit.failures} times in a row`, Math.max(1, Math.ceil(left / 1_000)))
  }

  return {
    call: async (host, ask, hasFailed = () => false) => {
      refuseOpen(host)
      try {
        const result = await ask()
        if (hasFailed(result)) failed(host)
        else succeeded(host)
        return result
      } catch (error) {
        failed(host)
        throw error
      }
    },
    load: () => ({ open: [...circuits.values()].filter(({ until }) => until !== undefined).length, refused }),
  }
}
