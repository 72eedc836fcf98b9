/** Ids that were found to be nobody's, so that they are answered as fast as a client's. */
export interface UnknownIds {
  /** Remembers an id; forgets those before where there are too many. */
  readonly add: (clientId: string) => void
  /** Tells whether an id is remembered. */
  readonly has: (clientId: string) => boolean
  /** Forgets every id. */
  readonly clear: () => void
}

/** Number of ids that are remembered: whoever makes them up must not push out the clients. */
const most = 1_000

/** The longest that is remembered, in characters: a request may carry one of 64 KB. */
const longest = 256

/** Remembers unknown ids. They are a stranger's texts, so their number and their length are bounded (RFC 9110 §17.5). */
export const unknownIds = (): UnknownIds => {
  const ids = new Set<string>()
  return {
    add: (clientId) => {
      if (clientId.length > longest) return
      if (ids.size >= most) ids.clear()
      ids.add(clientId)
    },
    has: (clientId) => ids.has(clientId),
    clear: () => ids.clear(),
  }
}
