/** Returns the first value of each key, in their order. It takes time in proportion to the number of values. */
export const firstBy = <A>(values: ReadonlyArray<A>, keyOf: (value: A) => string): ReadonlyArray<A> => {
  const first = new Map<string, A>()
  for (const each of values) {
    const key = keyOf(each)
    if (!first.has(key)) first.set(key, each)
  }
  return [...first.values()]
}
