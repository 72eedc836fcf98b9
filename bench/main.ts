import { mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import type { Round } from "./load/run.ts"
import { measure } from "./load/run.ts"
import { options } from "./options.ts"
import { scenarios } from "./scenarios/all.ts"
import type { Prepared, Scenario } from "./scenarios/scenario.ts"
import { floor } from "./servers/floor.ts"
import { pinSelf, type Server } from "./servers/launch.ts"
import { peer } from "./servers/peer.ts"
import { commandName, postern } from "./servers/postern.ts"

const { rounds, seconds, warmup, connections, only } = options(process.argv.slice(2))
const chosen = scenarios.filter(({ id }) => only.length === 0 || only.includes(id))
const tell = (line: string): void => void process.stderr.write(`${line}\n`)
const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0

const folder = mkdtempSync(join(tmpdir(), "postern-bench-"))
pinSelf(1)
const servers: Array<Server> = []
const started = async (server: Promise<Server>): Promise<Server> => {
  const up = await server
  servers.push(up)
  return up
}
try {
  const main = await started(postern({ folder: join(folder, "postern") }))
  const unhashed = chosen.some((scenario) => scenario.unhashed === true)
    ? await started(postern({ folder: join(folder, "unhashed"), unhashed: true }))
    : main
  const other = await started(peer({ folder: join(folder, "peer") }))
  const least = await started(floor({ folder: join(folder, "floor") }))
  tell(`Postern from ${commandName}; ${cpus()[0]?.model}`)
  for (const scenario of chosen)
    await run(scenario, [scenario.unhashed === true ? unhashed : main, other, ...(scenario.floor ? [least] : [])])
} finally {
  await Promise.all(servers.map(({ stop }) => stop()))
  rmSync(folder, { recursive: true, force: true })
}

async function run(scenario: Scenario, at: ReadonlyArray<Server>): Promise<void> {
  const prepared = new Map<Server, Prepared>()
  const measured = new Map<Server, Array<Round>>()
  for (const server of at) {
    const ready = await scenario.prepare(server, connections)
    prepared.set(server, ready)
    await ready.refill?.(2000)
    const warm = await measure({ port: server.port, pids: [server.pid], operations: ready.operations, seconds: warmup })
    await ready.examine?.()
    measured.set(server, [warm])
  }
  for (let round = 0; round < rounds; round++)
    for (const server of at) {
      const { operations, refill, examine } = prepared.get(server) ?? { operations: [] }
      const before = measured.get(server)?.at(-1)?.perSecond ?? 0
      await refill?.(Math.ceil(before * seconds * 1.4))
      measured.get(server)?.push(await measure({ port: server.port, pids: [server.pid], operations, seconds }))
      await examine?.()
    }
  for (const server of at) {
    const figure = (pick: (round: Round) => number): number => median((measured.get(server) ?? []).slice(1).map(pick))
    process.stdout.write(
      `${scenario.id.padEnd(14)} ${server.name.padEnd(14)} ${figure((r) => r.perSecond)
        .toFixed(0)
        .padStart(7)}/s ${figure((r) => r.cpu)
        .toFixed(1)
        .padStart(
          8,
        )} µs  p50 ${figure((r) => r.p50).toFixed(2)} p99 ${figure((r) => r.p99).toFixed(2)} ms  ${figure((r) => r.memory).toFixed(0)} MB  load ${(figure((r) => r.generator) * 100).toFixed(0)} %\n`,
    )
  }
}
