import { execFileSync } from "node:child_process"
import { createReadStream, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { openDatabase } from "@postern/adapter-sqlite"
import type { Database } from "better-sqlite3"
import type { Actor } from "./actor.ts"
import { Disk, type Stroke, filesOf, strokeReader } from "./disk.ts"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf } from "./load.ts"
import { begin, redeem, revoke, rotate } from "./operations.ts"
import { serveIn } from "./process.ts"
import { breachesOf, type Row, type Run, Skipped } from "./row.ts"
import { makeSetting, type Setting } from "./setting.ts"

/** Something that was acknowledged, and when its answer was there. Each of them holds for good. */
interface Fact {
  readonly at: number
  readonly kind: "code spent" | "access token issued" | "refresh token issued" | "refresh token rotated" | "grant revoked"
  readonly locator: string
}

/** A served load as the kernel saw it, and what it was promised. */
export interface Recording {
  readonly files: ReadonlyMap<string, Buffer>
  readonly strokes: ReadonlyArray<Stroke>
  readonly facts: ReadonlyArray<Fact>
}

/** The locator of a handle: sixteen characters after its kind. */
const locatorOf = (handle: string): string => handle.slice(2, 18)

/** Now in microseconds since 1970, rounded up: what is acknowledged is never dated before its answer. */
const soon = (): number => (Date.now() + 1) * 1000

/** Chains that are begun, rotated and revoked by one actor, with what was acknowledged. */
const working = async (actor: Actor, chance: () => number, enough: () => boolean, facts: Array<Fact>): Promise<void> => {
  const note = (kind: Fact["kind"], handle: string): void => void facts.push({ at: soon(), kind, locator: locatorOf(handle) })
  while (!enough()) {
    const chain = await begin(actor)
    if (chain === undefined) throw new Error("no code")
    await redeem(actor, chain)
    const issued = (): void => {
      const access = chain.access.at(-1)
      const refresh = chain.refresh.at(-1)
      if (access !== undefined && actor.client.format === "reference") note("access token issued", access.value)
      if (refresh !== undefined) note("refresh token issued", refresh.value)
    }
    note("code spent", chain.code)
    issued()
    for (let times = chance() * 12; times > 0 && !enough(); times--) {
      const last = chain.refresh.at(-1)
      await rotate(actor, chain)
      if (last?.use !== "spent") continue
      note("refresh token rotated", last.value)
      issued()
    }
    const last = chain.refresh.at(-1)
    if (chance() < 0.4 && last !== undefined) {
      await revoke(actor, chain)
      if (chain.grant === "dead") note("grant revoked", last.value)
    }
    actor.chains = []
  }
}

/** Serves a load of so many acknowledged facts under strace, from a database that is at rest. */
export const record = async (
  setting: Setting,
  clients: number,
  wanted: number,
  chance: () => number,
): Promise<Recording & { readonly ledger: Ledger }> => {
  try {
    execFileSync("strace", ["-e", "trace=none", "true"], { stdio: "pipe" })
  } catch (cause) {
    throw new Skipped("there is no strace here, or it may not trace (apt-get install strace)", { cause })
  }
  // The schema and the keys are made, and at rest, before anything is recorded.
  await (await serveIn(setting)).end("SIGTERM")
  const files = filesOf([setting.database])
  const trace = join(setting.folder, "trace")
  const calls = "trace=pwrite64,ftruncate,fdatasync,fsync"
  const server = await serveIn(setting, {
    through: ["strace", "-f", "--seccomp-bpf", "-ttt", "-T", "-y", "-s", "70000", "--strings-in-hex=all", "-e", calls, "-o", trace],
    patience: 120_000,
  })
  const ledger = new Ledger()
  const facts: Array<Fact> = []
  const actors = (await assemble(ledger, 64, () => setting.url)).filter(({ client }) => client.format === "reference").slice(0, clients)
  await Promise.all(actors.map((actor) => working(actor, chance, () => facts.length >= wanted, facts)))
  // strace itself would not pass a signal on: the server is its child.
  const [child = ""] = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8").trim().split(" ")
  process.kill(Number(child), "SIGTERM")
  await server.exited
  const reader = strokeReader((path) => path === setting.database || path === `${setting.database}-wal`)
  for await (const line of createInterface({ input: createReadStream(trace) })) reader.take(line)
  return { files, strokes: reader.strokes, facts, ledger }
}

const questions: Readonly<Record<Fact["kind"], string>> = {
  "code spent": "SELECT consumed_at IS NOT NULL FROM codes WHERE locator = ?",
  "access token issued": "SELECT 1 FROM access_tokens WHERE locator = ?",
  "refresh token issued": "SELECT 1 FROM refresh_tokens WHERE locator = ?",
  "refresh token rotated": "SELECT rotated_at IS NOT NULL FROM refresh_tokens WHERE locator = ?",
  "grant revoked": "SELECT grants.revoked_at IS NOT NULL FROM refresh_tokens JOIN grants ON grants.id = grant_id WHERE locator = ?",
}

