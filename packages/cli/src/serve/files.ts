import { readFileSync } from "node:fs"
import type { Limits } from "@postern/adapter-http"

/** The files that a server may need besides its connections: for the database, the log, its threads and the hosts that it calls. */
const besides = 256

/**
 * Returns the number of files that this process may open, which counts connections too; undefined where the system does not tell. Node has
 * raised the soft limit to the hard one.
 */
export const mostFiles = (): number | undefined => {
  try {
    const [, soft] = /^Max open files +(\d+) /m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    // Linux alone has this file.
    return undefined
  }
}

/**
 * Returns limits that a process with so many files can keep. Beyond its files, the system would take connections from the queue and nobody
 * would answer them.
 */
export const withinFiles = (limits: Limits, files: number | undefined): Limits => {
  if (files === undefined || files >= limits.connections + limits.lingerConnections + besides) return limits
  const left = Math.max(2, files - Math.min(besides, Math.max(64, Math.floor(files / 2))))
  const lingerConnections = Math.min(limits.lingerConnections, Math.max(1, Math.floor(left / 4)))
  return { ...limits, lingerConnections, connections: Math.min(limits.connections, left - lingerConnections) }
}
