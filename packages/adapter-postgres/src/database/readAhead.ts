/** Columns of rows that were read with others, because whoever reads those asks for these next. */
export interface ReadAhead {
  /** Keeps a row's columns for this turn of the event loop and the next. */
  readonly keep: (key: string, columns: ReadonlyArray<unknown>) => void
  /** Gives a row's columns to everybody who asks by then. */
  readonly take: (key: string) => ReadonlyArray<unknown> | undefined
}

/**
 * Saves the round trip for a row that another leads to, where one statement reads both: a request that has found a token goes on to its
 * person in the next turn. Nothing is kept for longer, so what is taken is as fresh as what led to it.
 */
export const readAhead = (): ReadAhead => {
  let rows = new Map<string, ReadonlyArray<unknown>>()
  const forget = (): void => void (rows = new Map())
  return {
    keep: (key, columns) => {
      if (rows.size === 0) setImmediate(() => setImmediate(forget))
      rows.set(key, columns)
    },
    take: (key) => rows.get(key),
  }
}
