/** The phase of the current group. One group is committed at a time. */
export type Phase =
  /** No set is waiting or being committed. */
  | { readonly _tag: "Idle" }
  /**
   * Sets gather until `quiet` consecutive turns brought none, or until `most` turns have passed. `seen` is the number that had arrived by
   * the last turn.
   */
  | { readonly _tag: "Gathering"; readonly seen: number; readonly quiet: number; readonly most: number }
  /** One group is being committed. Sets that arrive meanwhile wait for the next. */
  | { readonly _tag: "Committing" }

/** The growth of the write-ahead log, and the state of its checkpoint. */
export interface LogGrowth {
  /** Commits since the last checkpoint began. */
  readonly commits: number
  /** Sets in those commits. */
  readonly sets: number
  /** `Growing`, then `Checkpointing` in the worker, then `Checkpointed`: the worker's next commit restarts the log. */
  readonly state: "Growing" | "Checkpointing" | "Checkpointed"
}

/** The state of the group commit. */
export interface Gathering {
  readonly phase: Phase
  /** The number of waiting sets. */
  readonly waiting: number
  readonly log: LogGrowth
}

/** An event in the life of a group commit. */
export type Event =
  /** A set of commands arrived to be committed. */
  | { readonly _tag: "Arrived" }
  /** A turn of the event loop has ended. */
  | { readonly _tag: "TurnEnded" }
  /** The current group was committed by the event loop and is durable. */
  | { readonly _tag: "Logged"; readonly sets: number }
  /** The current group ended otherwise: by the worker, with conflicts only, or with a failure. */
  | { readonly _tag: "Ended" }
  /** The worker has checkpointed the log. */
  | { readonly _tag: "Checkpointed" }

/** An action that a transition calls for. */
export type Action =
  /** Refuse the set that arrived, because too many are waiting. */
  | { readonly _tag: "Refuse" }
  /** Report the end of the next event-loop turn. */
  | { readonly _tag: "AwaitTurn" }
  /** Commit the first waiting sets, inline or by the worker. With `restartWal`, the worker restarts the log first. */
  | { readonly _tag: "Commit"; readonly sets: number; readonly by: "inline" | "worker"; readonly restartWal: boolean }
  /** Let the worker checkpoint the log. */
  | { readonly _tag: "Checkpoint" }

/** Bounds of the group commit. */
export const bounds = {
  /** The maximum number of sets that one sync makes durable. */
  together: 500,
  /** The maximum number of waiting sets. More could not be served in an acceptable time. */
  waiting: 10_000,
  /**
   * The number of event-loop turns for which a group gathers. A commit costs the disk the same however much it holds, so it is made after
   * `quiet` consecutive turns without a new set, or after `most` turns. On an idle server these take microseconds. Gain over a commit after
   * one turn, 16 connections: 12 % less CPU for a reference token, 10 % for a refresh (`node bench/beside.ts`, 60 rounds).
   */
  turns: { quiet: 2, most: 6 },
  /** The number of commits, or of sets, after which the log is checkpointed. A commit is a few pages of 4 KiB. */
  checkpoint: { commits: 250, sets: 1000 },
}

/** The initial state. Nothing is waiting, and the log has not grown. */
export const atRest: Gathering = { phase: { _tag: "Idle" }, waiting: 0, log: { commits: 0, sets: 0, state: "Growing" } }

/** A new state, and the actions to perform in this order. */
export type Step = readonly [state: Gathering, actions: ReadonlyArray<Action>]

const nothing: ReadonlyArray<Action> = []
const awaitTurn: ReadonlyArray<Action> = [{ _tag: "AwaitTurn" }]
const refuse: ReadonlyArray<Action> = [{ _tag: "Refuse" }]

/**
 * Returns the next state of the group commit and the actions to perform. With `inline`, the event loop commits; otherwise the worker does.
 * An event that does not apply in the current state changes nothing.
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

/** Starts gathering if sets are waiting and nothing else is under way. */
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

/**
 * Counts a commit by the event loop towards the log's growth, and starts a checkpoint when it is due. While others write, the worker
 * checkpoints all but the end of the log.
 */
const logged = ({ waiting, log }: Gathering, sets: number): Step => {
  const grown: LogGrowth = { ...log, commits: log.commits + 1, sets: log.sets + sets }
  const isDue = log.state === "Growing" && (grown.commits >= bounds.checkpoint.commits || grown.sets >= bounds.checkpoint.sets)
  const next = isDue ? ({ commits: 0, sets: 0, state: "Checkpointing" } as const) : grown
  const [state, actions] = arranged({ phase: atRest.phase, waiting, log: next })
  return isDue ? [state, [{ _tag: "Checkpoint" }, ...actions]] : [state, actions]
}
