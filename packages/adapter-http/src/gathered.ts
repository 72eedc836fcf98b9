/**
 * Batches items and processes them in order when `later` runs its callback, such as at the end of the event-loop turn. `work` must not
 * throw.
 */
export const gathered = <Item>(later: (run: () => void) => unknown, work: (item: Item) => void): ((item: Item) => void) => {
  let waiting: Array<Item> = []
  const run = (): void => {
    const due = waiting
    waiting = []
    for (const item of due) work(item)
  }
  return (item) => {
    if (waiting.push(item) === 1) later(run)
  }
}
