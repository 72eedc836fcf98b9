/** The phase of the group at hand; one group is committed at a time. */
export type Phase =
  /** No set waits and none is being committed. */
  | { readonly _tag: "Idle" }
  /** Sets gather until `quiet` turns in a row brought none, `most` turns in all; `seen` of them had come by the last turn. */
  | { readonly _tag: "Gathering"; readonly seen: number; readonly quiet: number; readonly most: number }
  /** One group is being committed; what arrives meanwhile waits for the next. */
  | { readonly _tag: "Committing" }

/** The growth of the write-ahead log, and the state of its checkpoint. */
export interface LogGrowth {
  /** Commits since the last checkpoint began. */
  readonly commits: number
  /** Sets in these commits. */
  readonly sets: number
  /** `Growing`, then `Checkpointing` in the worker, then `Checkpointed`: the worker's next commit restarts the log. */
  readonly state: "Growing" | "Checkpointing" | "Checkpointed"
}

/** The state of the group commit. */
export interface Gathering {
  readonly phase: Phase
  /** Number of sets that wait. */
  readonly waiting: number
  readonly log: LogGrowth
}

/** An event in the life of a group commit. */
export type Event =
  /** A set of commands is to be committed. */
  | { readonly _tag: "Arrived" }
  /** A turn of the event loop has ended. */
  | { readonly _tag: "TurnEnded" }
  /** The group at hand is durable, committed by the event loop. */
  | { readonly _tag: "Logged"; readonly sets: number }
  /** The group at hand was answered otherwise: by the worker, with conflicts alone, or with a failure. */
  | { readonly _tag: "Ended" }
  /** The worker has checkpointed the log. */
  | { readonly _tag: "Checkpointed" }

/** An action that a transition calls for. */
export type Action =
  /** Refuse the set that arrived: too many wait. */
  | { readonly _tag: "Refuse" }
  /** Report the end of the next turn of the event loop. */
  | { readonly _tag: "AwaitTurn" }
  /** Commit the first sets that wait: inline, or by the worker, which restarts the log first if `restartWal`. */
  | { readonly _tag: "Commit"; readonly sets: number; readonly by: "inline" | "worker"; readonly restartWal: boolean }
  /** Let the worker bring the log into the database. */
  | { readonly _tag: "Checkpoint" }

/** Bounds of the group commit. */
export const bounds = {
  /** Sets that one sync makes durable. */
  together: 500,
  /** Sets that may wait: more than that is not served in any time worth waiting for. */
  waiting: 10_000,
  /**
   * A commit costs the disk the same however much it holds. So it is made when `quiet` turns of the event loop in a row brought nothing more
   * to it, or after `most` turns: microseconds on an idle server. Gain over a commit after one turn, 16 connections: 12 % less CPU for a
   * reference token, 10 % for a refresh (`node bench/beside.ts`, 60 rounds).
   */
  turns: { quiet: 2, most: 6 },
  /** Commits, or sets, after which the log is checkpointed. A commit is a few pages of 4 KiB. */
  checkpoint: { commits: 250, sets: 1000 },
}

/** Nothing waits, and the log is as it was found. */
export const atRest: Gathering = { phase: { _tag: "Idle" }, waiting: 0, log: { commits: 0, sets: 0, state: "Growing" } }

/** A state, with what is to be done about it, in this order. */
export type Step = readonly [state: Gathering, actions: ReadonlyArray<Action>]

const nothing: ReadonlyArray<Action> = []
const awaitTurn: ReadonlyArray<Action> = [{ _tag: "AwaitTurn" }]
const refuse: ReadonlyArray<Action> = [{ _tag: "Refuse" }]

/**
 * Takes the group commit from one state to the next. `inline` tells whether the event loop commits; else the worker does. An event that has
 * no place in a state changes nothing.
 */
export const step = (inline: boolean, state: Gathering, event: Event): Step => {
  switch (event._tag) {
    case "Arrived":
      if (state.waiting >= bounds.waiting) return [state, refuse]
      return arranged({ ...state, waiting: state.waiting + 1 })
    case "TurnEnded":
      return state.phase._tag === "Gathering" ? turned(inline, state, state.phase) : [state, nothing]
    case "Logged":
      return state.phase._tag === "Committing" ? logged(state, event.sets) : [state, nothing]
    case "Ended":
      return state.phase._tag === "Committing" ? arranged({ ...state, phase: atRest.phase }) : [state, nothing]
    case "Checkpointed":
      return state.log.state === "Checkpointing" ? [{ ...state, log: { ...state.log, state: "Checkpointed" } }, nothing] : [state, nothing]
  }
}

/** Begins to gather where something waits and nothing else is under way. */
const arranged = (state: Gathering): Step =>
  state.phase._tag === "Idle" && state.waiting > 0
    ? [{ ...state, phase: { _tag: "Gathering", seen: state.waiting, ...bounds.turns } }, awaitTurn]
    : [state, nothing]

const turned = (inline: boolean, state: Gathering, { seen, quiet, most }: Extract<Phase, { readonly _tag: "Gathering" }>): Step => {
  const { waiting } = state
  const hasNew = waiting > seen
  if (most === 1 || waiting >= bounds.together || (!hasNew && quiet === 1)) return committed(inline, state)
  const left = { quiet: hasNew ? bounds.turns.quiet : quiet - 1, most: most - 1 }
  return [{ ...state, phase: { _tag: "Gathering", seen: waiting, ...left } }, awaitTurn]
}

const committed = (inline: boolean, state: Gathering): Step => {
  const sets = Math.min(state.waiting, bounds.together)
  const restartWal = state.log.state === "Checkpointed"
  const log: LogGrowth = restartWal ? { ...state.log, state: "Growing" } : state.log
  const by = inline && !restartWal ? "inline" : "worker"
  return [{ phase: { _tag: "Committing" }, waiting: state.waiting - sets, log }, [{ _tag: "Commit", sets, by, restartWal }]]
}

/** The log grows by what the event loop commits; the worker checkpoints it, all but the last of it while others write. */
const logged = ({ waiting, log }: Gathering, sets: number): Step => {
  const grown: LogGrowth = { ...log, commits: log.commits + 1, sets: log.sets + sets }
  const isDue = log.state === "Growing" && (grown.commits >= bounds.checkpoint.commits || grown.sets >= bounds.checkpoint.sets)
  const next = isDue ? ({ commits: 0, sets: 0, state: "Checkpointing" } as const) : grown
  const [state, actions] = arranged({ phase: atRest.phase, waiting, log: next })
  return isDue ? [state, [{ _tag: "Checkpoint" }, ...actions]] : [state, actions]
}
