import type { Socket } from "node:net"
import type { Limits } from "./limits.ts"

/** Closes connections so that their callers can read the last answer, even those that write everything before they read. */
export interface Lingering {
  /** Marks a connection whose last answer is being written: what else comes on it is no request (RFC 9112 §9.6). */
  readonly announce: (socket: Socket) => void
  /** Reports whether a connection has been given its last answer. */
  readonly isEnding: (socket: Socket) => boolean
  /** Closes a connection: the side we write to now, the rest once its caller has closed too, or the bounds are reached. */
  readonly close: (socket: Socket) => void
  /** Cuts what still waits: the server has stopped. */
  readonly cut: () => void
  /** Number of connections that only wait for their callers to close. */
  readonly count: () => number
}

/**
 * Closes in two steps (RFC 9112 §9.6). A connection that is closed while its caller still sends is reset, and the reset overtakes the answer:
 * so our side is closed, what still comes is read and dropped, and the rest is closed when the caller has done so. That is bounded in time, in bytes and in
 * the number of connections, the oldest of which makes way.
 */
export const lingering = ({ lingerTime, lingerBytes, lingerConnections }: Limits): Lingering => {
  const ending = new WeakSet<Socket>()
  const open = new Set<Socket>()
  const close = (socket: Socket): void => {
    ending.add(socket)
    if (socket.destroyed || open.has(socket)) return
    const [oldest] = open.size >= lingerConnections ? open : []
    oldest?.destroy()
    open.add(socket)
    const timer = setTimeout(() => socket.destroy(), lingerTime)
    socket.once("close", () => {
      clearTimeout(timer)
      open.delete(socket)
    })
    drop(socket, lingerBytes)
    socket.end()
  }
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  const announce = (socket: Socket): void => {
    if (ending.has(socket)) return
    ending.add(socket)
    // Node calls this when the last answer of a connection has been handed over, and would close both sides.
    socket.destroySoon = () => close(socket)
  }
  return { announce, isEnding: (socket) => ending.has(socket), close, cut, count: () => open.size }
}

/** Reads what still comes and drops it, instead of the parser, up to a bound. */
const drop = (socket: Socket, most: number): void => {
  let left = most
  socket.removeAllListeners("data")
  socket.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) socket.destroy()
  })
  socket.resume()
}
