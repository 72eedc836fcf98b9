// The cost of an authorization code grant in each store: microseconds of CPU of this process and of the database's, and round trips.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { kyselyStores } from "@postern/adapter-kysely"
import { openDatabase as openPostgres, postgresTokenStore } from "@postern/adapter-postgres"
import { redisStores } from "@postern/adapter-redis"
import { openDatabase, sqliteTokenStore } from "@postern/adapter-sqlite"
import { memoryTokenStore } from "@postern/core/memory"
import type { TokenStorePort } from "@postern/core/ports"
import { startWorkerd } from "../test/cloudflare/workerd.ts"
import { connected, type Counting, makeDatabase } from "../test/kysely/connected.ts"
import { mariadbThere, startMariadb } from "../test/support/mariadbServer.ts"
import { grantsOn } from "../test/support/oneGrant.ts"
import { startPostgres } from "../test/support/postgresServer.ts"
import { redisThere, startRedis } from "../test/support/redisServer.ts"

const { values } = parseArgs({ options: { grants: { type: "string", default: "1000" }, rounds: { type: "string", default: "5" } } })
const [grants, rounds] = [Number(values.grants), Number(values.rounds)]

/** A store that is measured. */
interface Measured {
  readonly name: string
  /** Makes some grants, eight at once. */
  readonly grants: (first: number, count: number) => Promise<void>
  /** Round trips to the database so far. */
  readonly trips: () => number
  /** Number of the next grant. */
  next: number
}

const ends: Array<() => unknown> = []
const home = mkdtempSync(join(tmpdir(), "postern-bench-stores-"))
ends.push(() => rmSync(home, { recursive: true, force: true }))

const measured: Array<Measured> = []
const add = (name: string, tokens: TokenStorePort, trips: () => number = () => 0): void => {
  measured.push({ name, grants: (first, count) => grantsOn(tokens, first, count), trips, next: 10 })
}

const overKysely = async (name: string, dialect: "mysql" | "postgres" | "sqlite", address: string): Promise<void> => {
  const counting: Counting = { trips: 0 }
  const kysely = connected(dialect, address, counting)
  ends.push(() => kysely.destroy())
  const { tokens } = await kyselyStores(kysely, { dialect })
  add(name, tokens, () => (dialect === "sqlite" ? 0 : counting.trips))
}

add("memory", memoryTokenStore())
add("SQLite", sqliteTokenStore(openDatabase(join(home, "postern.sqlite"))))
await overKysely("Kysely, SQLite", "sqlite", join(home, "application.sqlite"))
const postgres = await startPostgres()
ends.push(() => postgres.end())
const database = await openPostgres(await postgres.database())
ends.push(() => database.close())
let asked = 0
const counted =
  <Args extends ReadonlyArray<unknown>, A>(run: (...args: Args) => A) =>
  (...args: Args): A => {
    asked++
    return run(...args)
  }
const { read, write, transact } = database
add("PostgreSQL", postgresTokenStore({ ...database, read: counted(read), write: counted(write), transact: counted(transact) }), () => asked)
await overKysely("Kysely, PostgreSQL", "postgres", await postgres.database())
if (redisThere) {
  const redis = await startRedis()
  ends.push(() => redis.end())
  const { send } = await redis.connect()
  let sent = 0
  const stores = await redisStores((command) => {
    sent++
    return send(command)
  })
  add("Redis", stores.tokens, () => sent)
}
if (mariadbThere) {
  const mariadb = await startMariadb()
  ends.push(() => mariadb.end())
  await makeDatabase(mariadb.port)
  await overKysely("Kysely, MariaDB", "mysql", String(mariadb.port))
}

const run = async (one: Measured, count: number): Promise<void> => {
  const first = one.next
  one.next += count
  await one.grants(first, count)
}

// The grants are made in the worker: its CPU and that of its database are one process's.
const workerd = await startWorkerd()
ends.push(() => workerd.end())
for (const [name, place, messages] of [
  ["D1, in workerd", "d1", 3],
  ["a Durable Object, in workerd", "object", 3],
  ["inside of a Durable Object, in workerd", "inside", 0],
] as const) {
  let made = 0
  const grants = async (first: number, count: number): Promise<void> => {
    const answer = await fetch(`${workerd.origin()}/grants-${place}/${first}/${count}`, { method: "POST" })
    if (answer.status !== 200) throw new Error(await answer.text())
    made += count * messages
  }
  measured.push({ name, grants, trips: () => made, next: 10 })
}

/** Microseconds of CPU of the processes that descend from this one; Linux tells them in hundredths of a second. */
const ofChildren = (): number => {
  const stats = readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const text = readFileSync(`/proc/${pid}/stat`, "utf8")
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
      return [{ pid: Number(pid), parent: Number(fields[1]), ticks: fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0) }]
    } catch {
      return []
    }
  })
  const ours = new Set([process.pid])
  for (let size = 0; size !== ours.size;) {
    size = ours.size
    for (const { pid, parent } of stats) if (ours.has(parent)) ours.add(pid)
  }
  return stats.reduce((sum, { pid, ticks }) => (pid !== process.pid && ours.has(pid) ? sum + ticks : sum), 0) * 10_000
}

const figures = new Map(measured.map((one) => [one, { own: new Array<number>(), theirs: new Array<number>(), trips: 0 }]))
try {
  for (const one of measured) await run(one, Math.min(grants, 300))
  for (let round = 0; round < rounds; round++) {
    for (const [one, figure] of figures) {
      const [own, theirs, trips] = [process.cpuUsage(), ofChildren(), one.trips()]
      await run(one, grants)
      const { user, system } = process.cpuUsage(own)
      figure.own.push((user + system) / grants)
      figure.theirs.push((ofChildren() - theirs) / grants)
      figure.trips = (one.trips() - trips) / grants
    }
  }
} finally {
  for (const end of ends.toReversed()) await end()
}

const median = (all: ReadonlyArray<number>): number => all.toSorted((left, right) => left - right)[Math.floor(all.length / 2)] ?? 0
const sumOf = ({ own, theirs }: { readonly own: ReadonlyArray<number>; readonly theirs: ReadonlyArray<number> }): number =>
  median(own) + median(theirs)
const floor = Math.min(...[...figures].flatMap(([{ name }, figure]) => (name === "SQLite" ? [sumOf(figure)] : [])))
console.log(`| store | µs of CPU, this process | µs of CPU, the database's | both, beside SQLite | round trips |\n|---|---|---|---|---|`)
for (const [{ name }, figure] of figures)
  console.log(
    `| ${name} | ${median(figure.own).toFixed(0)} | ${median(figure.theirs).toFixed(0)} | ${(sumOf(figure) / floor).toFixed(2)} | ${figure.trips.toFixed(1)} |`,
  )
process.exit()
