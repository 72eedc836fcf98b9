import { cpu, type Figure, figure, figureOf, perSecond, ratioOf } from "../figures.ts"
import type { Round } from "../load/run.ts"
import type { About, Results, ScenarioResult, ScenarioResults } from "../results.ts"

/** Names of the servers, as results have them. */
export const [ours, peer, floor] = ["Postern", "oidc-provider", "floor"] as const

/** Writes the place and time of a table's measurement. */
export const machineLine = ({ date, cpu: model, cores, memoryGB, kernel, node, command, commit, loadBefore }: About): string =>
  `${date}, ${model}, ${cores} cores, ${memoryGB} GB, Linux ${kernel}, Node ${node}; Postern ${commit}, run from ${command}; ` +
  (loadBefore < 0.3 ? "nothing else was running." : `other work was running (load ${loadBefore}): read the ratios.`)

/** Writes the tables of each server's work, then of their ratios and of the goals. */
export const scenarioTables = (results: Results["scenarios"]): string =>
  [figuresTable(results), ratiosTable(results), boundLine(results), memoryLine(results), ...apart(results)].join("\n\n")

/** Names the scenarios that were measured before the others. */
export const apart = ({ scenarios }: ScenarioResults): ReadonlyArray<string> => {
  const before = Map.groupBy(scenarios, ({ about }) => (about === undefined ? "" : machineLine(about)))
  return [...before].flatMap(([line, them]) =>
    line === "" ? [] : [`Measured apart, ${line} These are: ${them.map(({ id }) => `\`${id}\``).join(", ")}.`],
  )
}

/** Writes the table of each server's work. */
export const figuresTable = ({ scenarios }: Results["scenarios"]): string =>
  table(
    ["scenario", "server", "ops/s", "CPU µs", "p50 ms", "p95 ms", "p99 ms", "errors", "MB", "load's core"],
    scenarios.flatMap((result) => {
      if (result.failed !== undefined) return [[result.title, `ended: ${result.failed.replaceAll("|", "/").slice(0, 100)}`]]
      return result.measured.map(({ server, rounds }, at) => {
        const of = (pick: (round: Round) => number): Figure => figure(rounds.map(pick))
        const load = of(({ generator }) => generator).median
        return [
          at === 0 ? titleOf(result) : "",
          server,
          spread(of(perSecond), 0),
          spread(of(cpu), 0),
          of(({ p50 }) => p50).median.toFixed(1),
          of(({ p95 }) => p95).median.toFixed(1),
          of(({ p99 }) => p99).median.toFixed(1),
          String(rounds.reduce((sum, { errors }) => sum + errors, 0)),
          of(({ memory }) => memory).median.toFixed(0),
          `${Math.round(load * 100)} %${load > 0.9 ? ", bound by it" : ""}`,
        ]
      })
    }),
  )

const titleOf = ({ title, requests }: ScenarioResult): string => (requests > 1 ? `${title} (${requests} requests)` : title)

/** Writes the table of the servers' ratios and of the goals. */
export const ratiosTable = ({ scenarios }: Results["scenarios"]): string =>
  table(
    [
      "scenario",
      "throughput of the peer's",
      "CPU, times less than the peer",
      "throughput of the floor's",
      "CPU of the floor's",
      "asked for",
      "verdict",
    ],
    scenarios
      .filter(({ failed }) => failed === undefined)
      .map((result) => {
        const { goal } = result
        const of = (other: string, pick: (round: Round) => number): Figure | undefined => ratioOf(result, ours, other, pick)
        const less = ratioOf(result, peer, ours, cpu)
        const verdicts = [
          [goal.peer, of(peer, perSecond)],
          [goal.peerCpu, less],
          [goal.floor, of(floor, perSecond)],
        ].flatMap(([least, is]) => (typeof least === "number" && typeof is === "object" ? [is.median >= least] : []))
        return [
          result.title,
          times(of(peer, perSecond)),
          times(less),
          percent(of(floor, perSecond)),
          times(of(floor, cpu)),
          [
            ...(goal.peer === undefined ? [] : [`${goal.peer}×`]),
            ...(goal.peerCpu === undefined ? [] : [`${goal.peerCpu}× less CPU`]),
            ...(goal.floor === undefined ? [] : [`${Math.round(goal.floor * 100)} % of the floor`]),
          ].join(", "),
          verdict(verdicts),
        ]
      }),
  )

const verdict = (reached: ReadonlyArray<boolean>): string => {
  if (reached.length === 0) return ""
  return reached.every(Boolean) ? "reached" : reached.some(Boolean) ? "partly reached" : "not reached"
}

/** The ratio that a server without any cost of its own would have: the rest is arithmetic, and the same for all. */
const boundLine = (results: ScenarioResults): string => {
  const bound = (id: string): string => {
    const result = results.scenarios.find((each) => each.id === id)
    return times(result === undefined ? undefined : ratioOf(result, peer, floor, cpu))
  }
  return `A server that cost no more than the floor would take so many times less CPU than the peer: RS256 ${bound("rs256")}, ES256 ${bound("es256")}.`
}

const memoryLine = ({ scenarios }: Results["scenarios"]): string => {
  const most = (server: string): number =>
    Math.max(0, ...scenarios.map((result) => figureOf(result, server, ({ memory }) => memory)?.median ?? 0))
  const ratio = most(ours) / most(peer)
  return `Resident memory under load, at most: ${most(ours).toFixed(0)} MB beside ${most(peer).toFixed(0)}, ${ratio.toFixed(2)} of the peer's; asked for at most 0.75: ${ratio <= 0.75 ? "reached" : "not reached"}.`
}

