/** Writes batches, at once or on another thread. */
export type WriteBatch<Row> = (rows: ReadonlyArray<Row>) => void | Promise<void>

/** Queues items and writes them together a moment later. No caller waits for the write, and no operation fails if it fails. */
export interface Batches<Item> {
  readonly add: (item: Item) => void
  /** Writes what waits. */
  readonly flush: () => void | Promise<void>
  /** Number of items that were dropped, because they came faster than they could be written or could not be written at all. */
  readonly dropped: () => number
}

const batch = 200
const waitingMost = 2000
/** Milliseconds before what waits is written, and before it is tried again when it could not be. */
const pause = 200
const retryPause = 2000

/** Gathers items; each is spelled out when it is written, and left out where it cannot be. */
export const batches = <Item, Row>(spell: (item: Item) => Row | undefined, insert: WriteBatch<Row>): Batches<Item> => {
  let waiting: Array<Item> = []
  let timer: NodeJS.Timeout | undefined
  let underway: Promise<boolean> | undefined
  let dropped = 0

  const spelled = (item: Item): Row | undefined => {
    try {
      return spell(item)
    } catch {
      return undefined
    }
  }
  /** Writes one batch; false when the database could not take it. */
  const write = (): boolean | Promise<boolean> => {
    const taken = waiting.slice(0, batch)
    const rows = taken.map(spelled)
    const written = (): boolean => {
      const done = new Set(taken)
      waiting = waiting.filter((each) => !done.has(each))
      dropped += rows.filter((row) => row === undefined).length
      return true
    }
    try {
      const later = insert(rows.filter((row) => row !== undefined))
      return later === undefined ? written() : later.then(written, () => false)
    } catch {
      return false
    }
  }
  const next = (written: boolean): void => {
    if (waiting.length > 0) arm(written ? 0 : retryPause)
  }
  /** Begins a batch, or joins the one under way: nothing is written twice. */
  const begin = (): boolean | Promise<boolean> => {
    if (underway !== undefined) return underway
    const written = write()
    if (typeof written === "boolean") return written
    underway = written.finally(() => (underway = undefined))
    return underway
  }
  const arm = (delay: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      timer = undefined
      const written = begin()
      if (typeof written === "boolean") next(written)
      else void written.then(next)
    }, delay).unref()
  }
  const flush = (): void | Promise<void> => {
    while (waiting.length > 0) {
      const written = begin()
      if (typeof written !== "boolean") return written.then((done) => (done ? flush() : undefined))
      if (!written) return
    }
  }
  return {
    add: (item) => {
      waiting.push(item)
      if (waiting.length > waitingMost) {
        waiting.shift()
        dropped++
      }
      if (timer === undefined || waiting.length === batch) arm(waiting.length < batch ? pause : 0)
    },
    flush,
    dropped: () => dropped,
  }
}
