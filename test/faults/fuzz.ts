import { campaign, nothing, replay } from "../fuzz/campaign.ts"
import { forgery, replayJwts } from "../fuzz/jwts.ts"
import { ruleCount } from "../fuzz/laws.ts"
import { configCampaign, lineCampaign, lineHost, replayLines } from "../fuzz/lines.ts"
import { besieged, ordinary, replayWires, siege, throng } from "../fuzz/siege.ts"
import type { Row, Run } from "./row.ts"

/** Number of each kind for a hundred structured requests: raw byte streams, JWTs, configuration files and command lines. */
const shares = { streams: 10, jwts: 10, configs: 0.5, lines: 0.5 }

/** About so many structured requests are in a salvo, and streams in a volley. */
const perSalvo = 100
const perVolley = 8

/** Writes the reason why a kind stopped, as a line of the report. */
const problemOf = (kind: string, cause: unknown): string => {
  if (!(cause instanceof Error)) return `${kind}: ${String(cause)}`
  return `${kind}: ${cause.message}\n${cause.cause instanceof Error ? cause.cause.message : ""}`
}

/** R12: requests, byte streams, JWTs, configuration files and command lines that nobody should send. */
export const fuzz = async ({ times, seed, say }: Run): Promise<Row> => {
  const problems: Array<string> = []
  const figures: Record<string, string | number> = {}
  /** Runs a kind in slices, each with the next seed, until there were enough; the first that breaks a law ends it. */
  const enough = async (kind: string, wanted: number, slice: (seed: number, left: number) => Promise<number>): Promise<void> => {
    let done = 0
    const began = performance.now()
    try {
      for (let turn = 0; done < wanted; turn++) done += Math.max(1, await slice(seed * 1_000_003 + turn, wanted - done))
    } catch (cause) {
      problems.push(problemOf(kind, cause))
    }
    figures[kind] = done
    say(
      `${done} ${kind} in ${Math.round((performance.now() - began) / 1000)} s${problems.length === 0 ? "" : `, ${problems.length} problems`}`,
    )
  }

  for (const [why, wrong] of [...(await replay()), ...(await replayJwts())]) problems.push(`${why}: ${wrong}`)
  const seen = nothing()
  await enough("structured requests", times, async (each, left) => {
    const before = seen.requests
    await campaign(each, Math.min(50, Math.ceil(left / perSalvo)), seen, 2 * perSalvo)
    return seen.requests - before
  })
  figures["rules that refused"] = `${seen.rules.size} of ${ruleCount}`
  await enough("JWTs", Math.ceil((times * shares.jwts) / 100), (each, left) =>
    forgery(each, Math.min(5_000, left)).then(() => Math.min(5_000, left)),
  )

  const server = await besieged()
  try {
    const before = JSON.stringify(await ordinary(server))
    for (const [why, wrong] of await replayWires(server)) problems.push(`${why}: ${wrong}`)
    await enough("byte streams", Math.ceil((times * shares.streams) / 100), async (each, left) => {
      const volleys = Math.min(100, Math.ceil(left / perVolley))
      await siege(server, each, volleys)
      await throng(server, 500)
      if (JSON.stringify(await ordinary(server)) !== before) throw new Error(`after seed ${each} an ordinary caller is answered otherwise`)
      return volleys * perVolley
    })
  } finally {
    await server.stop()
    server.remove()
  }

  const host = await lineHost()
  try {
    for (const [why, wrong] of await replayLines(host)) problems.push(`${why}: ${wrong}`)
    const [files, lines] = [Math.ceil((times * shares.configs) / 100), Math.ceil((times * shares.lines) / 100)]
    await enough("configuration files", files, (each, left) =>
      configCampaign(host, each, Math.min(1_000, left)).then(() => Math.min(1_000, left)),
    )
    await enough("command lines", lines, (each, left) => lineCampaign(host, each, Math.min(1_000, left)).then(() => Math.min(1_000, left)))
  } finally {
    host.end()
  }
  return {
    fault: "R12",
    done: "spoilt and made-up requests, byte streams over connections, forged JWTs, spoilt configuration files and command lines; no 5xx, no end of the process, no answer after 5 s, nothing of the inside told, no markup sent back, no forged JWT taken",
    times,
    lost: problems.length,
    figures,
    problems,
  }
}