/** Facts of before a cut that a database does not know, and halves of what is done as a whole. */
const lostIn = (database: Database, facts: ReadonlyArray<Fact>, moment: number): ReadonlyArray<string> => {
  const asked = new Map(Object.entries(questions).map(([kind, sql]) => [kind, database.prepare<[string], number>(sql).pluck()]))
  const lost = facts
    .filter(({ at }) => at <= moment)
    .filter(({ kind, locator }) => asked.get(kind)?.get(locator) !== 1)
    .map(({ kind, locator }) => `${kind}: ${locator}`)
  const forked = database
    .prepare("SELECT grant_id FROM refresh_tokens WHERE rotated_at IS NULL GROUP BY grant_id HAVING count(*) > 1")
    .pluck()
    .all()
    .map((grant) => `two live refresh tokens of one grant: ${String(grant)}`)
  const unspent = database
    .prepare("SELECT locator FROM codes WHERE consumed_at IS NULL AND grant_id IN (SELECT grant_id FROM refresh_tokens)")
    .pluck()
    .all()
    .map((code) => `a code that gave tokens and is not spent: ${String(code)}`)
  return [...lost, ...forked, ...unspent]
}

/** Databases that so many power cuts leave of a recording. */
export interface Cuts {
  readonly lost: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
  /** Facts that were looked for, over all cuts. */
  readonly looked: number
  /** Cuts with something written and not synced at the time. */
  readonly torn: number
}

/** Cuts the power so many times: half of them at any moment, half right after an answer, when the least time has gone by. */
export const cutPower = ({ files, strokes, facts }: Recording, times: number, chance: () => number, believes = true): Cuts => {
  const folder = mkdtempSync(join(tmpdir(), "postern-power-"))
  const [first, last] = [facts[0]?.at ?? 0, facts.at(-1)?.at ?? 0]
  const moments = Array.from({ length: times }, (_, each) =>
    each % 2 === 0 ? first + chance() * (last - first) : (facts[Math.floor(chance() * facts.length)]?.at ?? first),
  ).sort((left, right) => left - right)
  const disk = new Disk(files, strokes, believes)
  const lost: Array<string> = []
  const problems: Array<string> = []
  let [looked, torn] = [0, 0]
  try {
    for (const [each, moment] of moments.entries()) {
      disk.until(moment)
      const at = join(folder, String(each))
      disk.cut(moment, at, chance)
      if (disk.unsynced > 0) torn++
      try {
        const database = openDatabase(join(at, "postern.sqlite"))
        const whole = database.pragma("integrity_check(1)", { simple: true })
        if (whole !== "ok") problems.push(`cut ${each}: integrity_check says ${String(whole)}`)
        lost.push(...lostIn(database, facts, moment).map((text) => `cut ${each}: ${text}`))
        looked += facts.filter((fact) => fact.at <= moment).length
        database.close()
      } catch (error) {
        problems.push(`cut ${each}: ${String(error)}`)
      }
      rmSync(at, { recursive: true, force: true })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { lost, problems, looked, torn }
}

/** R2: power cuts at any moment of a recorded load, which leave what was synced and of the rest what chance will have. */
export const power = async ({ times, seed, say }: Run, clients = 8, wanted = 2_500): Promise<Row> => {
  const chance = chanceOf(seed)
  const setting = await makeSetting()
  try {
    const recording = await record(setting, clients, wanted, chance)
    const count = (tag: Stroke["what"]["_tag"]): number => recording.strokes.filter(({ what }) => what._tag === tag).length
    say(`${recording.facts.length} facts acknowledged over ${count("Write")} writes and ${count("Sync")} syncs`)
    const { lost, problems, looked, torn } = cutPower(recording, times, chance)
    // Without the syncs the same cuts must lose something, or they would show nothing.
    const forgetful = cutPower(recording, Math.min(10, times), chance, false)
    const harmless =
      forgetful.lost.length + forgetful.problems.length === 0 ? ["a disk that syncs nothing loses nothing: the cuts are none"] : []
    return {
      fault: "R2",
      done: `a load of ${clients} clients recorded with its writes and syncs; power cut at a moment: synced writes stay, of each other one any of its sectors; opened, integrity_check, every fact acknowledged before the cut looked for`,
      times,
      lost: lost.length,
      figures: {
        "facts acknowledged": recording.facts.length,
        writes: count("Write"),
        "of them to the database at a checkpoint": recording.strokes.filter(
          ({ file, what }) => what._tag === "Write" && !file.endsWith("-wal"),
        ).length,
        syncs: count("Sync"),
        "facts looked for": looked,
        "cuts with writes not synced": torn,
      },
      problems: [...breachesOf(recording.ledger), ...harmless, ...problems.slice(0, 20), ...lost.slice(0, 20)],
    }
  } finally {
    setting.remove()
  }
}
