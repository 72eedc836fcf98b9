/**
 * Returns a thrown value unchanged if it can be reported, and an error in its place otherwise. Anything can be thrown: reading a revoked
 * proxy, or an object whose members throw, would fail again wherever the failure is handled.
 */
export const readable = (thrown: unknown): unknown => {
  if ((typeof thrown !== "object" || thrown === null) && typeof thrown !== "function") return thrown
  try {
    // Everything that is read of it when it is reported.
    const { name, message, stack, cause, uncertain } = thrown as Readonly<Record<string, unknown>>
    void [thrown instanceof Error, cause instanceof Error, uncertain]
    const written: ReadonlyArray<unknown> = [thrown, name, message, stack]
    written.forEach(String)
    return thrown
  } catch {
    return new Error("a value was thrown that cannot be read")
  }
}

/** Returns the message of a thrown value, whatever it is. */
export const messageOf = (thrown: unknown): string => {
  const value = readable(thrown)
  return value instanceof Error ? String(value.message) : String(value)
}
