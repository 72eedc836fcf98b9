import { cpu, type Figure, figure, perSecond } from "../figures.ts"
import type { Round } from "../load/run.ts"
import type { Results } from "../results.ts"
import { spread, table } from "./tables.ts"

/** One process, two workers, and two processes on one file. */
export const workersTable = ({ placing, scenarios }: Results["workers"]): string => {
  const ratio = (of: ReadonlyArray<Round>, to: ReadonlyArray<Round>, what: (round: Round) => number): Figure =>
    figure(of.map((round, at) => what(round) / what(to[at] ?? round)))
  return table(
    [
      "scenario",
      "one process ops/s",
      "two workers ops/s",
      "ratio",
      "one: CPU µs",
      "workers: CPU µs, all processes",
      "ratio",
      "two processes on one file: CPU µs",
      "ratio",
    ],
    scenarios.map(({ title, rounds: { one, workers, pair } }) => [
      title,
      spread(figure(one.map(perSecond)), 0),
      spread(figure(workers.map(perSecond)), 0),
      spread(ratio(workers, one, perSecond), 2),
      spread(figure(one.map(cpu)), 0),
      spread(figure(workers.map(cpu)), 0),
      spread(ratio(workers, one, cpu), 2),
      spread(figure(pair.map(cpu)), 0),
      spread(ratio(pair, one, cpu), 2),
    ]),
  ).concat(`\n\nPlaced: ${placing}. Asked for: 1.8× for what writes nothing, and a refresh at 1.2 times the CPU.`)
}
