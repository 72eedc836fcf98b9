/** Runs what it is given in one turn of the event loop together, at its end and in order. Nothing of it may throw. */
export const gathered = (): ((task: () => void) => void) => {
  let waiting: Array<() => void> = []
  const run = (): void => {
    const due = waiting
    waiting = []
    for (const task of due) task()
  }
  return (task) => {
    if (waiting.push(task) === 1) setImmediate(run)
  }
}
