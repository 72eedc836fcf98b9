import type { Decided } from "./entry.ts"

/** A rule that refuses a request, with its paragraph. */
export interface RefusedBy {
  readonly rule: string
  readonly cites: string
  readonly answer: string
  readonly reason: string
}

/** A difference between two decisions of one request. */
export interface Difference {
  /** Rules that refuse the request now and did not before. */
  readonly refuses: ReadonlyArray<RefusedBy>
  /** Rules that refused the request before and do not now. */
  readonly refused: ReadonlyArray<RefusedBy>
  /** Rules that the request passed before and does not reach now. */
  readonly gone: ReadonlyArray<string>
  /** Rules that the request passes now and did not reach before. */
  readonly added: ReadonlyArray<string>
  /** Other differences: the outcome, the status, a header by its name, the body, the state changes. */
  readonly other: ReadonlyArray<string>
}

const refusals = ({ steps }: Decided): ReadonlyArray<RefusedBy> => steps.flatMap(({ refused }) => refused ?? [])

const passed = ({ steps }: Decided): ReadonlySet<string> => new Set(steps.flatMap((step) => step.passed))

const names = (before: Decided, after: Decided): ReadonlyArray<string> => {
  const [old, fresh] = [before, after].map(({ headers }) => Map.groupBy(headers, ([name]) => name))
  const all = new Set([...(old?.keys() ?? []), ...(fresh?.keys() ?? [])])
  return [...all].filter((name) => JSON.stringify(old?.get(name)) !== JSON.stringify(fresh?.get(name)))
}

/** Compares two decisions of one request, rule by rule. Undefined if they are identical, byte for byte. */
export const differenceOf = (before: Decided, after: Decided): Difference | undefined => {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined
  const [had, has] = [refusals(before), refusals(after)]
  const [met, meets] = [passed(before), passed(after)]
  const other = [
    ...(before.outcome === after.outcome ? [] : [`outcome ${before.outcome}, now ${after.outcome}`]),
    ...(before.status === after.status ? [] : [`status ${before.status}, now ${after.status}`]),
    ...names(before, after).map((name) => `header ${name}`),
    ...(before.body === after.body ? [] : ["body"]),
    ...(JSON.stringify(before.commits) === JSON.stringify(after.commits) ? [] : ["changes of state"]),
    ...(before.fault === after.fault || after.fault === undefined ? [] : [`fault: ${after.fault}`]),
  ]
  return {
    refuses: has.filter(({ rule }) => !had.some((each) => each.rule === rule)),
    refused: had.filter(({ rule }) => !has.some((each) => each.rule === rule)),
    gone: [...met].filter((rule) => !meets.has(rule) && !has.some((each) => each.rule === rule)),
    added: [...meets].filter((rule) => !met.has(rule) && !had.some((each) => each.rule === rule)),
    other,
  }
}
