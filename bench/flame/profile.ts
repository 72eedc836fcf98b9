/** Profile as V8 writes it with `--cpu-prof`, one file for each thread. */
export interface Profile {
  /** Thread's number, as Node counts them: 0 is the main one. */
  readonly thread: number
  readonly startTime: number
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
    readonly children?: ReadonlyArray<number>
  }>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

/** A frame with all that was called from it; `spent` is in microseconds and counts what was called. */
export interface Frame {
  readonly name: string
  /** Owner of the code. */
  readonly owner: string
  readonly spent: number
  readonly calls: ReadonlyArray<Frame>
}

interface Counted {
  readonly name: string
  readonly owner: string
  spent: number
  readonly calls: Map<string, Counted>
}

/** One tree of the samples between two times, the threads side by side, the main one first. Idle time is left out, and that of a thread that waits for its next work. */
export const treeOf = (profiles: ReadonlyArray<Profile>, from: number, until: number): Frame => {
  const threads = profiles
    .toSorted((left, right) => left.thread - right.thread)
    .map((profile) => ({ ...threadOf(profile, from, until), name: profile.thread === 0 ? "main thread" : `thread ${profile.thread}` }))
    .filter(({ spent }) => spent > 0)
  return { name: "all threads", owner: "", spent: threads.reduce((sum, { spent }) => sum + spent, 0), calls: threads }
}

/** The loop of a thread is the top level of its file: nothing is called from there but what waits for work, which is native and has no frame. */
const isWaiting = (thread: number, frame: Profile["nodes"][number]["callFrame"] | undefined): boolean =>
  frame?.functionName === "(idle)" || (thread > 0 && frame?.functionName === "" && frame.lineNumber === 0)

const threadOf = ({ thread, startTime, nodes, samples, timeDeltas }: Profile, from: number, until: number): Frame => {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const pathOf = (id: number): ReadonlyArray<number> => {
    const path: Array<number> = []
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) path.unshift(at)
    return path
  }
  const paths = new Map<number, ReadonlyArray<number>>()
  const root: Counted = { name: "thread", owner: "", spent: 0, calls: new Map() }
  let time = startTime
  for (const [at, sample] of samples.entries()) {
    const delta = timeDeltas[at] ?? 0
    time += delta
    if (time < from || time > until || isWaiting(thread, frames.get(sample))) continue
    let path = paths.get(sample)
    if (path === undefined) paths.set(sample, (path = pathOf(sample)))
    let counted = root
    root.spent += delta
    for (const id of path) {
      const frame = frames.get(id)
      if (frame === undefined || frame.functionName === "(root)") continue
      const [name, owner] = [nameOf(frame), ownerOf(frame.url, frame.functionName)]
      let next = counted.calls.get(name)
      if (next === undefined) counted.calls.set(name, (next = { name, owner, spent: 0, calls: new Map() }))
      next.spent += delta
      counted = next
    }
  }
  return frozen(root)
}

const frozen = ({ name, owner, spent, calls }: Counted): Frame => ({
  name,
  owner,
  spent,
  calls: [...calls.values()].map(frozen).sort((left, right) => right.spent - left.spent),
})

const nameOf = ({
  functionName,
  url,
  lineNumber,
}: {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}): string => {
  const file = url.replace(/^.*\/node_modules\/(?!.*\/node_modules\/)/, "").replace(/^.*\/packages\//, "")
  return `${functionName === "" ? "(anonymous)" : functionName}${file === "" ? "" : ` ${file}:${lineNumber + 1}`}`
}

const ownerOf = (url: string, functionName: string): string => {
  if (functionName === "(garbage collector)") return "garbage collector"
  const library = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  if (library !== undefined && !library.startsWith("@postern/")) return library.startsWith("@effect/") ? "effect" : library
  if (url.startsWith("node:")) return "node"
  return url === "" ? "native" : "postern"
}
