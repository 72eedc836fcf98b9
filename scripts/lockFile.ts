// Reads pnpm-lock.yaml.
import { readFileSync } from "node:fs"
import { parseDocument } from "../packages/cli/src/config/yaml.ts"

/** A package as the lock file pins it. */
export interface Locked {
  /** The digest of its tarball, as Subresource Integrity spells it. */
  readonly resolution: { readonly integrity: string }
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly os?: unknown
  readonly cpu?: unknown
  readonly libc?: unknown
}

/** A package with the dependencies that it was resolved to, by name. */
export interface Snapshot {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** The dependencies of a package of the workspace, by name. */
export type Direct = Readonly<Record<string, { readonly version: string }>>

/** The lock file. Packages are under `name@version`, snapshots under `name@reference`. */
export interface LockFile {
  readonly importers: Readonly<Record<string, { readonly dependencies?: Direct; readonly devDependencies?: Direct }>>
  readonly packages: Readonly<Record<string, Locked>>
  readonly snapshots: Readonly<Record<string, Snapshot>>
}

/** The lock file of the workspace. */
export const lockFile = (): LockFile =>
  parseDocument(readFileSync(new URL("../pnpm-lock.yaml", import.meta.url), "utf8")).toJS() as LockFile

/** The version in a reference such as `4.1.0(effect@4.1.0)`. */
export const bare = (reference: string): string => reference.replace(/\(.*$/, "")

/** Tells if a reference is to a package of the workspace. */
export const isOwn = (reference: string): boolean => reference.startsWith("link:")

/** A package of the lock file; throws when there is none. */
export const lockedAs = ({ packages }: LockFile, name: string, reference: string): Locked => {
  const locked = packages[`${name}@${bare(reference)}`]
  if (locked === undefined) throw new Error(`${name}@${bare(reference)} is not in the lock file.`)
  return locked
}
