import { connect } from "node:net"
import { reflects, tellsInside } from "./laws.ts"

/** Longer than any server is silent that means to say something, in milliseconds: it waits ten seconds for headers that do not come. */
const patience = 15_000

/** Texts that are sent over one connection, one after the other, as latin-1, and the end of it. */
export interface Wire {
  readonly name: string
  readonly parts: ReadonlyArray<string>
  /** Waits for the server to close; says that no more comes; or is gone without a word. */
  readonly end: "wait" | "finish" | "vanish"
}

/** Answer on a connection. */
export interface Heard {
  readonly text: string
  /** True if it fell silent, and the connection stayed open until patience ran out. */
  readonly hung: boolean
}

/** Sends a wire, and listens until the connection ends. */
export const send = (port: number, { parts, end }: Wire): Promise<Heard> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true })
    let text = ""
    let hung = false
    const timer = setTimeout(() => {
      hung = true
      socket.destroy()
    }, patience)
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      timer.refresh()
    })
    // A server that will not hear more may cut; what it said before that counts.
    socket.on("error", () => socket.destroy())
    socket.on("end", () => socket.destroy())
    socket.on("close", () => {
      clearTimeout(timer)
      resolve({ text, hung })
    })
    socket.on("connect", () => {
      const next = (at: number): void => {
        if (socket.destroyed) return
        const part = parts[at]
        // Each part leaves before the next is written, so that the server reads them apart.
        if (part !== undefined) socket.write(Buffer.from(part, "latin1"), () => setImmediate(next, at + 1))
        else if (end === "finish") socket.end()
        else if (end === "vanish") socket.destroy()
      }
      next(0)
    })
  })

/** One answer: its status, and its header section. */
interface Answer {
  readonly status: number
  readonly head: string
}

/** The answers of a connection, in order: each by its length, as nothing else says where the next begins (RFC 9112 §6.3). */
const answersOf = (text: string): ReadonlyArray<Answer> => {
  const answers: Array<Answer> = []
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\r\n\r\n", at)
    const head = text.slice(at, end < 0 ? undefined : end + 2)
    const [, status] = /^HTTP\/1\.[01] (\d{3})/u.exec(head) ?? []
    if (status === undefined) return [...answers, { status: Number.NaN, head: text.slice(at, at + 300) }]
    answers.push({ status: Number(status), head })
    if (end < 0) return answers
    at = end + 4
    // An answer to HEAD has a length and no body.
    if (!text.startsWith("HTTP/1.", at)) at += Number(/^content-length: (\d+)\r$/imu.exec(head)?.[1] ?? text.length)
  }
  return answers
}

/** The statuses of the answers of a connection, in order; NaN stands for what is no answer. */
export const statusesOf = (text: string): ReadonlyArray<number> => answersOf(text).map(({ status }) => status)

/**
 * Finds the fault of an answer: a 5xx that no document has the server answer. 503 says when to come again (RFC 9110 §15.6.4);
 * 501 and 505 are about methods and versions that nobody implements (§15.6.2, §15.6.6).
 */
export const wrongWith = ({ text, hung }: Heard): string | undefined => {
  if (hung) return "the connection hung"
  for (const { status, head } of answersOf(text)) {
    if (Number.isNaN(status)) return `no answer: ${head}`
    if (status < 500 || status === 501 || status === 505) continue
    if (status === 503 && /^retry-after: \d+\r$/imu.test(head)) continue
    return `status ${status}`
  }
  if (reflects(text)) return "an answer shows unescaped what was sent"
  return tellsInside(text)
}
