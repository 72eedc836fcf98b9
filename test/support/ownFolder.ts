import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync } from "node:fs"
import { dirname, join } from "node:path"
import { diskFolder } from "../tiers/memoryFolder.ts"

/** A folder that stays between runs of the tests and that no other user can write to: what is found there is run. */
export const ownFolder = (name: string): string => {
  const home = join(diskFolder(), `postern-${name}-${process.getuid?.() ?? "user"}`)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(home)
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) throw new Error(`${home} is writable by others.`)
  return home
}

/** Milliseconds for which what was made or used stays, however much there is: longer than any run of the tests takes. */
const inUse = 3_600_000

/** Notes that something in such a folder is used, which keeps it for the time of a run. */
export const used = (path: string): void => {
  try {
    utimesSync(path, new Date(), new Date())
  } catch {
    // Another run has just removed it, or it is another user's: whoever needs it finds that out.
  }
}

/** Removes what stands in such a folder, but for the newest and for what another run may use or be about to make. */
export const forgotten = (home: string, most: number): void => {
  const kept = readdirSync(home).flatMap((name) => {
    const path = join(home, name)
    // Another run may remove or rename it meanwhile.
    const at = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs
    return at === undefined ? [] : [{ path, at }]
  })
  const newest = kept.sort((one, other) => other.at - one.at)
  for (const { path, at } of newest.slice(most)) if (at < Date.now() - inUse) rmSync(path, { recursive: true, force: true })
}

/** Gives a draft in such a folder its name, unless another test has made the same one meanwhile; then removes old ones but for the newest. */
export const named = (draft: string, place: string, most: number): void => {
  try {
    renameSync(draft, place)
  } catch {
    rmSync(draft, { recursive: true, force: true })
  }
  forgotten(dirname(place), most)
}
