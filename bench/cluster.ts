import { readdirSync, readFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { cpus, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { startPostgres } from "../test/support/postgresServer.ts"
import { freePort, type RunningServer, start } from "../test/support/server.ts"
import { measure, type Round, scenarios } from "./load.ts"
import { seed, type Server } from "./servers.ts"

/**
 * What a request costs one server on SQLite, and one and two on PostgreSQL, all of them waiting for the disk: `node bench/cluster.ts
 * [--rounds N] [--seconds N] [--connections N]`. Processor time is told apart, since on one machine the load, the servers and the
 * database take it from each other: the rate that two servers reach on machines of their own is not measured here.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    connections: { type: "string", default: "32" },
  },
})
const [rounds, seconds, connections] = [values.rounds, values.seconds, values.connections].map(Number) as [number, number, number]

/** Some servers on one database. */
interface Setup {
  readonly name: string
  readonly servers: ReadonlyArray<Server>
  /** Microseconds of processor that the database has taken so far; 0 for one without a process of its own. */
  readonly database: () => number
}

const processorOf = (pid: string): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return 0
  }
}

const childrenOf = (pid: number): ReadonlyArray<string> =>
  readdirSync("/proc").filter((each) => {
    try {
      const stat = readFileSync(`/proc/${each}/stat`, "utf8")
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] === String(pid)
    } catch {
      return false
    }
  })

const folder = mkdtempSync(join(tmpdir(), "postern-bench-cluster-"))
const postgres = await startPostgres(undefined, true)
const running: Array<RunningServer> = []
const base = JSON.parse(readFileSync(new URL("postern.json", import.meta.url), "utf8")) as object

const setup = async (name: string, count: number, data: string): Promise<Setup> => {
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ ...base, issuer: `http://127.0.0.1:${ports[0]}`, data }))
  const servers: Array<Server> = []
  for (const port of ports) {
    const url = `http://127.0.0.1:${port}`
    const server = await start(["serve", "--config", file, "--port", String(port)], url, folder)
    running.push(server)
    const refreshTokens = await seed(url, connections)
    servers.push({
      name: `${name} ${port}`,
      url,
      process: server.process,
      refreshTokens,
      startup: 0,
      stop: async () => void (await server.stop()),
    })
  }
  const database = (): number => {
    if (!data.startsWith("postgres:")) return 0
    return [String(postgres.pid()), ...childrenOf(postgres.pid())].reduce((sum, pid) => sum + processorOf(pid), 0)
  }
  return { name, servers, database }
}

interface Measured {
  readonly perSecond: number
  readonly servers: number
  readonly database: number
  readonly p50: number
  readonly p99: number
}

const measured = async ({ servers, database }: Setup, scenario: (typeof scenarios)[number]): Promise<Measured> => {
  const before = database()
  const all = await Promise.all(servers.map((server) => measure(server, scenario, seconds, connections / servers.length)))
  const spent = database() - before
  const sum = (pick: (round: Round) => number): number => all.reduce((total, round) => total + pick(round), 0)
  const perSecond = sum((round) => round.perSecond)
  const weighed = (pick: (round: Round) => number): number => sum((round) => pick(round) * round.perSecond) / perSecond
  return {
    perSecond,
    servers: weighed((round) => round.cpu),
    database: spent / (perSecond * seconds),
    p50: weighed((round) => round.p50),
    p99: Math.max(...all.map((round) => round.p99)),
  }
}

const median = (given: ReadonlyArray<number>): number => [...given].sort((left, right) => left - right)[Math.floor(given.length / 2)] ?? 0

try {
  const setups = [
    await setup("SQLite, one server", 1, join(folder, "data")),
    await setup("PostgreSQL, one server", 1, await postgres.database()),
    await setup("PostgreSQL, two servers", 2, await postgres.database()),
  ]
  process.stdout.write(
    `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores, Node ${process.version}; ${rounds} rounds of ${seconds} s, ${connections} connections; load average ${loadavg()[0]?.toFixed(1)}\n\n`,
  )
  process.stdout.write(
    "| scenario | setting | requests/s | servers µs each | database µs each | p50 ms | p99 ms |\n|---|---|---|---|---|---|---|\n",
  )
  for (const scenario of scenarios.filter(({ client }) => client === "reference" || client === "web")) {
    const rows = new Map<string, Array<Measured>>(setups.map(({ name }) => [name, []]))
    for (const each of setups) await measured(each, scenario)
    for (let round = 0; round < rounds; round++) for (const each of setups) rows.get(each.name)?.push(await measured(each, scenario))
    for (const [name, all] of rows) {
      const figure = (pick: (one: Measured) => number, digits = 0): string => median(all.map(pick)).toFixed(digits)
      process.stdout.write(
        `| ${scenario.name} | ${name} | ${figure((one) => one.perSecond)} | ${figure((one) => one.servers)} | ${figure((one) => one.database)} | ${figure((one) => one.p50, 1)} | ${figure((one) => one.p99, 1)} |\n`,
      )
    }
  }
} finally {
  await Promise.all(running.map(({ stop }) => stop()))
  await postgres.end()
  rmSync(folder, { recursive: true, force: true })
}
process.exit()
