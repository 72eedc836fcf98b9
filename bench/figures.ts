import type { Round } from "./load/run.ts"
import type { ScenarioResult } from "./results.ts"

/** A median with how far the values lie apart. */
export interface Figure {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** The median of values and their spread. */
export const figure = (values: ReadonlyArray<number>): Figure => {
  const sorted = [...values].sort((left, right) => left - right)
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN, sorted[Math.floor(sorted.length / 2)] ?? Number.NaN]
  return { median: (low + high) / 2, low: sorted[0] ?? Number.NaN, high: sorted.at(-1) ?? Number.NaN }
}

/** A figure of a server's rounds; undefined where it did not take part. */
export const figureOf = ({ measured }: ScenarioResult, server: string, pick: (round: Round) => number): Figure | undefined => {
  const rounds = measured.find((each) => each.server === server)?.rounds ?? []
  return rounds.length === 0 ? undefined : figure(rounds.map(pick))
}

/** Compares one server's figure with another's, round by round: a slow round slows its neighbors too. */
export const ratioOf = (result: ScenarioResult, server: string, other: string, pick: (round: Round) => number): Figure | undefined => {
  const roundsOf = (name: string): ReadonlyArray<Round> => result.measured.find((each) => each.server === name)?.rounds ?? []
  const [left, right] = [roundsOf(server), roundsOf(other)]
  const pairs = left.flatMap((round, at) => {
    const beside = right[at]
    return beside === undefined ? [] : [pick(round) / pick(beside)]
  })
  return pairs.length === 0 ? undefined : figure(pairs)
}

/** Operations a second. */
export const perSecond = (round: Round): number => round.perSecond

/** Microseconds of CPU for each operation. */
export const cpu = (round: Round): number => round.cpu
