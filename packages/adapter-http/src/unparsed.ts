import { type Server as HttpServer, STATUS_CODES, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Lingering } from "./lingering.ts"

/** Answers to input that never became a request, by the fault that node names: too long, too slow, or no HTTP. */
const statusOf = (code: string | undefined): number | undefined => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return 408
  if (code === "HPE_HEADER_OVERFLOW") return 431
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") return 413
  return code?.startsWith("HPE_") === true ? 400 : undefined
}

const answer = (status: number, more: ReadonlyArray<string> = []): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    `date: ${new Date().toUTCString()}`,
    "cache-control: no-store",
    "connection: close",
    "content-length: 0",
    ...more,
    "",
    "",
  ].join("\r\n")

/** A refused connection's answer, and the receiver of its status. */
export interface RefusalOfConnection {
  readonly closing: Lingering
  readonly told: (status: number) => void
}

const refuse = (socket: Socket, status: number, { closing, told }: RefusalOfConnection, more?: ReadonlyArray<string>): void => {
  if (socket.writable) socket.write(answer(status, more))
  closing.close(socket)
  told(status)
}

/** Answers on a connection for which there is no place, and closes it (RFC 9110 §15.6.4). */
export const refuseConnection = (socket: Socket, means: RefusalOfConnection): void => refuse(socket, 503, means, ["retry-after: 2"])

/** Reports whether a request of this connection is whole and its answer still being made. Node itself asks this member. */
const isAnswering = (socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean => {
  const { _httpMessage: current } = socket
  return current !== undefined && current !== null && current.req.complete && !current.writableEnded
}

/**
 * Answers what the parser refuses, and closes the connection when its caller has. A connection on which another answer is still being
 * made ends with that one: two answers must not mix.
 */
export const refuseUnparsed = (server: HttpServer, means: RefusalOfConnection): void => {
  const { closing } = means
  // No tunnel leads through here (RFC 9110 §9.3.6): without a listener node cuts the connection.
  server.on("connect", (_, socket) => {
    const connection = socket as Socket
    if (isAnswering(connection)) closing.announce(connection)
    else refuse(connection, 501, means)
  })
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // Of a plain server these are sockets of `net`, of a secure one of `tls`, which are such sockets too.
    const connection = socket as Socket
    const status = statusOf(error.code)
    if (closing.isEnding(connection)) return
    if (status === undefined || !connection.writable) connection.destroy()
    else if (isAnswering(connection)) closing.announce(connection)
    else refuse(connection, status, means)
  })
}
