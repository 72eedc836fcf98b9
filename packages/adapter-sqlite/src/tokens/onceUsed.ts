/** Makes a value when it is first asked for, and keeps it. */
export const onceUsed = <Made extends object>(make: () => Made): (() => Made) => {
  let made: Made | undefined
  return () => (made ??= make())
}
