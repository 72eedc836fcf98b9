import { connect, type Socket } from "node:net"

/** Answer on a line; status 0 when the connection broke. */
export interface Heard {
  readonly status: number
  readonly head: string
  readonly body: string
  readonly took: number
}

/** One kept connection that costs its sender little: a request at a time, written as it is, and an answer read by its length. */
export class Line {
  readonly #port: number
  #socket: Socket | undefined
  #text = ""
  #waiting: ((heard: Omit<Heard, "took">) => void) | undefined
  busy = false

  constructor(port: number) {
    this.#port = port
  }

  /** Sends a request and waits for its answer. */
  async ask(request: string): Promise<Heard> {
    this.busy = true
    const began = performance.now()
    const heard = await new Promise<Omit<Heard, "took">>((resolve) => {
      this.#waiting = resolve
      this.#text = ""
      ;(this.#socket ??= this.#open()).write(request)
    })
    this.busy = false
    return { ...heard, took: performance.now() - began }
  }

  end(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true })
    socket.setEncoding("latin1")
    socket.on("data", (chunk) => this.#take(String(chunk)))
    socket.on("error", () => undefined)
    socket.on("close", () => {
      if (this.#socket === socket) this.#socket = undefined
      this.#settle({ status: 0, head: "", body: "" })
    })
    return socket
  }

  #take(chunk: string): void {
    this.#text += chunk
    const end = this.#text.indexOf("\r\n\r\n")
    if (end < 0) return
    const head = this.#text.slice(0, end)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (this.#text.length < end + 4 + length) return
    const closes = /\r\nconnection: close/i.test(head)
    if (closes) this.end()
    this.#settle({ status: Number(head.slice(9, 12)), head, body: this.#text.slice(end + 4, end + 4 + length) })
  }

  #settle(heard: Omit<Heard, "took">): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.(heard)
  }
}

/** A POST of a form, as it goes over a line. */
export const formPost = (
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): string => {
  const body = new URLSearchParams(fields).toString()
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n${more.join("")}\r\n${body}`
}

/** A GET, as it goes over a line. */
export const get = (target: string, headers: Readonly<Record<string, string>> = {}): string =>
  `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`
