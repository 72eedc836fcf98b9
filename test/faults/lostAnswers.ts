import { connect } from "node:net"
import { type Actor, basic, orNone } from "./actor.ts"
import type { Chain } from "./facts.ts"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf } from "./load.ts"
import { begin, redeem } from "./operations.ts"
import { pause, serveIn } from "./process.ts"
import { breachesOf, type Row, type Run } from "./row.ts"
import { loadClients, makeSetting, type LoadClient } from "./setting.ts"

/** Sends a refresh and hangs up after some milliseconds, as a client that is killed does; nobody reads the answer. */
const hangUp = (port: number, { id, secret }: LoadClient, token: string, after: number): Promise<void> =>
  new Promise((resolve) => {
    const body = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: token,
      ...(secret === undefined ? { client_id: id } : {}),
    }).toString()
    const lines = [
      "POST /connect/token HTTP/1.1",
      "host: 127.0.0.1",
      "content-type: application/x-www-form-urlencoded",
      `content-length: ${Buffer.byteLength(body)}`,
      ...(secret === undefined ? [] : [`authorization: ${basic(id, secret)}`]),
    ]
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => undefined)
    socket.on("close", () => resolve())
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`, () => setTimeout(() => socket.destroy(), after))
  })

/** Results of the retries of one rotation. */
interface Tally {
  rotations: number
  kept: number
  forks: number
}

/**
 * Loses the answer of a rotation, retries as often as told, all at once, and goes on with what the retries say. The new token is used a good
 * while later, as tokens are: used at once, it may be used before the request that was hung up on has ended.
 */
const rotation = async (actor: Actor, chain: Chain, port: number, chance: () => number, tally: Tally): Promise<boolean> => {
  const last = chain.refresh.at(-1)
  if (last === undefined) return false
  await hangUp(port, actor.client, last.value, chance() * 12)
  // Some clients come back at once, some a moment later.
  if (chance() < 0.5) await pause(chance() * 20)
  tally.rotations++
  const retries = await Promise.all(Array.from({ length: 1 + Math.floor(chance() * 3) }, () => orNone(actor.refresh(last.value))))
  const won = retries.filter((answer) => answer?.status === 200)
  const successors = new Set(won.map((answer) => String(answer?.json["refresh_token"])))
  if (successors.size > 1) {
    tally.forks++
    actor.ledger.breach("fork", `${actor.name}: one refresh token has ${successors.size} successors`)
  }
  const [next] = successors
  if (next === undefined || won.length < retries.length) {
    actor.ledger.breach(
      "lost",
      `${actor.name}: retries in the grace are answered ${retries.map((answer) => `${answer?.status} ${JSON.stringify(answer?.json["error_description"])}`).join(", ")}`,
    )
    return false
  }
  tally.kept++
  last.use = "spent"
  chain.refresh.push({ value: next, use: "fresh" })
  return true
}

const fresh = async (actor: Actor): Promise<Chain> => {
  const chain = await begin(actor)
  if (chain === undefined) throw new Error("no code")
  await redeem(actor, chain)
  return chain
}

/** R3: the answer to a rotation is lost, and the client retries within the grace. */
export const lostAnswers = async ({ times, seed, say }: Run, clients = 16, sessions = 12): Promise<Row> => {
  const chance = chanceOf(seed)
  const setting = await makeSetting()
  const ledger = new Ledger()
  const tally: Tally = { rotations: 0, kept: 0, forks: 0 }
  try {
    const server = await serveIn(setting)
    const actors = (await assemble(ledger, 64, () => setting.url)).filter(({ client }) => client.grace > 0).slice(0, clients)
    const perActor = Math.ceil(times / actors.length)
    await Promise.all(
      actors.map(async (actor) => {
        const chains: Array<Chain | undefined> = Array.from({ length: sessions }, () => undefined)
        for (let each = 0; each < perActor; each++) {
          const at = each % sessions
          const chain = chains[at] ?? (await fresh(actor))
          chains[at] = (await rotation(actor, chain, setting.port, chance, tally)) ? chain : undefined
        }
        // The families are whole: the last one of each still works.
        for (const chain of chains) {
          const last = chain?.refresh.at(-1)
          if (last !== undefined && (await actor.refresh(last.value)).status !== 200)
            ledger.breach("lost", `${actor.name}: the last token does not work`)
        }
      }),
    )
    say(`${tally.rotations} rotations, ${tally.kept} kept`)
    await server.end("SIGTERM")
  } finally {
    setting.remove()
  }
  const graces = new Set(loadClients.filter(({ grace }) => grace > 0).map(({ grace }) => grace))
  return {
    fault: "R3",
    done: `the answer to a rotation is lost (the client hangs up 0 to 12 ms after sending) and asked for again by one to three retries at once, grace ${[...graces].join(", ")} s`,
    times: tally.rotations,
    lost: tally.rotations - tally.kept,
    figures: { "sessions kept": `${((100 * tally.kept) / tally.rotations).toFixed(2)} %`, forks: tally.forks },
    problems: breachesOf(ledger),
  }
}
