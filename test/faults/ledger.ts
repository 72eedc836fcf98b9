import { appendFileSync } from "node:fs"

/** Answer to a caller. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

/** One request with its answer; none when the connection broke or nothing came in time. */
export interface Entry {
  readonly actor: string
  /** Purpose of the request: `redeem`, `refresh`, `revoke`, … */
  readonly what: string
  readonly sentAt: number
  readonly took: number
  readonly status: number | undefined
  /** Reason why there was no answer, or none that tells the outcome. */
  readonly none: string | undefined
}

/** A thing that was promised and does not hold. */
export interface Breach {
  readonly rule: "lost" | "double" | "revived" | "leak" | "answer" | "hung" | "fork"
  readonly text: string
}

/** Longest anyone waits for an answer, in milliseconds. Nothing at all may take that long. */
export const longestWait = 20_000

/** Nobody answered, or nobody knew. The request may have been done or not. */
export class Unanswered extends Error {
  override readonly name = "Unanswered"
  /** The answer that leaves open what was done, where there is one. */
  readonly answer: Answer | undefined

  constructor(what: string, { cause, answer }: { readonly cause?: unknown; readonly answer?: Answer } = {}) {
    super(what, { cause })
    this.answer = answer
  }
}

const jsonOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.name === "TimeoutError") return "hung"
  return cause.cause instanceof Error ? cause.cause.message : cause.name
}

/** A token, a code or a key where none belongs: what a failed answer must not hold. */
export const holdsSecret = ({ status, text }: Pick<Answer, "status" | "text">): boolean =>
  status >= 400 && /"(?:access_token|refresh_token|id_token|device_code)"|\b[acrd]_[A-Za-z0-9_-]{50,}/.test(text)

/** Words of an error that leaves open what was done: a client's, in JSON or in the query that it is sent back with, and a person's. */
const unknown = ["whether the request was carried out is not known", "we do not know if your last step was completed"]

/** Reports whether an answer says that nobody knows what was done. It promises no more than no answer at all. */
export const leavesOpen = ({ status, headers, text }: Pick<Answer, "status" | "headers" | "text">): boolean => {
  const description = URL.parse(headers.get("location") ?? "")?.searchParams.get("error_description")
  return (status === 503 || status === 303) && unknown.some((words) => (description ?? text).includes(words))
}

/** Writes down every request with its answer, outside the server, and every promise that was found broken. */
export class Ledger {
  readonly entries: Array<Entry> = []
  readonly breaches: Array<Breach> = []
  answered = 0
  unanswered = 0
  /** Facts that were looked at after a fault, and how many there were of each kind. */
  readonly checked = new Map<string, number>()
  readonly #file: string | undefined

  /** `file` takes every entry as a line, for looking at afterwards. */
  constructor(file?: string) {
    this.#file = file
  }

  breach(rule: Breach["rule"], text: string): void {
    this.breaches.push({ rule, text })
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify({ breach: rule, text })}\n`)
  }

  check(kind: string): void {
    this.checked.set(kind, (this.checked.get(kind) ?? 0) + 1)
  }

  get facts(): number {
    return [...this.checked.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Forgets entries, to go on for hours; the counts stay. */
  forget(): void {
    this.entries.length = 0
  }

  /** Sends a request. Fails with {@link Unanswered}, also where the answer leaves open what was done. */
  async send(actor: string, what: string, url: string, init: RequestInit = {}): Promise<Answer> {
    const sentAt = Date.now()
    const began = performance.now()
    const note = (status: number | undefined, none: string | undefined): void => {
      const entry: Entry = { actor, what, sentAt, took: performance.now() - began, status, none }
      this.entries.push(entry)
      if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(entry)}\n`)
    }
    try {
      const timeout = AbortSignal.timeout(longestWait)
      const signal = init.signal === undefined || init.signal === null ? timeout : AbortSignal.any([timeout, init.signal])
      const response = await fetch(url, { redirect: "manual", ...init, signal })
      const text = await response.text()
      const answer: Answer = { status: response.status, headers: response.headers, text, json: jsonOf(text) }
      this.answered++
      note(answer.status, leavesOpen(answer) ? "left open" : undefined)
      if (holdsSecret(answer)) this.breach("leak", `${what}: a failed answer holds a token: ${answer.status}`)
      if (answer.status === 500) this.breach("answer", `${what}: 500 ${text.slice(0, 200)}`)
      if (leavesOpen(answer)) throw new Unanswered(what, { answer })
      return answer
    } catch (cause) {
      if (cause instanceof Unanswered) throw cause
      this.unanswered++
      const reason = reasonOf(cause)
      note(undefined, reason)
      if (reason === "hung") this.breach("hung", `${what}: no answer after ${longestWait} ms`)
      throw new Unanswered(what, { cause })
    }
  }
}
