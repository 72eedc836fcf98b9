/** Limits the bytes of all bodies that are still arriving, which could otherwise be as many as there are connections. */
export interface Arriving {
  /** Counts a body until `leave` is called. `giveWay` is called, and the body is counted no more, if others need its bytes. */
  readonly enter: (giveWay: () => void) => ArrivingBody
}

/** A body that is still arriving. */
export interface ArrivingBody {
  /** Counts more bytes of it. The body itself may give way to them. */
  readonly grow: (bytes: number) => void
  /** Ends the count. */
  readonly leave: () => void
}

/** The part of the limit that stays when bodies give way, so that it is not reached again by the next piece. */
const kept = 7 / 8

/**
 * Creates the count. At the limit those bodies give way that have the most bytes: a form of a browser or a client has few, and those that
 * fill the memory have many.
 */
export const arriving = (most: number, full: (fields: Readonly<Record<string, number>>) => void): Arriving => {
  interface Held {
    bytes: number
    readonly giveWay: () => void
  }
  const all = new Set<Held>()
  let total = 0
  const leave = (body: Held): void => {
    if (all.delete(body)) total -= body.bytes
  }
  const shrink = (): void => {
    for (const body of [...all].toSorted((one, other) => other.bytes - one.bytes)) {
      if (total <= most * kept) return
      leave(body)
      full({ arriving: most })
      body.giveWay()
    }
  }
  return {
    enter: (giveWay) => {
      const body: Held = { bytes: 0, giveWay }
      all.add(body)
      return {
        grow: (bytes) => {
          if (!all.has(body)) return
          body.bytes += bytes
          total += bytes
          if (total > most) shrink()
        },
        leave: () => leave(body),
      }
    },
  }
}
