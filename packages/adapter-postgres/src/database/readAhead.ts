/** Columns of rows that were read together with other rows, because the reader of those rows needs them next. */
export interface ReadAhead {
  /**
   * Begins a read and returns a function that keeps a row's columns for this turn of the event loop and the next. It keeps nothing if rows
   * were forgotten since the read began.
   */
  readonly reading: () => (key: string, columns: ReadonlyArray<unknown>) => void
  /** Returns a row's columns while they are kept. */
  readonly take: (key: string) => ReadonlyArray<unknown> | undefined
  /** Forgets the rows kept and those being read. Call it after this process has changed rows. */
  readonly forget: () => void
}

/**
 * Saves the round trip for a row that another refers to, by reading both in one statement. A request that has found a token reads its
 * person in the next turn. Rows are kept no longer, so they are as fresh as the row that refers to them.
 */
export const readAhead = (): ReadAhead => {
  let rows = new Map<string, ReadonlyArray<unknown>>()
  /** Counts the calls of `forget`, so that a row whose read began before one is not kept after it. */
  let forgotten = 0
  const drop = (): void => void (rows = new Map())
  return {
    reading: () => {
      const before = forgotten
      return (key, columns) => {
        if (before !== forgotten) return
        if (rows.size === 0) setImmediate(() => setImmediate(drop))
        rows.set(key, columns)
      }
    },
    take: (key) => rows.get(key),
    forget: () => {
      drop()
      forgotten++
    },
  }
}
