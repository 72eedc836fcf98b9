import type { Awaitable } from "@postern/core/ports"

/** Something that was done: by what it was answered, and between which two moments of its history. */
export interface Done<Act, Answer> {
  readonly act: Act
  readonly answer: Answer
  readonly began: number
  readonly ended: number
}

/** The state after something that was answered so; undefined when nobody who does one thing after the other is answered so. */
export type Sequential<State, Act, Answer> = (state: State, act: Act, answer: Answer) => State | undefined

/**
 * The order of things that explains a history: done so one after the other, each is answered as it was, what had ended before another began
 * comes before it, and the last state is one that shows. Undefined when no order does: then the history is not linearisable.
 */
export const linearised = async <State, Act, Answer>(
  history: ReadonlyArray<Done<Act, Answer>>,
  state: State,
  step: Sequential<State, Act, Answer>,
  shows: (state: State) => Awaitable<boolean>,
): Promise<ReadonlyArray<Act> | undefined> => {
  if (history.length === 0) return (await shows(state)) ? [] : undefined
  for (const [at, { act, answer, began }] of history.entries()) {
    if (history.some(({ ended }) => ended < began)) continue
    const after = step(state, act, answer)
    const rest = after === undefined ? undefined : await linearised(history.toSpliced(at, 1), after, step, shows)
    if (rest !== undefined) return [act, ...rest]
  }
  return undefined
}
