import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Part of a core that a process may use and no more. */
export interface Share {
  readonly release: () => void
}

const period = 10_000

/** Gives a process a share of a core, by the kernel's control groups; undefined where this user may not. */
export const share = (name: string, pid: number, part: number): Share | undefined => {
  const quota = Math.round(period * part)
  try {
    // The second version has one tree, the first one for each resource.
    const [root, set] = existsSync("/sys/fs/cgroup/cgroup.controllers")
      ? ["/sys/fs/cgroup", (at: string) => writeFileSync(join(at, "cpu.max"), `${quota} ${period}`)]
      : [
          "/sys/fs/cgroup/cpu",
          (at: string) => {
            writeFileSync(join(at, "cpu.cfs_period_us"), String(period))
            writeFileSync(join(at, "cpu.cfs_quota_us"), String(quota))
          },
        ]
    const group = join(root, `${name}-${pid}`)
    mkdirSync(group)
    try {
      set(group)
      writeFileSync(join(group, "cgroup.procs"), String(pid))
    } catch (error) {
      rmdirSync(group)
      throw error
    }
    return { release: () => rmdirSync(group) }
  } catch {
    return undefined
  }
}
