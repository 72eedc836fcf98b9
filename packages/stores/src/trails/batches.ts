/** Writes a batch, synchronously or on another thread. */
export type WriteBatch<Row> = (rows: ReadonlyArray<Row>) => void | Promise<void>

/** Queues items and writes them together a moment later. No caller waits for the write, and no operation fails if it fails. */
export interface Batches<Item> {
  readonly add: (item: Item) => void
  /** Writes the queued items. */
  readonly flush: () => void | Promise<void>
  /** The number of items that were dropped because the queue was full or they could not be written. */
  readonly dropped: () => number
}

const batch = 200
const waitingMost = 2000
/** The delays before a write and before a retry, in milliseconds. */
const pause = 200
const retryPause = 2000

/** Queues items. Each is converted to a row when it is written, and dropped if the conversion fails. */
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
  /** Writes one batch. Returns false if the database failed. */
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
  /** Starts a batch, or joins the one in progress so that nothing is written twice. */
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
