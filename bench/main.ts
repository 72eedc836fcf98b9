import { mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { execFileSync } from "node:child_process"
import { type Round, measure, scenarios } from "./load.ts"
import { type Server, peer, postern } from "./servers.ts"

/**
 * Postern beside oidc-provider in one run: both on SQLite with synchronous=FULL, server on one core, load on the other, rounds in turn.
 * `--quick` runs short rounds; `--rounds N` and `--seconds N` set them.
 */
const option = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(name)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}
const quick = process.argv.includes("--quick")
const rounds = option("--rounds", quick ? 3 : 5)
const seconds = option("--seconds", quick ? 2 : 5)
const connections = 16

if (cpus().length > 1) {
  try {
    execFileSync("taskset", ["-cp", "1", String(process.pid)], { stdio: "ignore" })
  } catch {
    process.stderr.write("taskset is missing: load and server share their cores\n")
  }
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
const spread = (values: ReadonlyArray<number>): string => `${Math.round(Math.min(...values))}–${Math.round(Math.max(...values))}`

const folder = mkdtempSync(join(tmpdir(), "postern-bench-"))
const servers: Array<Server> = []
try {
  servers.push(await postern(folder, connections), await peer(folder))
  process.stdout.write(
    `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores, Node ${process.version}; ${rounds} rounds of ${seconds} s, ${connections} connections\n`,
  )
  for (const { name, startup } of servers) process.stdout.write(`${name}: first answer after ${Math.round(startup)} ms\n`)
  process.stdout.write(
    "\n| scenario | server | ops/s (spread) | CPU µs/op | p50 ms | p99 ms | MB | ops/s ratio | CPU ratio |\n|---|---|---|---|---|---|---|---|---|\n",
  )
  for (const scenario of scenarios) {
    const measured = new Map<string, Array<Round>>(servers.map(({ name }) => [name, []]))
    for (const server of servers) await measure(server, scenario, 1, connections)
    for (let round = 0; round < rounds; round++) {
      process.stderr.write(`${scenario.name}: round ${round + 1} of ${rounds}\n`)
      for (const server of servers) measured.get(server.name)?.push(await measure(server, scenario, seconds, connections))
    }
    const of = (name: string, pick: (round: Round) => number): ReadonlyArray<number> => (measured.get(name) ?? []).map(pick)
    for (const { name } of servers) {
      const figure = (pick: (round: Round) => number): number => median(of(name, pick))
      const other = servers.find((server) => server.name !== name)?.name ?? ""
      const ratio = (pick: (round: Round) => number): string => (figure(pick) / median(of(other, pick))).toFixed(2)
      process.stdout.write(
        `| ${scenario.name} | ${name} | ${Math.round(figure((round) => round.perSecond))} (${spread(of(name, (round) => round.perSecond))}) | ${Math.round(figure((round) => round.cpu))} | ${figure((round) => round.p50).toFixed(1)} | ${figure((round) => round.p99).toFixed(1)} | ${Math.round(figure((round) => round.memory))} | ${ratio((round) => round.perSecond)} | ${ratio((round) => round.cpu)} |\n`,
      )
    }
  }
} finally {
  await Promise.all(servers.map(({ stop }) => stop()))
  rmSync(folder, { recursive: true, force: true })
}
