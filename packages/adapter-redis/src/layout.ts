import type { Condition, RowEvent, RowKind } from "@postern/core/model"

/** An event, with the column by which its rows are found if that is not their key. */
export interface EventLayout extends RowEvent {
  /** A column for which every command gives a value; the other columns only narrow the selection. */
  readonly first?: string | undefined
}

/** A condition that is evaluated when a list is read. Because numbers are stored as text, it states whether a comparison is textual. */
export type AskedCondition = Condition | readonly [column: string, is: "textBelow", to: string]

/** The layout of a list in Redis: a sorted set per combination of the values that its rows share. */
export interface ListLayout {
  /** The columns whose values the rows of a list share, each with the name of its parameter. */
  readonly equal: ReadonlyArray<readonly [column: string, given: string]>
  /** Conditions on the row alone. A row that does not meet them is not in the set. */
  readonly fixed: ReadonlyArray<Condition>
  /** Conditions that are evaluated when the list is read. */
  readonly asked: ReadonlyArray<AskedCondition>
  /** Alternative conditions on the row alone, of which at least one must hold. */
  readonly any: ReadonlyArray<Condition>
  /** The numeric column that orders the set; undefined if rows are ordered by key. */
  readonly score?: string | undefined
  /** The condition that limits the score from above. */
  readonly bound?: string | undefined
  /** True for descending order. */
  readonly down: boolean
  /** True if rows with the same score are ordered by key alone. */
  readonly exact: boolean
}

/** The layout of a kind of row, for the functions. */
export interface KindLayout {
  /** The members of the key. */
  readonly key: ReadonlyArray<string>
  /** The members with unique values. */
  readonly unique: ReadonlyArray<string>
  /** The columns by which events select rows. */
  readonly by: ReadonlyArray<string>
  /** The columns by which rows are found, in addition to their keys. */
  readonly finding: ReadonlyArray<string>
  /** The column with the expiry time. */
  readonly until?: string | undefined
  /** True if 0 means that a row never expires. */
  readonly endless: boolean
  /** The column with the grant of a row. */
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

/** Describes a kind of row for the functions, as plain data that they decode once. */
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
