import { randomUUID } from "node:crypto"
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { useOnce } from "@postern/core/model"
import { sqliteStores } from "@postern/adapter-sqlite"
import { figure } from "./figures.ts"
import { pinSelf } from "./servers/launch.ts"

// CPU of claiming the use of a proof durably, alone and 16 together, beside the least that anything durable costs on this machine: one page
// of a log written and synced (`node bench/claim.ts FOLDER`, on the disk to be measured). Entries go in turn, and CPU is that of the process with all its threads.

const [rounds, seconds] = [40, 0.1]

interface Entry {
  readonly name: string
  readonly claims: number
  readonly run: () => Promise<unknown> | void
  readonly costs: Array<number>
}

pinSelf(0)
const folder = mkdtempSync(join(process.argv[2] ?? import.meta.dirname, ".claim-"))
const storeOf = (name: string, synchronous: "FULL" | "NORMAL") => sqliteStores(join(folder, name), { thread: true, synchronous })
const stores = { synced: storeOf("synced.db", "FULL"), unsynced: storeOf("unsynced.db", "NORMAL") }
const log = openSync(join(folder, "log"), "w")
// A frame of SQLite's log: its header and a page.
const frame = Buffer.alloc(24 + 4096, 1)

const claiming = (name: string, { tokens }: (typeof stores)["synced"], claims: number): Entry => {
  const claim = async () => {
    const now = Math.floor(Date.now() / 1000)
    return await tokens.commit([useOnce(randomUUID(), now, now + 71)])
  }
  return { name, claims, run: () => Promise.all(Array.from({ length: claims }, claim)), costs: [] }
}
const appending = (claims: number): Entry => {
  const run = (): void => {
    writeSync(log, frame)
    fdatasyncSync(log)
  }
  return { name: "a page of a log, written and synced", claims, run, costs: [] }
}

const entries = [1, 16].flatMap((claims) => [
  claiming("the store's commit", stores.synced, claims),
  claiming("the same without the sync", stores.unsynced, claims),
  appending(claims),
])
const measured = async ({ run, claims }: Entry): Promise<number> => {
  const [before, until] = [process.cpuUsage(), performance.now() + seconds * 1000]
  let commits = 0
  for (; performance.now() < until; commits++) await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / commits / claims
}
for (const each of entries) for (let warm = 0; warm < 5; warm++) await measured(each)
for (let round = 0; round < rounds; round++) for (const each of entries) each.costs.push(await measured(each))

const quiet = (costs: ReadonlyArray<number>): number =>
  costs.toSorted((left, right) => left - right)[Math.floor(costs.length / 10)] ?? Number.NaN
process.stdout.write("| | claims together | CPU µs for each | quiet rounds, µs |\n| --- | --: | --: | --: |\n")
for (const { name, claims, costs } of entries)
  process.stdout.write(`| ${name} | ${claims} | ${figure(costs).median.toFixed(1)} | ${quiet(costs).toFixed(1)} |\n`)
closeSync(log)
for (const { close } of Object.values(stores)) await close?.()
rmSync(folder, { recursive: true })
