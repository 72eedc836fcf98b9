/** Columns of rows that were read with others, because whoever reads those asks for these next. */
export interface ReadAhead {
  /** Begins a read. What it answers with keeps a row's columns for this turn of the event loop and the next, unless rows were forgotten meanwhile. */
  readonly reading: () => (key: string, columns: ReadonlyArray<unknown>) => void
  /** Gives a row's columns to everybody who asks by then. */
  readonly take: (key: string) => ReadonlyArray<unknown> | undefined
  /** To be called when this process has changed rows: neither what is kept nor what is being read is given to anybody. */
  readonly forget: () => void
}

/**
 * Saves the round trip for a row that another leads to, where one statement reads both: a request that has found a token goes on to its
 * person in the next turn. Nothing is kept for longer, so what is taken is as fresh as what led to it.
 */
export const readAhead = (): ReadAhead => {
  let rows = new Map<string, ReadonlyArray<unknown>>()
  /** Counts what was forgotten: a row that was asked for before is not kept after. */
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
