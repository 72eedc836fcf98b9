import { Failed, failed } from "../failure.ts"

/** The calls that one side of a link handles, with their argument and result. */
export type Calls = Readonly<Record<string, { readonly given: unknown; readonly made: unknown }>>

/** The handlers of one side for the calls of the other. */
export type Answers<Asked extends Calls> = {
  readonly [Name in keyof Asked]: (given: Asked[Name]["given"]) => Promise<Asked[Name]["made"]>
}

/** Calls to another process. */
export interface Link<Asked extends Calls> {
  /** Calls the other side. Rejects with its failure, or if it is gone. */
  readonly call: <Name extends keyof Asked & string>(name: Name, given: Asked[Name]["given"]) => Promise<Asked[Name]["made"]>
  /** Marks the other side as gone. All pending and later calls reject. */
  readonly lose: (reason: string) => void
}

/** The process at the other end: `process` in a worker, or the worker in the main process. */
export interface Port {
  readonly send: (message: unknown) => void
  readonly receive: (listener: (message: unknown) => void) => void
}

/** A serialized failure. */
interface Fault {
  readonly message: string
  readonly hint?: string | undefined
  readonly details: ReadonlyArray<string>
}

type Message =
  | { readonly call: number; readonly name: string; readonly given: unknown }
  | { readonly answers: number; readonly made?: unknown; readonly fault?: Fault }

const faultOf = (error: unknown): Fault =>
  error instanceof Failed
    ? { message: error.message, hint: error.hint, details: error.details }
    : { message: error instanceof Error ? error.message : String(error), details: [] }

const isMessage = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && ("answers" in value || ("call" in value && "name" in value))

/** Connects this process to another by messages, for calls in both directions. */
export const linkOf = <Asked extends Calls, Answered extends Calls>(port: Port, answers: Answers<Answered>): Link<Asked> => {
  const waiting = new Map<number, { readonly resolve: (made: unknown) => void; readonly reject: (error: unknown) => void }>()
  let last = 0
  let lost: string | undefined

  const answer = async (message: Extract<Message, { readonly call: number }>): Promise<void> => {
    const { call, name, given } = message
    try {
      // Both sides run the same program, so their call types agree.
      const made = await answers[name as keyof Answered]?.(given as Answered[keyof Answered]["given"])
      port.send({ answers: call, made })
    } catch (error) {
      port.send({ answers: call, fault: faultOf(error) })
    }
  }
  port.receive((message) => {
    if (!isMessage(message)) return
    if ("call" in message) return void answer(message)
    const { answers: id, made, fault } = message
    const asked = waiting.get(id)
    waiting.delete(id)
    if (fault === undefined) asked?.resolve(made)
    else asked?.reject(failed(fault.message, fault.hint, fault.details))
  })
  return {
    call: (name, given) =>
      new Promise((resolve, reject) => {
        if (lost !== undefined) return reject(failed(lost))
        const call = ++last
        // The type of the result follows from the call's name.
        waiting.set(call, { resolve: resolve as (made: unknown) => void, reject })
        port.send({ call, name, given })
      }),
    lose: (reason) => {
      lost = reason
      for (const { reject } of waiting.values()) reject(failed(reason))
      waiting.clear()
    },
  }
}
