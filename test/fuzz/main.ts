/**
 * Fuzzes for as long as it is told: `node test/fuzz/main.ts --minutes N [--seed S]`. Parsers and sockets take turns, each turn with the next
 * seed; the first law that is broken ends the run with what breaks it, its seed and its path.
 */
import { parseArgs } from "node:util"
import { campaign, nothing, replay, seedOf } from "./campaign.ts"
import { ruleCount } from "./laws.ts"
import { besieged, ordinary, replayWires, resident, siege, throng } from "./siege.ts"

const { values } = parseArgs({ options: { minutes: { type: "string", default: "1" }, seed: { type: "string" } } })
const minutes = Number(values.minutes)
const first = values.seed === undefined ? seedOf() : Number(values.seed)
if (!(minutes > 0) || !Number.isSafeInteger(first)) {
  process.stderr.write("usage: node test/fuzz/main.ts --minutes N [--seed S]\n")
  process.exit(2)
}
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const until = performance.now() + minutes * 60_000
const seen = nothing()
const server = await besieged()
try {
  const before = JSON.stringify(await ordinary(server))
  const old = [...(await replay()), ...(await replayWires(server))]
  if (old.length > 0) throw new Error(old.map((each) => each.join(": ")).join("\n"))
  for (let seed = first; performance.now() < until; seed++) {
    await campaign(seed, 200, seen)
    await siege(server, seed, 60)
    await throng(server, 2_000)
    if (JSON.stringify(await ordinary(server)) !== before) throw new Error(`after seed ${seed} an ordinary caller is answered otherwise`)
    say(
      `seed ${seed}: ${seen.requests} requests, ${seen.rules.size} of ${ruleCount} rules have refused, the server holds ${Math.round(resident(server))} MiB`,
    )
  }
} catch (cause) {
  say(cause instanceof Error ? `${cause.message}\n${cause.cause instanceof Error ? cause.cause.message : ""}` : String(cause))
  process.exitCode = 1
} finally {
  await server.stop()
  server.remove()
}
