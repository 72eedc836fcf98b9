import type { ServerResponse } from "node:http"
import { Socket } from "node:net"
import type { Lingering } from "./lingering.ts"

/** Limits the requests that wait for the answers to earlier ones of their connection (RFC 9112 §9.3.2). */
export interface Pipelines {
  /**
   * Counts a request until its answer has been taken, if one before it is unanswered. Returns false if its connection has ended, also because
   * the server has too many.
   */
  readonly enter: (socket: Socket, outgoing: ServerResponse) => boolean
}

/** The number of requests at which no more of a connection are read. */
const most = 64

/** The number of requests that a connection may keep while the server has too many. */
const few = 8

/**
 * Creates the count. Nothing else bounds it: Node reads up to 2 MiB of a connection in one turn of the event loop, which are tens of thousands
 * of requests, and stops for a caller that takes no answers only once there are some. So a connection with many is read no further until
 * they are answered, and where all of them together are too many, those with more than a few end.
 */
export const pipelines = (
  inAll: number,
  full: (fields: Readonly<Record<string, number>>) => void,
  isEnding: Lingering["isEnding"],
): Pipelines => {
  const waiting = new Map<Socket, number>()
  let total = 0
  const leave = (socket: Socket): void => {
    const count = waiting.get(socket)
    if (count === undefined) return
    total--
    waiting.set(socket, count - 1)
    if (count - 1 === most / 2) release(socket)
  }
  const begin = (socket: Socket): number => {
    socket.once("close", () => {
      total -= waiting.get(socket) ?? 0
      waiting.delete(socket)
    })
    return 0
  }
  return {
    enter: (socket, outgoing) => {
      // Node gives the socket to the response that is to be written next.
      if (outgoing.socket !== null) return true
      if (socket.destroyed) return false
      const count = (waiting.get(socket) ?? begin(socket)) + 1
      waiting.set(socket, count)
      total++
      outgoing.once("finish", () => leave(socket))
      if (total > inAll && count > few) {
        full({ pipelined: inAll })
        socket.destroy()
        return false
      }
      if (count === most) hold(socket, isEnding)
      return true
    },
  }
}

/** Stops reading a connection. Node resumes it after each answer, and so does whatever ends it, which has to read on. */
const hold = (socket: Socket, isEnding: (socket: Socket) => boolean): void => {
  socket.pause()
  socket.resume = () => (isEnding(socket) ? Socket.prototype.resume.call(socket) : socket)
}

/** Reads a connection again. */
const release = (socket: Socket): void => {
  if (!Object.hasOwn(socket, "resume")) return
  Reflect.deleteProperty(socket, "resume")
  socket.resume()
}
