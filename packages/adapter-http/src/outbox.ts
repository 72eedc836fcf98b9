/** Takes what sends an answer, which must not throw; resolves when it was called. */
export type Outbox = (send: () => void) => Promise<void>

/**
 * Sends what is answered in one turn of the event loop together, at its end. Whoever waits at the other end of the wire is woken once for
 * all of it, not once for each answer: on one machine that is what a small answer costs most.
 */
export const outbox = (): Outbox => {
  let waiting: Array<() => void> = []
  let sent: Promise<void> | undefined
  const flush = (): void => {
    const due = waiting
    waiting = []
    sent = undefined
    for (const send of due) send()
  }
  return (send) => {
    waiting.push(send)
    sent ??= new Promise((done) =>
      setImmediate(() => {
        flush()
        done()
      }),
    )
    return sent
  }
}
