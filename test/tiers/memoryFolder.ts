import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { freemem, tmpdir } from "node:os"
import { join } from "node:path"

const gibibyte = 2 ** 30

/** The environment variable that names the folder for temporary files on a disk, where `TMPDIR` names one in memory. */
export const diskVariable = "POSTERN_DISK"

/** The folder for temporary files on a disk: for what stays between runs, and for tests in which waiting for a disk matters. */
export const diskFolder = (): string => process.env[diskVariable] ?? tmpdir()

/**
 * Puts the temporary files of this process and those it starts into memory, where the system has a place for that and room: otherwise most of the time of
 * a test with a database is waiting for the disk that every commit is written to. The folder goes with this process.
 */
export const useMemory = (place = "/dev/shm"): void => {
  if (process.env[diskVariable] !== undefined || process.platform !== "linux") return
  const folder = memoryFolder(place)
  if (folder === undefined) return
  process.env[diskVariable] = tmpdir()
  process.env["TMPDIR"] = folder
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
}

/** A new folder in memory, where programs can be run; undefined when there is no room. */
const memoryFolder = (place: string): string | undefined => {
  try {
    const { bavail, bsize } = statfsSync(place)
    if (bavail * bsize < 4 * gibibyte || freemem() < 4 * gibibyte) return undefined
    for (const name of readdirSync(place)) if (left(name)) rmSync(join(place, name), { recursive: true, force: true })
    const folder = mkdtempSync(join(place, `postern-tests-${process.pid}-`))
    // Databases run as another user, who must come to their folder and need not see the others.
    chmodSync(folder, 0o711)
    const program = join(folder, "program")
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 })
    const ran = spawnSync(program)
    rmSync(ran.status === 0 ? program : folder, { recursive: true })
    return ran.status === 0 ? folder : undefined
  } catch {
    return undefined
  }
}

/** Tells if a folder was left by a run that was killed. */
const left = (name: string): boolean => {
  const pid = Number(/^postern-tests-(\d+)-/.exec(name)?.[1] ?? Number.NaN)
  if (!Number.isInteger(pid)) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH"
  }
}
