import { deadline } from "@postern/stores"
import type { Duplex } from "node:stream"
import type { Asking } from "./asking.ts"
import { eachLine, wordsOf } from "./framing.ts"
import type { Outcome, Work, Works } from "./protocol.ts"

/** A line that asks for work: `ID COUNT SETS` for a commit, with the sets as they are JSON already, and `ID - WORK` for anything else. */
const lineOf = (id: number, work: Work): string => {
  if (work.name !== "commit") return `${id} - ${JSON.stringify(work)}\n`
  return `${id} ${work.given.count} ${work.given.sets}\n`
}

/** Work that was asked for, with the end of its deadline. */
interface Asked {
  readonly work: Work
  readonly settle: (outcome: Outcome) => void
  readonly inTime: () => void
}

/** Milliseconds within which the process that writes answers: it waits for locks for at most half a second at a time. */
const patience = 10_000

/** Pieces of work that may wait for an answer at once: more than that are not done in any time worth waiting for. */
const most = 1_000

/**
 * The way to the process that writes for this one, over a stream. A stream that ends fails what was asked with the code `LOST`, and an answer that is late
 * with the code `TIMEOUT`, since nobody knows whether it was done. As long as an answer is late, or where too much waits, nothing more is sent: what
 * is asked fails with the code `OVERLOADED` at once, and was not done. `answered` is told of every outcome before whoever asked.
 */
export const askingOver = (stream: Duplex, answered: (work: Work, outcome: Outcome) => void, limit = patience): Asking => {
  const asked = new Map<string, Asked>()
  const late = new Set<string>()
  let last = 0
  let closed = false
  let idle = (): void => undefined

  const settle = (id: string, outcome: Outcome): void => {
    const found = asked.get(id)
    if (found === undefined) return
    asked.delete(id)
    found.inTime()
    answered(found.work, outcome)
    found.settle(outcome)
    if (asked.size === 0) idle()
  }
  const lose = (): void => {
    closed = true
    for (const id of asked.keys()) settle(id, { operation: "write", code: "LOST" })
  }
  eachLine(stream, (line) => {
    const [id = "", outcome = ""] = wordsOf(line, 1)
    late.delete(id)
    // Written by `writingFor`, on the other side. What is undefined JSON leaves out.
    const told = JSON.parse(outcome) as Outcome
    settle(id, "operation" in told || "defect" in told ? told : { made: told.made })
  })
  stream.on("error", lose)
  stream.on("close", lose)
  return {
    ask: <Name extends keyof Works>(name: Name, given: Works[Name]["given"], tell: (outcome: Outcome) => void) => {
      if (closed) return tell({ operation: name, code: "CLOSED" })
      const id = ++last
      const work = { name, given } as Work
      if (late.size > 0 || asked.size >= most) {
        const outcome = { operation: name, code: "OVERLOADED" }
        answered(work, outcome)
        return tell(outcome)
      }
      const inTime = deadline(limit, () => {
        late.add(String(id))
        settle(String(id), { operation: name, code: "TIMEOUT" })
      })
      asked.set(String(id), { work, settle: tell, inTime })
      stream.write(lineOf(id, work))
    },
    warm: () => undefined,
    close: () =>
      new Promise((resolve) => {
        idle = () => {
          if (closed) return resolve()
          closed = true
          stream.once("close", () => resolve())
          stream.once("finish", () => resolve())
          stream.end()
        }
        if (asked.size === 0) idle()
      }),
  }
}
