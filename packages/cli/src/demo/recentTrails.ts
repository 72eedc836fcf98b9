import type { Trail } from "@postern/core/model"
import type { TrailPort } from "@postern/core/ports"

/** The latest trails, kept in memory for the playground. */
export interface RecentTrails {
  /** Wraps a port so that trails are recorded here too. */
  readonly around: (port: TrailPort) => TrailPort
  /** Returns the number of trails so far, for {@link RecentTrails.after}. */
  readonly mark: () => number
  /** Returns the trails of a client after a mark, oldest first. */
  readonly after: (mark: number, clientId: string) => ReadonlyArray<Trail>
  readonly of: (requestId: string) => Trail | undefined
}

/** Keeps up to `most` trails and drops the oldest. */
export const recentTrails = (most: number): RecentTrails => {
  const kept: Array<{ readonly number: number; readonly trail: Trail }> = []
  let count = 0
  return {
    around: (port) => ({
      record: (trail, refused) => {
        kept.push({ number: ++count, trail: trail() })
        if (kept.length > most) kept.shift()
        port.record(trail, refused)
      },
    }),
    mark: () => count,
    after: (mark, clientId) => kept.flatMap(({ number, trail }) => (number > mark && trail.clientId === clientId ? [trail] : [])),
    of: (requestId) => kept.find(({ trail }) => trail.requestId === requestId)?.trail,
  }
}
