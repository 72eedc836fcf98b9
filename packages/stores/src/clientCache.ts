import type { Client } from "@postern/core/model"
import type { Awaitable } from "@postern/core/ports"
import type { CachedClient, ClientCache, ClientRow, ClientRows } from "./clients/clientRows.ts"
import { countedReads } from "./noticing.ts"
import { unknownIds } from "./clients/unknownIds.ts"

const most = 10_000

/** Stored clients with a counter of their changes. */
export interface CountedClientRows extends ClientRows {
  readonly find: (clientId: string) => Promise<ClientRow | undefined>
  /** Reads the counter that every change of any client increments. */
  readonly revision: () => Promise<number>
  /** Reports whether any client's secret is stored as a slow hash. */
  readonly anySlow: () => Promise<boolean>
  /** Reports whether any enabled client may send unsigned request objects. */
  readonly anyUnsigned: () => Promise<boolean>
}

/**
 * Caches clients that were read recently. The first caller that needs a client reads the clients' revision, at most four times a second. A
 * change by another process therefore takes effect within a quarter of a second. For its own changes this process must call `forget`.
 */
export const countedClientCache = (
  { find, revision, anySlow, anyUnsigned }: Pick<CountedClientRows, "find" | "revision" | "anySlow" | "anyUnsigned">,
  make: (row: ClientRow) => Client,
): ClientCache & { readonly forget: () => void } => {
  const cached = new Map<string, CachedClient>()
  const unknown = unknownIds()
  const slow = remembered(anySlow)
  const unsigned = remembered(anyUnsigned)
  const { notice, read, forget } = countedReads(revision, () => {
    cached.clear()
    unknown.clear()
    slow.forget()
    unsigned.forget()
  })
  const ask = async (clientId: string): Promise<CachedClient | undefined> => {
    const row = await find(clientId)
    return row && { client: make(row), secretHash: row.secretHash, secretSealed: row.secretSealed }
  }
  const fetch = (clientId: string): Awaitable<CachedClient | undefined> =>
    read(
      () => ask(clientId),
      (found) => {
        if (found === undefined) return unknown.add(clientId)
        if (cached.size >= most) cached.clear()
        cached.set(clientId, found)
      },
    )

  const known = (clientId: string): Awaitable<CachedClient | undefined> =>
    cached.get(clientId) ?? (unknown.has(clientId) ? undefined : fetch(clientId))
  const upToDate = <A>(look: () => Awaitable<A>): Awaitable<A> => {
    const noticed = notice()
    return noticed === undefined ? look() : noticed.then(look)
  }

  return {
    find: (clientId) => upToDate(() => known(clientId)),
    anySlow: () => upToDate(slow.ask),
    anyUnsigned: () => upToDate(unsigned.ask),
    forget,
  }
}

/** Caches the answer to a question until it is forgotten. A failed question is asked again. */
const remembered = <A>(question: () => Promise<A>): { readonly ask: () => Promise<A>; readonly forget: () => void } => {
  let answer: Promise<A> | undefined
  return {
    ask: () => {
      if (answer !== undefined) return answer
      const asked = question()
      answer = asked
      asked.catch(() => (answer = answer === asked ? undefined : answer))
      return asked
    },
    forget: () => void (answer = undefined),
  }
}