/** Times of answers at half load. */
export const halfLoadTable = ({ peakPerSecond, quiet, busy, swept, verified, rotated }: Results["half-load"]): string => {
  const row = (name: string, { perSecond: done, p50, p95, p99, longest }: Round): ReadonlyArray<string> => [
    name,
    done.toFixed(0),
    ...[p50, p95, p99, longest].map((each) => each.toFixed(1)),
  ]
  return `${table(
    ["half load", "ops/s", "p50 ms", "p95 ms", "p99 ms", "longest ms"],
    [row("undisturbed", quiet), row("with everything else going on", busy)],
  )}\n\nAt most ${peakPerSecond.toFixed(0)} ops/s of this mixture. Meanwhile ${swept.toLocaleString("en")} rows were swept, keys were rotated ${rotated === 1 ? "once" : "in vain"}, ${verified} passwords verified, sixteen at once. Asked for: p99 under 20 ms: ${busy.p99 < 20 ? "reached" : "not reached"}.`
}

/** Cost by the number of stored tokens; compared round by round, as `ratioOf` does it. */
export const growthTable = ({ rows }: Results["growth"]): string => {
  const [smallest] = rows
  const ids = smallest?.measured.map(({ id }) => id) ?? []
  const ofLeast = (id: string, rounds: ReadonlyArray<Round>): Figure => {
    const least = smallest?.measured.find((each) => each.id === id)?.rounds ?? []
    return figure(rounds.map((round, at) => cpu(round) / cpu(least[at] ?? round)))
  }
  const grown = rows.flatMap(({ measured }) => measured.map(({ id, rounds }) => ofLeast(id, rounds).median))
  return `${table(
    ["stored tokens", "MB on disk", ...ids.map((id) => `${id}: CPU µs`), ...ids.map((id) => `${id}: of the least`)],
    rows.map(({ tokens, bytes, measured }) => [
      tokens.toLocaleString("en"),
      (bytes / 1e6).toFixed(0),
      ...measured.map(({ rounds }) => spread(figure(rounds.map(cpu)), 0)),
      ...measured.map(({ id, rounds }) => spread(ofLeast(id, rounds), 2)),
    ]),
  )}\n\nAsked for: flat within 15 %: ${Math.max(...grown) <= 1.15 ? "reached" : "not reached"}.`
}

/** One process and two. */
export const clusterTable = ({ placing, scenarios }: Results["cluster"]): string => {
  const ratios = scenarios.map(({ one, two }) => figure(two.map((round, at) => round.perSecond / (one[at]?.perSecond ?? Number.NaN))))
  return `${table(
    [
      "scenario",
      "one process ops/s",
      "two processes ops/s",
      "ratio",
      "Postern's CPU µs",
      "at part load",
      "PostgreSQL's, at part load",
      "bytes logged",
    ],
    scenarios.map(({ title, one, two, part, database, logged }, at) => [
      title,
      spread(figure(one.map(perSecond)), 0),
      spread(figure(two.map(perSecond)), 0),
      times(ratios[at]),
      spread(figure(two.map(cpu)), 0),
      spread(figure(part.map(cpu)), 0),
      spread(figure(database), 0),
      figure(logged).median.toFixed(0),
    ]),
  )}\n\nPlaced: ${placing}. Asked for: 1.6×: ${ratios.every(({ median }) => median >= 1.6) ? "reached" : "not reached"}.`
}

const times = (value: Figure | undefined): string => (value === undefined ? "" : spread(value, 2))

const percent = (value: Figure | undefined): string =>
  value === undefined ? "" : `${Math.round(value.median * 100)} % (${Math.round(value.low * 100)}–${Math.round(value.high * 100)})`

/** A figure with how far its values lie apart. */
export const spread = ({ median, low, high }: Figure, digits: number): string => {
  const shown = (value: number): string => value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${shown(median)} (${shown(low)}–${shown(high)})`
}

/** A table in Markdown. */
export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [heads, heads.map((_, at) => (at === 0 ? "---" : "--:")), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
