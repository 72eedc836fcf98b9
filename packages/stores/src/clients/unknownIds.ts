/** Caches ids that belong to no client, so that they are answered as fast as a client's. */
export interface UnknownIds {
  /** Remembers an id. Forgets all earlier ones if there are too many. */
  readonly add: (clientId: string) => void
  /** Reports whether an id is remembered. */
  readonly has: (clientId: string) => boolean
  /** Forgets every id. */
  readonly clear: () => void
}

/** The maximum number of remembered ids, so that invented ids cannot exhaust the memory. */
const most = 1_000

/** The maximum length of a remembered id, in characters, because a request may contain one of 64 KB. */
const longest = 256

/** Remembers unknown ids. Strangers choose them, so their number and length are bounded (RFC 9110 §17.5). */
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
