import type { Socket } from "node:net"
import type { Limits } from "./limits.ts"

/** Closes connections so that callers can read the last answer, even callers that send everything before they read. */
export interface Lingering {
  /** Marks a connection whose last answer is being written. Further input on it is not a request (RFC 9112 §9.6). */
  readonly announce: (socket: Socket) => void
  /** Reports whether a connection's last answer has been announced or written. */
  readonly isEnding: (socket: Socket) => boolean
  /** Closes the write side now, and the connection once the caller has closed it too or a limit is reached. */
  readonly close: (socket: Socket) => void
  /** Destroys the connections that still wait, because the server has stopped. */
  readonly cut: () => void
  /** The number of connections that wait for their callers to close. */
  readonly count: () => number
}

/**
 * Closes connections in two steps (RFC 9112 §9.6). If a connection is closed while its caller still sends, it is reset, and the reset can
 * arrive before the answer is read. So the write side is closed first, further input is read and discarded, and the connection is closed
 * when the caller has closed its side. The wait is limited in time, in bytes and in the number of connections; at that limit the oldest is
 * destroyed.
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
    // Node calls this once the last answer of a connection has been passed on, and would close both sides.
    socket.destroySoon = () => close(socket)
  }
  return { announce, isEnding: (socket) => ending.has(socket), close, cut, count: () => open.size }
}

/** Reads and discards further input in place of the parser, up to a limit. */
const drop = (socket: Socket, most: number): void => {
  let left = most
  socket.removeAllListeners("data")
  socket.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) socket.destroy()
  })
  socket.resume()
}
