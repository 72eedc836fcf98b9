import { createHash } from "node:crypto"
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import module from "node:module"
import { basename, join } from "node:path"

/** The configuration files that this version of the code has found valid. */
export interface SoundBefore {
  readonly has: (text: string) => boolean
  readonly keep: (text: string) => void
}

/** A chunk's name contains a digest of its code and its imports, which include the configuration rules. */
const named = /^.*-[A-Z0-9]{8}\.js$/

/** The maximum number of remembered files. */
const most = 20

const begin = "sound-"

/** Remembers valid files in the compile cache folder, to which only this user can write. */
export const soundBefore = (): SoundBefore | undefined => soundBeforeIn(module.getCompileCacheDir(), basename(import.meta.url))

/**
 * Remembers valid files by their digests in a folder. Returns undefined if there is no folder, or the code's file name contains no digest.
 */
export const soundBeforeIn = (place: string | undefined, code: string): SoundBefore | undefined => {
  if (place === undefined || !named.test(code)) return undefined
  const fileOf = (text: string): string =>
    join(place, begin + createHash("sha256").update(`${code} ${process.version}\n`).update(text).digest("base64url"))
  return {
    has: (text) => existsSync(fileOf(text)),
    keep: (text) => {
      try {
        writeFileSync(fileOf(text), "", { mode: 0o600 })
        forget(place)
      } catch {
        // The next start validates the file again.
      }
    },
  }
}

const forget = (place: string): void => {
  const kept = readdirSync(place).filter((name) => name.startsWith(begin))
  if (kept.length <= most) return
  const newest = kept.map((name) => join(place, name)).map((file) => ({ file, at: statSync(file).mtimeMs }))
  for (const { file } of newest.sort((one, other) => other.at - one.at).slice(most)) rmSync(file, { force: true })
}
