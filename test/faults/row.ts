import type { Breach, Ledger } from "./ledger.ts"

/** Result of a fault: a row of the table. */
export interface Row {
  /** R1 to R16. */
  readonly fault: string
  readonly done: string
  readonly times: number
  /** Promises that did not hold. */
  readonly lost: number
  readonly figures: Readonly<Record<string, string | number>>
  /** Problems; empty when the goal is met. */
  readonly problems: ReadonlyArray<string>
}

/** A fault that cannot be made here. */
export class Skipped extends Error {
  override readonly name = "Skipped"
}

/** Settings of a fault's run. */
export interface Run {
  readonly times: number
  readonly seed: number
  /** Tokens a second that are asked for beside the load, where a fault does that. */
  readonly rate?: number | undefined
  readonly say: (text: string) => void
}

/** A row as it stands in the table of `docs/reliability.md`. */
export const rowText = ({ fault, done, times, lost, figures }: Row): string =>
  `| ${fault} | ${done} | ${times} | ${lost} | ${Object.entries(figures)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ")} |`

export const tableHead = "| fault | what was done | times | lost | figures |\n|---|---|---|---|---|"

/** Breaches as lines, at most so many. */
export const breachesOf = ({ breaches }: Pick<Ledger, "breaches">, most = 20): ReadonlyArray<string> =>
  breaches.slice(0, most).map(({ rule, text }: Breach) => `${rule}: ${text}`)

/** The value below which a part of all values lies. */
export const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

/** Milliseconds as figures show them. */
export const milliseconds = (value: number): string => `${Math.round(value)} ms`
