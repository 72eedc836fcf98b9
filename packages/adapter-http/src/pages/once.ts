/** Makes a value when it is first asked for, and then answers with that one. */
export const once = <A extends object>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= make())
}
