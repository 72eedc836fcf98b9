/**
 * Sends one command to Redis or Valkey, and resolves to its reply: `(command) => client.sendCommand([...command])` with `redis`,
 * `([name, ...rest]) => client.call(name, ...rest)` with `ioredis`. Texts in replies are strings; a map may be a list of names and values, a `Map` or
 * an object. Rejects with the server's error where the server refused.
 */
export type SendCommand = (command: ReadonlyArray<string>) => PromiseLike<unknown>

/**
 * Redis could not do what was asked. Nothing of the operation was done, unless it is {@link RedisUnavailable.uncertain}. The message holds no
 * keys and no values.
 */
export class RedisUnavailable extends Error {
  override readonly name = "RedisUnavailable"
  /** The operation that was asked of the store. */
  readonly operation: string
  /** The first word of the server's error, such as `OOM` or `READONLY`; `DISCONNECTED` where no answer came. */
  readonly code: string
  /** True if nobody knows if it was done: it was asked, and no answer came. */
  readonly uncertain: boolean

  constructor(operation: string, cause: unknown) {
    const code = serverCode(cause) ?? "DISCONNECTED"
    super(`Redis cannot ${operation} now (${code})`, { cause })
    this.operation = operation
    this.code = code
    this.uncertain = code === "DISCONNECTED"
  }
}

/** Names of the errors by which clients pass on what the server said. */
const replies: ReadonlySet<string> = new Set(["ErrorReply", "SimpleError", "BlobError", "ReplyError"])

/** The first word of an error that the server answered with; undefined where it is the client's own. */
export const serverCode = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  const isReply = replies.has(error.name) || replies.has(error.constructor.name)
  return isReply ? (/^[A-Z]+/.exec(error.message)?.[0] ?? "ERR") : undefined
}

/** Sends a command, and says which operation failed where it does. */
export const sending =
  (send: SendCommand) =>
  async (operation: string, command: ReadonlyArray<string>): Promise<unknown> => {
    try {
      return await send(command)
    } catch (error) {
      throw new RedisUnavailable(operation, error)
    }
  }

/** A reply that is a list. */
export const listOf = (reply: unknown): ReadonlyArray<unknown> => (Array.isArray(reply) ? reply : [])

/** The columns of a row in a reply; undefined where there is none. */
export const columnsOf = (reply: unknown): Readonly<Record<string, string>> | undefined => {
  const entries = Array.isArray(reply)
    ? reply.flatMap((name, at) => (at % 2 === 0 ? [[String(name), String(reply[at + 1])] as const] : []))
    : reply instanceof Map
      ? [...reply].map(([name, value]) => [String(name), String(value)] as const)
      : Object.entries(reply ?? {}).map(([name, value]) => [name, String(value)] as const)
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
