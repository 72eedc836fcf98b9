import { type Server as HttpServer, STATUS_CODES, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Lingering } from "./lingering.ts"

/** Returns the status for input that could not be parsed as a request, by Node's error code: too long, too slow, or not HTTP. */
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

/** Dependencies of refusing a connection. */
export interface RefusalOfConnection {
  readonly closing: Lingering
  readonly told: (status: number) => void
}

const refuse = (socket: Socket, status: number, { closing, told }: RefusalOfConnection, more?: ReadonlyArray<string>): void => {
  if (socket.writable) socket.write(answer(status, more))
  closing.close(socket)
  told(status)
}

/** Answers 503 on a connection beyond the limit, and closes it (RFC 9110 §15.6.4). */
export const refuseConnection = (socket: Socket, means: RefusalOfConnection): void => refuse(socket, 503, means, ["retry-after: 2"])

/** Reports whether a complete request on this connection is still being answered. Node itself uses `_httpMessage` for this. */
const isAnswering = (socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean => {
  const { _httpMessage: current } = socket
  return current !== undefined && current !== null && current.req.complete && !current.writableEnded
}

/**
 * Answers input that the parser rejects, and closes the connection once its caller has. If another answer is still being written on the
 * connection, the connection is closed after that one, because two answers must not be mixed.
 */
export const refuseUnparsed = (server: HttpServer, means: RefusalOfConnection): void => {
  const { closing } = means
  // CONNECT is not supported (RFC 9110 §9.3.6). Without a listener Node would close the connection.
  server.on("connect", (_, socket) => {
    const connection = socket as Socket
    if (isAnswering(connection)) closing.announce(connection)
    else refuse(connection, 501, means)
  })
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // The sockets of a plain server are from `net`, those of a secure one from `tls`, which extend them.
    const connection = socket as Socket
    const status = statusOf(error.code)
    if (closing.isEnding(connection)) return
    if (status === undefined || !connection.writable) connection.destroy()
    else if (isAnswering(connection)) closing.announce(connection)
    else refuse(connection, status, means)
  })
}
