import { figure } from "./figures.ts"
import { measure } from "./load/run.ts"
import { grounded, progress } from "./parts/part.ts"
import { detailsType, protectedCodes } from "./scenarios/protectedCodes.ts"
import { pinSelf } from "./servers/launch.ts"
import { postern, usualClients } from "./servers/postern.ts"

// CPU of the code flow with pushed requests, signed responses and authorization details beside the plain one: `node bench/protections.ts`.
// All are asked of one server, in rounds that go in turn.

const [rounds, seconds, connections] = [20, 0.4, 16]

pinSelf(1)
await grounded(async ({ folder, keep }) => {
  const more = { authorization_details_types: [detailsType], authorization_signed_response_alg: "ES256" }
  const clients = usualClients.map((client) => (client.client_id === "web" ? { ...client, ...more } : client))
  const server = await keep(postern({ folder: folder("postern"), clients }))
  const entries = []
  for (const scenario of protectedCodes) {
    const { operations } = await scenario.prepare(server, connections)
    entries.push({
      scenario,
      run: (time: number) => measure({ places: [server], pids: server.pids, operations, seconds: time }),
      costs: [] as Array<number>,
    })
  }
  for (const { run } of entries) await run(4)
  for (let at = 0; at < rounds; at++) {
    const first = at % entries.length
    for (const each of [...entries.slice(first), ...entries.slice(0, first)]) each.costs.push((await each.run(seconds)).cpu)
    progress(`round ${at + 1} of ${rounds}: ${entries.map(({ costs }) => (costs.at(-1) ?? 0).toFixed(0)).join(", ")} µs`)
  }
  const [plain] = entries
  process.stdout.write("| scenario | CPU µs | times |\n| --- | --: | --: |\n")
  for (const { scenario, costs } of entries) {
    const { median, low, high } = figure(costs)
    const times = figure(costs.map((cost, at) => cost / (plain?.costs[at] ?? Number.NaN))).median
    process.stdout.write(`| ${scenario.title} | ${median.toFixed(0)} (${low.toFixed(0)}–${high.toFixed(0)}) | ${times.toFixed(2)} |\n`)
  }
})
