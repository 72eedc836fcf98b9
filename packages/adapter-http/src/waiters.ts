import type { OutwardLoad } from "@postern/core/ports"
import type { Reading } from "./metrics.ts"

/** Counts requests that wait for other parties, at the current provider and at those it has replaced. */
export interface Waiters {
  /** Adds a provider; without `outward` its count is zero. */
  readonly add: (outward: (() => OutwardLoad) | undefined) => void
  readonly load: () => OutwardLoad
  readonly readings: ReadonlyArray<Reading>
}

/** Creates an empty set of waiters. */
export const waitersOf = (): Waiters => {
  let all: ReadonlyArray<() => OutwardLoad> = []
  let refusedBefore = 0
  const load = (): OutwardLoad => {
    let waiting = 0
    let refused = refusedBefore
    for (const outward of all) {
      const each = outward()
      waiting += each.waiting
      refused += each.refused
    }
    return { waiting, refused }
  }
  return {
    add: (outward) => {
      // A replaced provider is kept while any request still waits there.
      const idle = all.filter((each) => each().waiting === 0)
      refusedBefore += idle.reduce((sum, each) => sum + each().refused, 0)
      all = [...all.filter((each) => !idle.includes(each)), ...(outward === undefined ? [] : [outward])]
    },
    load,
    readings: [
      {
        name: "postern_outbound_waiting",
        description: "Requests that wait for other providers or clients' documents",
        read: () => load().waiting,
      },
      {
        name: "postern_outbound_refused",
        description: "Requests refused since too many waited so, since the start",
        counts: true,
        read: () => load().refused,
      },
    ],
  }
}
