import { execFileSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { integrityOf } from "./kill.ts"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf, startLoad, verifyAll } from "./load.ts"
import { untilWritten } from "./locked.ts"
import { pause, Refused, serveIn } from "./process.ts"
import { probing, readsOf, setApart } from "./probes.ts"
import { breachesOf, milliseconds, type Row, type Run, Skipped } from "./row.ts"
import { makeSetting, type Setting } from "./setting.ts"

/** A small file system of its own. */
export interface Disk {
  readonly path: string
  /** Takes all the room that is left; answers with how to give it back. */
  readonly fill: () => () => void
  readonly remount: (how: "ro" | "rw") => void
  readonly remove: () => void
}

/** Mounts a tmpfs of so many megabytes. Fails with {@link Skipped} where that is not permitted. */
export const smallDisk = (megabytes: number): Disk => {
  const path = mkdtempSync(join(tmpdir(), "postern-disk-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "tmpfs", path], { stdio: "pipe" })
  } catch (cause) {
    rmSync(path, { recursive: true, force: true })
    throw new Skipped("a tmpfs cannot be mounted here; it takes root and the permission to mount", { cause })
  }
  return {
    path,
    fill: () => {
      const file = join(path, "filler")
      const opened = openSync(file, "w")
      try {
        for (const size of [262_144, 4096, 512]) {
          const block = new Uint8Array(size)
          for (let room = true; room;) {
            try {
              room = writeSync(opened, block) === size
            } catch {
              room = false
            }
          }
        }
      } finally {
        closeSync(opened)
      }
      return () => rmSync(file)
    },
    remount: (how) => void execFileSync("mount", ["-o", `remount,${how}`, path], { stdio: "pipe" }),
    remove: () => {
      execFileSync("umount", ["-l", path], { stdio: "pipe" })
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** Number of cycles that share a disk, before the tables alone would fill it. */
const cyclesPerDisk = 5

interface Seen {
  refused: number
  readonly healing: Array<number>
  readonly problems: Array<string>
}

const cycles = async (
  setting: Setting,
  disk: Disk,
  count: number,
  clients: number,
  fullFor: number,
  chance: () => number,
  ledger: Ledger,
  seen: Seen,
): Promise<void> => {
  const server = await serveIn(setting)
  const actors = await assemble(ledger, clients, () => setting.url)
  const { jwt, busy } = await setApart(actors)
  for (let cycle = 0; cycle < count; cycle++) {
    const load = startLoad(busy, chance, { untilDown: false })
    await pause(150 + chance() * 200)
    const from = ledger.entries.length
    const free = disk.fill()
    const probe = probing(readsOf(setting.url, jwt))
    const refusedSince = (): number => ledger.entries.slice(from).filter(({ status }) => status === 503).length
    await pause(fullFor)
    // The write-ahead log may have had room left in itself.
    for (let wait = 0; refusedSince() === 0 && wait < 100; wait++) await pause(100)
    const refused = refusedSince()
    seen.refused += refused
    if (refused === 0) seen.problems.push("nothing was refused: the disk was not full for the database")
    await probe.stop()
    free()
    seen.healing.push(await untilWritten(setting.url))
    load.stop()
    await load.ended
    for (const { name, bad } of probe.probes) if (bad.length > 0) seen.problems.push(`${name} was answered ${[...new Set(bad)].join(", ")}`)
    await verifyAll(actors, { chance, replayed: 0.4, dead: 1 })
    const integrity = integrityOf(setting.database)
    if (integrity !== "ok") seen.problems.push(`integrity_check says ${integrity}`)
  }
  if (server.child.exitCode !== null) seen.problems.push("the server is gone")
  await server.end("SIGTERM")
  await readOnlyStart(setting, disk, seen)
}

/** On a file system that has become read-only a start is refused in one line, and nothing is changed. */
const readOnlyStart = async (setting: Setting, disk: Disk, seen: Seen): Promise<void> => {
  disk.remount("ro")
  try {
    await serveIn(setting).then(
      async (server) => {
        seen.problems.push("a read-only file system was served from")
        await server.end("SIGKILL")
      },
      (error: unknown) => {
        if (!(error instanceof Refused) || error.code !== 1) seen.problems.push(`read-only: ${String(error)}`)
        else if (error.output.trim().split("\n").length > 2 || /^ +at /m.test(error.output))
          seen.problems.push(`read-only: ${error.output}`)
      },
    )
  } finally {
    disk.remount("rw")
  }
  const server = await serveIn(setting)
  await server.end("SIGTERM")
}

/** R4: the disk fills up under load, and is freed. */
export const full = async ({ times, seed, say }: Run, clients = 32, fullFor = 1500): Promise<Row> => {
  const chance = chanceOf(seed)
  const ledger = new Ledger()
  const seen: Seen = { refused: 0, healing: [], problems: [] }
  for (let done = 0; done < times;) {
    const count = Math.min(cyclesPerDisk, times - done)
    const disk = smallDisk(16)
    try {
      const setting = await makeSetting({}, disk.path)
      await cycles(setting, disk, count, clients, fullFor, chance, ledger, seen)
    } finally {
      disk.remove()
    }
    done += count
    say(
      `${done} cycles, ${seen.refused} refused, ${ledger.breaches.length} breaches, healed after at most ${Math.round(Math.max(...seen.healing))} ms`,
    )
  }
  return {
    fault: "R4",
    done: `a 16 MB tmpfs is filled for ${fullFor / 1000} s under ${clients} clients and freed; every ${cyclesPerDisk} cycles it is made read-only and a start is tried`,
    times,
    lost: ledger.breaches.length,
    figures: {
      "refused with 503": seen.refused,
      "first write after freeing, at most": milliseconds(Math.max(...seen.healing)),
      "facts looked at": ledger.facts,
    },
    problems: [...seen.problems, ...breachesOf(ledger)],
  }
}
