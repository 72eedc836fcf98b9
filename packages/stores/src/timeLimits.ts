import { type Awaitable, PortFailed, PortTimedOut } from "@postern/core/ports"

/** Waits for an answer of the store, for a limited time. */
export const inTime = async <A>(operation: string, milliseconds: number, answer: Awaitable<A>): Promise<A> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const end = (): void => reject(new PortFailed({ port: "TokenStore", operation, cause: new PortTimedOut(milliseconds) }))
  const timer = setTimeout(end, milliseconds)
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns a signal that aborts after the given time or with another signal, and a promise that then rejects. */
export const bounded = (
  milliseconds: number,
  other: AbortSignal,
): { readonly signal: AbortSignal; readonly ended: Promise<never>; readonly clear: () => void } => {
  const abort = new AbortController()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  // The rejection is unobserved if the handler ends first.
  ended.catch(() => undefined)
  const end = (reason: unknown): void => {
    abort.abort(reason)
    reject(reason)
  }
  const stop = (): void => end(other.reason)
  const timer = setTimeout(() => end(new Error(`not delivered within ${milliseconds / 1000} seconds`)), milliseconds)
  other.addEventListener("abort", stop)
  if (other.aborted) stop()
  return {
    signal: abort.signal,
    ended,
    clear: () => {
      clearTimeout(timer)
      other.removeEventListener("abort", stop)
    },
  }
}
