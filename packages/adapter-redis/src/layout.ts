import type { Condition, RowEvent, RowKind } from "@postern/core/model"

/** An event, with the column that its rows are found by where that is not their key. */
export interface EventLayout extends RowEvent {
  /** A column that every command gives a value for: the others narrow. */
  readonly first?: string | undefined
}

/** A condition that is judged when a list is read: numbers are stored as texts, so it says which of both a column has. */
export type AskedCondition = Condition | readonly [column: string, is: "textBelow", to: string]

/** One list as the functions keep it: a sorted set for each value of what its rows have in common. */
export interface ListLayout {
  /** The columns that all rows of a list have in common, each with the name of its value. */
  readonly equal: ReadonlyArray<readonly [column: string, given: string]>
  /** Conditions that a row meets by itself: where it does not, it is not in the set. */
  readonly fixed: ReadonlyArray<Condition>
  /** Conditions that are judged when the list is read. */
  readonly asked: ReadonlyArray<AskedCondition>
  /** Conditions of which one holds, each of which a row meets by itself. */
  readonly any: ReadonlyArray<Condition>
  /** The column that the set is ordered by: a number's; undefined where rows are in the order of their keys. */
  readonly score?: string | undefined
  /** The condition that bounds the score from above. */
  readonly bound?: string | undefined
  /** True if the greatest comes first. */
  readonly down: boolean
  /** True if rows of the same score come in no other order than that of their keys. */
  readonly exact: boolean
}

/** One kind of row as the functions know it. */
export interface KindLayout {
  /** The members of its key. */
  readonly key: ReadonlyArray<string>
  /** Members of which no two rows have the same. */
  readonly unique: ReadonlyArray<string>
  /** The columns that events find rows by. */
  readonly by: ReadonlyArray<string>
  /** The columns that rows are found by beside their keys. */
  readonly finding: ReadonlyArray<string>
  /** The column of the moment at which a row may go. */
  readonly until?: string | undefined
  /** True if 0 keeps a row for ever. */
  readonly endless: boolean
  /** The column that names a row's grant. */
  readonly ofGrant?: string | undefined
  readonly descent?: RowKind["descent"]
  readonly events: Readonly<Record<string, EventLayout>>
  readonly lists: Readonly<Record<string, ListLayout>>
}

const firstOf = ({ by = {} }: RowEvent): string | undefined =>
  Object.entries(by).find(([, operand]) => typeof operand === "string" && !operand.endsWith("?"))?.[0]

const byItself: ReadonlySet<string> = new Set(["set", "unset", "is", "contains"])

const asked = (condition: Condition, columns: RowKind["columns"]): AskedCondition => {
  const [column, is, to] = condition
  return is === "below" && columns[column]?.startsWith("text") === true ? [column, "textBelow", String(to)] : condition
}

/** Describes a kind of row for the functions: plain data, which they decode once. */
export const layoutOf = ({
  name: kindName,
  key,
  unique,
  keptUntil,
  endless,
  ofGrant,
  descent,
  events,
  lists,
  columns,
}: RowKind): KindLayout => {
  const described = Object.entries(events).map(([name, event]) => [name, { ...event, first: firstOf(event) }] as const)
  const by = described.flatMap(([, { first }]) => (first === undefined ? [] : [first]))
  const found = [...new Set([...by, ...(descent === undefined ? [] : [descent.from])])]
  return {
    key,
    unique,
    by: found,
    finding: [...unique, ...found],
    until: keptUntil,
    endless,
    ofGrant,
    descent,
    events: Object.fromEntries(described),
    lists: Object.fromEntries(
      Object.entries(lists).map(([name, { all, any = [], order }]) => {
        if (any.some(([, is]) => !byItself.has(is)))
          throw new TypeError(`${kindName}: list ${name} has a condition of several that compares with a value`)
        const [[first, way] = ["", "up"], second, ...more] = order
        const isNumber = columns[first]?.startsWith("integer") === true
        const last = isNumber ? second : undefined
        return [
          name,
          {
            equal: all.flatMap(([column, is, to]) => (is === "equal" ? [[column, String(to).slice(1)] as const] : [])),
            fixed: all.filter(([, is]) => byItself.has(is)),
            asked: all.flatMap((condition) => (byItself.has(condition[1]) || condition[1] === "equal" ? [] : [asked(condition, columns)])),
            any,
            score: isNumber ? first : undefined,
            bound: all.flatMap(([column, is, to]) => (column === first && is === "atMost" ? [String(to).slice(1)] : []))[0],
            down: way === "down",
            exact: isNumber ? last === undefined || (last[0] === key[0] && last[1] === way && more.length === 0) : first === key[0],
          },
        ]
      }),
    ),
  }
}
