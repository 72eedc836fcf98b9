import type { Duplex } from "node:stream"
import type { Asking } from "./asking.ts"
import { eachLine, wordsOf } from "./framing.ts"
import { bounds } from "./gathering.ts"
import type { Outcome, Work, Works } from "./protocol.ts"

/** The sets of commands of one process, waiting to be committed with those of others. */
interface Waiting {
  /** A JSON list of sets. */
  readonly sets: string
  readonly count: number
  readonly settle: (outcome: Outcome) => void
}

/**
 * Writes for other processes on one database. It passes the work that each sends over its stream to the writing thread, and returns the
 * outcomes. Sets that arrive while the thread commits go into its next commit, whichever process they came from, so the processes share the
 * wait for the disk. Each process sends one list of sets at a time, which bounds the queue. The thread waits for the disk within the
 * commit, so others see a commit only when it is on disk.
 */
export const writingFor = ({ ask }: Pick<Asking, "ask">): ((stream: Duplex) => void) => {
  let waiting: Array<Waiting> = []
  let committing = false
  let due = false
  let log = { commits: 0, sets: 0, checkpointed: false }

  const commit = (): void => {
    due = false
    const group = waiting
    if (committing || group.length === 0) return
    waiting = []
    committing = true
    const count = group.reduce((sum, each) => sum + each.count, 0)
    const sets = group.length === 1 ? (group[0]?.sets ?? "[]") : `[${group.map((each) => each.sets.slice(1, -1)).join(",")}]`
    const restartWal = log.checkpointed
    log = restartWal ? { commits: 1, sets: count, checkpointed: false } : { ...log, commits: log.commits + 1, sets: log.sets + count }
    ask("commit", { sets, count, restartWal }, (outcome) => {
      committing = false
      deal(group, outcome)
      checkpointWhereDue()
      commit()
    })
  }
  /** Requests a checkpoint when one is due. While processes read continuously, the log restarts only if it is forced to. */
  const checkpointWhereDue = (): void => {
    if (log.checkpointed || (log.commits < bounds.checkpoint.commits && log.sets < bounds.checkpoint.sets)) return
    log = { commits: 0, sets: 0, checkpointed: false }
    ask("checkpoint", undefined, () => void (log = { ...log, checkpointed: true }))
  }
  const take = (line: string, answer: (id: string, outcome: Outcome) => void): void => {
    const [id = "", count = "", rest = ""] = wordsOf(line, 2)
    const settle = (outcome: Outcome): void => answer(id, outcome)
    if (count === "-") {
      // The line was written by `askingOver` on the other side.
      const { name, given } = JSON.parse(rest) as Work
      // The arguments match the name.
      return ask(name, given as Works[typeof name]["given"], settle)
    }
    waiting.push({ sets: rest, count: Number(count), settle })
    if (committing || due) return
    // Messages that other processes have sent meanwhile are read in this turn as well.
    due = true
    setImmediate(commit)
  }
  return (stream) => {
    eachLine(stream, (line) =>
      take(line, (id, outcome) => {
        if (stream.writable) stream.write(`${id} ${JSON.stringify(outcome)}\n`)
      }),
    )
    // A process that died no longer waits for an answer.
    stream.on("error", () => stream.destroy())
    stream.on("end", () => stream.end())
  }
}

/** Gives each process the results of its own sets. */
const deal = (group: ReadonlyArray<Waiting>, outcome: Outcome): void => {
  let from = 0
  for (const { count, settle } of group) {
    settle("made" in outcome && Array.isArray(outcome.made) ? { made: outcome.made.slice(from, from + count) } : outcome)
    from += count
  }
}
