import { type Socket, connect } from "node:net"
import { connect as connectSecurely } from "node:tls"

/** An answer as it came: `head` is the status line and the header section, `body` its bytes as Latin-1. */
export interface Answer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** A connection that takes one request at a time. */
export interface Wire {
  /** Sends a whole request; one of the two is called once it is answered, or the connection is lost. */
  readonly send: (request: string, answered: (answer: Answer) => void, lost: (error: Error) => void) => void
  readonly close: () => void
}

/** Address that connections go to. */
export interface Place {
  readonly port: number
  /** The certificate of a server that speaks TLS, in PEM; connections trust it and no other. */
  readonly certificate?: string
}

/**
 * Life of a connection: `kept` from request to request, `fresh` for one request only; a `resumed` one is as short, and resumes the TLS session of
 * the one before (RFC 8446 §2.2).
 */
export type Link = "kept" | "fresh" | "resumed"

/** The first value of a header, by its name in lower case. */
export const header = ({ head }: Answer, name: string): string | undefined => {
  const line = head.split("\r\n").find((each) => each.slice(0, name.length + 1).toLowerCase() === `${name}:`)
  return line?.slice(name.length + 1).trim()
}

/** The `name=value` of every cookie that an answer sets; an empty value is a cookie that is taken away. */
export const cookiesOf = ({ head }: Answer): ReadonlyArray<readonly [string, string]> =>
  head
    .split("\r\n")
    .filter((line) => /^set-cookie:/i.test(line))
    .map((line) => {
      const [, name = "", value = ""] = /^set-cookie:\s*([^=]+)=([^;]*)/i.exec(line) ?? []
      return [name, /expires=Thu, 01 Jan 1970|max-age=0(?:;|$)/i.test(line) ? "" : value] as const
    })

/**
 * HTTP/1.1 over a raw socket, with no more parsing than it takes to find where an answer ends: a client that does more costs more than the
 * server it measures. A connection that the server closes after an answer is opened anew for the next request. A TLS session that was not resumed
 * though it should have been, or was though it should not, is an error.
 */
export const wire = ({ port, certificate }: Place, link: Link = "kept"): Wire => {
  let socket: Socket | undefined
  let session: Buffer | undefined
  let text = ""
  let answered: ((answer: Answer) => void) | undefined
  let lost: ((error: Error) => void) | undefined

  const fail = (error: Error): void => {
    const tell = lost
    socket?.destroy()
    socket = undefined
    answered = lost = undefined
    tell?.(error)
  }
  const settle = (answer: Answer, rest: string): void => {
    const tell = answered
    if (tell === undefined || rest !== "") return fail(new Error(`more than one answer: ${rest.slice(0, 80)}`))
    text = ""
    answered = lost = undefined
    if (link !== "kept" || /\r\nconnection: close/i.test(answer.head)) {
      socket?.destroy()
      socket = undefined
    }
    tell(answer)
  }
  const received = (): void => {
    const end = text.indexOf("\r\n\r\n")
    if (end < 0) return
    const head = text.slice(0, end)
    const status = Number(head.slice(9, 12))
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length !== undefined || status === 204 || status === 304) {
      const until = end + 4 + Number(length ?? 0)
      if (text.length >= until) settle({ status, head, body: text.slice(end + 4, until) }, text.slice(until))
      return
    }
    const whole = unchunked(text, end + 4)
    if (whole !== undefined) settle({ status, head, body: whole.body }, text.slice(whole.until))
  }
  const dial = (): Socket => {
    if (certificate === undefined) return connect({ port, host: "127.0.0.1", noDelay: true })
    const resumes = link === "resumed" ? session : undefined
    const dialed = connectSecurely({
      port,
      host: "127.0.0.1",
      servername: "localhost",
      ca: certificate,
      ...(resumes === undefined ? {} : { session: resumes }),
    })
    dialed.setNoDelay(true)
    dialed.on("session", (ticket: Buffer) => (session = ticket))
    dialed.once("secureConnect", () => {
      if (dialed.isSessionReused() !== (resumes !== undefined))
        fail(new Error("a TLS session was resumed, or not resumed, against what was asked"))
    })
    return dialed
  }
  const open = (): Socket => {
    const opened = dial()
    opened.on("data", (chunk: Buffer) => {
      if (opened !== socket) return
      text = text === "" ? chunk.toString("latin1") : text + chunk.toString("latin1")
      received()
    })
    opened.on("error", (error) => opened === socket && fail(error))
    opened.on("close", () => opened === socket && fail(new Error("the connection was closed")))
    return opened
  }
  return {
    send: (request, onAnswer, onLoss) => {
      answered = onAnswer
      lost = onLoss
      text = ""
      socket ??= open()
      socket.write(request, "latin1")
    },
    close: () => {
      const open = socket
      socket = undefined
      open?.destroy()
    },
  }
}

/** The body of a chunked answer (RFC 9112 §7.1), once it is there as a whole. */
const unchunked = (text: string, from: number): { readonly body: string; readonly until: number } | undefined => {
  let body = ""
  for (let at = from; ;) {
    const line = text.indexOf("\r\n", at)
    if (line < 0) return undefined
    const size = Number.parseInt(text.slice(at, line), 16)
    const next = line + 2 + size + 2
    if (text.length < next) return undefined
    if (size === 0) return { body, until: next }
    body += text.slice(line + 2, line + 2 + size)
    at = next
  }
}
