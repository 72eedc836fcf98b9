import { cpu, figure, perSecond } from "../figures.ts"
import type { Results } from "../results.ts"
import { ours, peer, spread, table } from "./tables.ts"

/** From start to the first answer. */
export const startupTable = ({ starts, tokens = [] }: Results["startup"]): string => {
  const median = (server: string): number => figure(starts.find((each) => each.server === server)?.again ?? []).median
  const reached = median(ours) <= median(peer)
  return `${table(
    ["server", "first start ms", "later starts ms"],
    starts.map(({ server, first, again }) => [server, first.toFixed(0), spread(figure(again), 0)]),
  )}\n\nAsked for: no slower than the peer: ${reached ? "reached" : "not reached"}.${tokens.length === 0 ? "" : `\n\n${firstTokens(tokens)}`}`
}

const firstTokens = (tokens: NonNullable<Results["startup"]["tokens"]>): string => {
  const again = (server: string, clients: number): ReadonlyArray<number> =>
    tokens.find((each) => each.server === server && each.clients === clients)?.again ?? []
  const rows = [...new Set(tokens.map(({ clients }) => clients))].map((clients) => {
    const [own, others] = [again(ours, clients), again(peer, clients)]
    return { clients, own: figure(own), others: figure(others), ratio: figure(others.map((each, at) => each / (own[at] ?? Number.NaN))) }
  })
  const [few, most] = [rows[0]?.own.median ?? Number.NaN, rows.at(-1)?.own.median ?? Number.NaN]
  const reached = rows.every(({ clients, ratio }) => ratio.median >= (clients < 100 ? 1.2 : 1)) && most / few <= 1.3
  return `${table(
    ["declared clients", "start to first token ms: Postern", "oidc-provider", "times sooner"],
    rows.map(({ clients, own, others, ratio }) => [clients.toLocaleString("en"), spread(own, 0), spread(others, 0), spread(ratio, 2)]),
  )}\n\nAsked for: 1.2 times sooner than the peer with few clients and not later with many, and Postern's own figures within 1.3 of each other (${(most / few).toFixed(2)}): ${reached ? "reached" : "not reached"}.`
}

/** Cost of a refresh in one process and in two. */
export const sharedFileTable = ({ servers }: Results["shared-file"]): string => {
  const rows = servers.map(({ server, one, two }) => ({
    server,
    one: figure(one.map(cpu)),
    two: figure(two.map(cpu)),
    ratio: figure(two.map((round, at) => round.cpu / (one[at]?.cpu ?? Number.NaN))),
    rates: [one, two].map((rounds) => figure(rounds.map(perSecond))),
  }))
  const own = rows.find(({ server }) => server === ours)?.ratio.median ?? Number.NaN
  return `${table(
    ["server", "one process: CPU µs", "two processes: CPU µs", "ratio", "one: ops/s", "two: ops/s"],
    rows.map(({ server, one, two, ratio, rates }) => [
      server,
      spread(one, 0),
      spread(two, 0),
      spread(ratio, 2),
      ...rates.map((rate) => spread(rate, 0)),
    ]),
  )}\n\nAsked for: at most 1.2 times the cost in one process: ${own <= 1.2 ? "reached" : "not reached"}.`
}

/** Writes the table of this machine's own costs. */
export const machineTable = ({ costs }: Results["machine"]): string =>
  table(
    ["one", "CPU µs", "time µs"],
    costs.map(({ title, cpu: cost, wall }) => [title, micro(cost), wall === undefined ? "" : wall.toFixed(0)]),
  )

const micro = (cost: number): string => (cost < 100 ? cost.toPrecision(2) : Math.round(cost).toLocaleString("en"))
