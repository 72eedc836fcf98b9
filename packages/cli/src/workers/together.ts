/** Returns a function that shares one run among all calls made while it is in progress. */
export const together = <A>(run: () => Promise<A>): (() => Promise<A>) => {
  let running: Promise<A> | undefined
  return () =>
    (running ??= run().finally(() => {
      running = undefined
    }))
}
