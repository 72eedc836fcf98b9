import { OutwardRefused } from "@postern/core/ports"
import { type MemberKinds, memberFaults, refuseFaults } from "@postern/core/options"

/** Settings of a circuit breaker for outbound calls. */
export interface BreakerOptions {
  /** The number of consecutive failures after which a host's circuit opens. Default: 3. */
  readonly failures?: number
  /** Milliseconds for which the circuit first stays open. Default: 5,000. Each subsequent pause is twice as long, up to a minute. */
  readonly pause?: number
  /** Called when a host's circuit opens or closes. */
  readonly changed?: (host: string, isOpen: boolean) => void
  /** A clock in milliseconds, with any origin. Default: `performance.now`. */
  readonly clock?: () => number
}

const kinds: MemberKinds<BreakerOptions> = { failures: "number?", pause: "number?", changed: "function?", clock: "function?" }

/** Calls hosts, and pauses calls to those that fail repeatedly. */
export interface Breaker {
  /**
   * Calls a host. Rejects with {@link OutwardRefused}, without a call, while the host's circuit is open; after that a single call tests
   * whether the host answers again. `hasFailed` reports a failure by the result; a rejection always counts as one.
   */
  readonly call: <A>(host: string, ask: () => Promise<A>, hasFailed?: (result: A) => boolean) => Promise<A>
  /** The number of hosts whose circuit is open, and of calls that were refused. */
  readonly load: () => { readonly open: number; readonly refused: number }
}

interface Circuit {
  failures: number
  /** The number of consecutive pauses. */
  pauses: number
  /** The end of the current pause; undefined while the circuit is closed. */
  until: number | undefined
  isTried: boolean
}

/** The maximum number of hosts that are tracked; the one whose last failure is oldest is evicted. */
const mostHosts = 1_000

const longestPause = 60_000

/** Creates a breaker with all circuits closed. */
export const breaker = (options: BreakerOptions = {}): Breaker => {
  refuseFaults("breaker", memberFaults(options, kinds))
  const { failures = 3, pause = 5_000, changed, clock = () => performance.now() } = options
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
    // Calls that were in flight when the circuit opened fail too, and provide no new information.
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
