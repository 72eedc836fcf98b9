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

/** The maximum number of nested errors whose messages are joined. */
const deepest = 5

const ownMessage = (thrown: unknown): string => {
  if (thrown instanceof Error)
    // The error of several failed connections has a code and no message.
    return String(thrown.message) || ("code" in thrown && typeof thrown.code === "string" ? thrown.code : String(thrown.name))
  return String(thrown)
}

/**
 * Returns the message of a thrown value, whatever it is, followed by those of its causes, because `fetch` states the reason of a failure only
 * in the cause of its error.
 */
export const messageOf = (thrown: unknown): string => {
  const causeOf = (value: unknown): unknown => (value instanceof Error ? (readable(value.cause) ?? undefined) : undefined)
  const value = readable(thrown)
  let told = ownMessage(value)
  for (let cause = causeOf(value), depth = 1; cause !== undefined && depth < deepest; cause = causeOf(cause), depth++) {
    const message = ownMessage(cause)
    // Some messages contain that of their cause.
    if (!told.includes(message)) told += `: ${message}`
  }
  return told
}
