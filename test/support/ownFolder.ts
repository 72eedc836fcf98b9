import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { diskFolder } from "../tiers/memoryFolder.ts"

/** A folder that stays between runs of the tests and that no other user can write to: what is found there is run. */
export const ownFolder = (name: string): string => {
  const home = join(diskFolder(), `postern-${name}-${process.getuid?.() ?? "user"}`)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(home)
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) throw new Error(`${home} is writable by others.`)
  return home
}

/** Removes what stands in such a folder, but for the newest. */
export const forgotten = (home: string, most: number): void => {
  const newest = readdirSync(home)
    .map((name) => ({ path: join(home, name), at: lstatSync(join(home, name)).mtimeMs }))
    .sort((one, other) => other.at - one.at)
  for (const { path } of newest.slice(most)) rmSync(path, { recursive: true, force: true })
}
