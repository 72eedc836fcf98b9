import { readdirSync, readFileSync } from "node:fs"

/** Microseconds of CPU that a process has used, of all its threads, those that ended too. */
export const cpuOf = (pid: number): number => {
  const threads = readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + ranFor(`/proc/${pid}/task/${thread}/schedstat`), 0)
  // The process's own account counts ended threads, in ticks of 10 ms; it is ahead only when some have ended.
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const ticks = (Number(fields[11]) + Number(fields[12])) * 10_000
  return ticks > threads + 20_000 ? ticks : threads
}

/** Microseconds of CPU that children of a process had used which ended, as far as it has noticed: the rest of {@link cpuOf} of a process and its children. */
export const cpuOfEnded = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[13]) + Number(fields[14])) * 10_000
}

/** CPU of each thread in microseconds, by its number and name. */
export const threadsOf = (pid: number): ReadonlyMap<string, number> =>
  new Map(
    readdirSync(`/proc/${pid}/task`).map((thread) => {
      const at = `/proc/${pid}/task/${thread}`
      return [`${thread} ${readFileSync(`${at}/comm`, "utf8").trim()}`, ranFor(`${at}/schedstat`)]
    }),
  )

/** The first figure of schedstat: nanoseconds on a CPU. */
const ranFor = (path: string): number => {
  try {
    return Number(readFileSync(path, "utf8").split(" ")[0]) / 1000
  } catch {
    return 0 // a thread that ended between the listing and here
  }
}

/** Resident memory of a process, in MB. */
export const memoryOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
