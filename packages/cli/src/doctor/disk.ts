import { statfsSync, statSync } from "node:fs"
import { bytes } from "../terminal/amounts.ts"
import { fault, type Observation, ok, warning } from "./observation.ts"

/** The minimum free space, in bytes. Less could be used up before the next check. */
const least = 16 * 1024 * 1024

/** The free space that even the smallest database needs to grow and to be backed up, in bytes. */
const comfortable = 256 * 1024 * 1024

/** File systems unsuitable for SQLite, by Linux's type number. */
const unfit: Readonly<Record<number, readonly [name: string, hint: string]>> = {
  0x6969: ["NFS", "keep the database on a local disk: file locks over a network are unreliable"],
  0xff534d42: ["CIFS", "keep the database on a local disk: file locks over a network are unreliable"],
  0xfe534d42: ["SMB", "keep the database on a local disk: file locks over a network are unreliable"],
  0x01021994: ["tmpfs, which is memory", "keep the database on a disk: it is lost when this machine restarts"],
}

/** Checks the file system of a database. */
export const checkedDisk = (file: string, folder: string): ReadonlyArray<Observation> => {
  const { bavail, bsize, files, ffree, type } = statfsSync(folder)
  const free = bavail * bsize
  const size = sizeOf(file) + sizeOf(`${file}-wal`)
  const found = unfit[type]
  return [
    space(free, size, folder),
    ...(files > 0 && ffree === 0
      ? [fault("disk.files", `${folder} can hold no more files`, "remove some: the log and backups need one each")]
      : []),
    ...(found === undefined ? [] : [warning("disk.kind", `${folder} is on ${found[0]}`, found[1])]),
  ]
}

const space = (free: number, size: number, folder: string): Observation => {
  const said = `${bytes(free)} free in ${folder}; the database has ${bytes(size)}`
  if (free < least) return fault("disk.space", said, "free space now: when the disk is full, writes fail and are answered 503")
  return free < Math.max(size, comfortable)
    ? warning("disk.space", said, "free space: the database may grow, and a backup on the same disk needs as much again")
    : ok("disk.space", said)
}

/** Returns the size of a file, or 0 if it doesn't exist. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
