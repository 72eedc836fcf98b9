/** Runs what it is given together and in order, when `later` comes: at the end of the event loop's turn, or of the callback it is in. Nothing of it may throw. */
export const gathered = (later: (run: () => void) => unknown): ((task: () => void) => void) => {
  let waiting: Array<() => void> = []
  const run = (): void => {
    const due = waiting
    waiting = []
    for (const task of due) task()
  }
  return (task) => {
    if (waiting.push(task) === 1) later(run)
  }
}
