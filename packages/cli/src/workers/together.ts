/** Runs something once for all who ask while it runs. */
export const together = <A>(run: () => Promise<A>): (() => Promise<A>) => {
  let running: Promise<A> | undefined
  return () =>
    (running ??= run().finally(() => {
      running = undefined
    }))
}
