import { createHash } from "node:crypto"
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import module from "node:module"
import { basename, join } from "node:path"

/** The texts of configuration files that this very code has found sound. */
export interface SoundBefore {
  readonly has: (text: string) => boolean
  readonly keep: (text: string) => void
}

/** A part of the bundle is named by a digest of its code and of all that it imports: the rules of a configuration are among that. */
const named = /^.*-[A-Z0-9]{8}\.js$/

/** So many stay. */
const most = 20

const begin = "sound-"

/** Remembers sound files beside what the code was compiled to, where nobody but this user can write. */
export const soundBefore = (): SoundBefore | undefined => soundBeforeIn(module.getCompileCacheDir(), basename(import.meta.url))

/** Remembers sound files by their digests in a folder; undefined where there is none, or the code has no name of its own. */
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
        // The next start judges the file again.
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
