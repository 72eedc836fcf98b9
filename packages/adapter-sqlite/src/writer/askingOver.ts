import { deadline } from "@postern/stores"
import type { Duplex } from "node:stream"
import type { Asking } from "./asking.ts"
import { eachLine, wordsOf } from "./framing.ts"
import type { Outcome, Work, Works } from "./protocol.ts"

/** Returns the line that requests work: `ID COUNT SETS` for a commit, whose sets are JSON already, and `ID - WORK` for anything else. */
const lineOf = (id: number, work: Work): string => {
  if (work.name !== "commit") return `${id} - ${JSON.stringify(work)}\n`
  return `${id} ${work.given.count} ${work.given.sets}\n`
}

/** Pending work, with the function that cancels its deadline. */
interface Asked {
  readonly work: Work
  readonly settle: (outcome: Outcome) => void
  readonly inTime: () => void
}

/**
 * The time within which the writing process must answer, in milliseconds. That process waits for a lock for at most half a second at a
 * time.
 */
const patience = 10_000

/** The maximum number of pending requests. More could not be done in an acceptable time. */
const most = 1_000

/**
 * Sends work over a stream to the process that writes for this one. If the stream ends, pending work fails with the code `LOST`; if an
 * answer is late, its work fails with the code `TIMEOUT`. In both cases the work may or may not be done. While an answer is late or too
 * much work is pending, nothing more is sent: new work fails at once with the code `OVERLOADED` and is not done. `answered` receives every
 * outcome before the caller does.
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
    // The line was written by `writingFor` on the other side. JSON omits undefined members.
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
