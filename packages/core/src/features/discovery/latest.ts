/** Caches the result for the last two arguments, compared by identity, so they must not be changed in place. */
export const latest = <A, B, C>(make: (first: A, second: B) => C): ((first: A, second: B) => C) => {
  let known: { readonly first: A; readonly second: B; readonly made: C } | undefined
  return (first, second) => {
    if (known?.first !== first || known.second !== second) known = { first, second, made: make(first, second) }
    return known.made
  }
}
