/**
 * Sends one command to Redis or Valkey, and resolves to its reply: `(command) => client.sendCommand([...command])` with `redis`, `([name,
 * ...rest]) => client.call(name, ...rest)` with `ioredis`. Texts in replies are strings. A map may be a flat list of names and values, a
 * `Map` or an object. Rejects with the server's error reply.
 */
export type SendCommand = (command: ReadonlyArray<string>) => PromiseLike<unknown>

/** A failed Redis operation. It had no effect, unless it is {@link RedisUnavailable.uncertain}. The message contains no keys or values. */
export class RedisUnavailable extends Error {
  override readonly name = "RedisUnavailable"
  /** The store operation that failed. */
  readonly operation: string
  /** The first word of the server's error, such as `OOM` or `READONLY`; `DISCONNECTED` if there was no reply. */
  readonly code: string
  /** True if the outcome is unknown, because the command was sent and there was no reply. */
  readonly uncertain: boolean

  constructor(operation: string, cause: unknown) {
    const code = serverCode(cause) ?? "DISCONNECTED"
    super(`Redis cannot ${operation} now (${code})`, { cause })
    this.operation = operation
    this.code = code
    this.uncertain = code === "DISCONNECTED"
  }
}

/** Names of the error classes by which clients represent the server's error replies. */
const replies: ReadonlySet<string> = new Set(["ErrorReply", "SimpleError", "BlobError", "ReplyError"])

/** Returns the first word of the server's error reply; undefined if the error is the client's own. */
export const serverCode = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  const isReply = replies.has(error.name) || replies.has(error.constructor.name)
  return isReply ? (/^[A-Z]+/.exec(error.message)?.[0] ?? "ERR") : undefined
}

/** Wraps a sender so that its errors name the failed operation. */
export const sending =
  (send: SendCommand) =>
  async (operation: string, command: ReadonlyArray<string>): Promise<unknown> => {
    try {
      return await send(command)
    } catch (error) {
      throw new RedisUnavailable(operation, error)
    }
  }

/** Returns a list reply; empty if the reply is not a list. */
export const listOf = (reply: unknown): ReadonlyArray<unknown> => (Array.isArray(reply) ? reply : [])

/** Returns the columns of a row from a reply; undefined if there is no row. */
export const columnsOf = (reply: unknown): Readonly<Record<string, string>> | undefined => {
  const entries = Array.isArray(reply)
    ? reply.flatMap((name, at) => (at % 2 === 0 ? [[String(name), String(reply[at + 1])] as const] : []))
    : reply instanceof Map
      ? [...reply].map(([name, value]) => [String(name), String(value)] as const)
      : Object.entries(reply ?? {}).map(([name, value]) => [name, String(value)] as const)
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
