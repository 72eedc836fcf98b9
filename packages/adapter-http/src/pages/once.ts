/** Creates a value on first use and returns the same one afterwards. */
export const once = <A extends object>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= make())
}
