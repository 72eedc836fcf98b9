import type { ColumnKind, Command, RowKind } from "@postern/core/model"
import { columnOf, columnsOf, identifier, optionalCodecOf, type Stored, writeRow } from "./column.ts"
import type { Dialect } from "./statements.ts"

/** A value that a statement binds: a stored value or a 64-bit integer. */
export type Bound = Stored | bigint

type Bind = (given: Command["given"], row: ReadonlyArray<Stored>) => Bound

/** A command, or any other source of named values. */
export type Told = Pick<Command, "given" | "row">

/** The dialect of one statement, and the function that returns the values it binds. */
export interface Binding {
  readonly dialect: Dialect
  readonly values: (told: Told) => ReadonlyArray<Bound>
}

/** A numeric key that replaces the key of rows of a kind. */
export interface Slots {
  /** Computes a row's slot from its members. */
  readonly of: (members: unknown) => bigint
  /**
   * The condition that finds a row by its slot, used in addition to its key. `asked` adds a placeholder of the slot and is called for each
   * use.
   */
  readonly sought: (asked: () => string) => string
}

/** The syntax of a database whose placeholders are `?`. */
export interface Words extends Pick<Dialect, "greatest" | "position"> {
  /** A `?` for a value of a column kind, because some databases must be told its type. */
  readonly typed?: (kind: ColumnKind) => string
}

/** The syntax of SQLite. */
export const sqlite: Words = { greatest: "max", position: "instr" }

/** Makes the dialect of one statement with a `?` for each value. `values` returns a command's values in the order of the placeholders. */
export const binding = (kind: RowKind, { typed = () => "?", ...words }: Words = sqlite, slots?: Slots): Binding => {
  const binds: Array<Bind> = []
  const columns = columnsOf(kind)
  let isRow = true
  const write = writeRow(kind)
  const asked = (bind: Bind, text = "?"): string => {
    binds.push(bind)
    return text
  }
  const put = (column: string): string => {
    const at = columns.indexOf(column)
    return asked((_, row) => row[at] ?? null)
  }
  const dialect: Dialect = {
    ...words,
    named: identifier,
    given: (name: string, column: ColumnKind) => {
      isRow = false
      const codec = optionalCodecOf(column)
      return asked((given) => codec.write(given[name]), typed(column))
    },
    insert: () => {
      const slot = slots === undefined ? [] : ["?"]
      const names = [...slot.map(() => "slot"), ...columns.map(identifier)].join(", ")
      return `INSERT INTO ${identifier(kind.name)} AS t (${names}) VALUES (${[...slot, ...columns.map(put)].join(", ")})`
    },
    put,
    sought: () => {
      if (slots === undefined) return undefined
      isRow = false
      return slots.sought(() => asked((given) => slots.of(given)))
    },
    unset: (member) => `t.${columnOf(member)} IS NULL`,
  }
  const none: ReadonlyArray<Stored> = []
  const values = ({ given, row }: Told): ReadonlyArray<Bound> => {
    const stored = row === undefined ? none : write(row)
    // An insertion binds only the whole row and its slot. Events that insert slotted rows do nothing else.
    if (isRow) return slots === undefined ? stored : [slots.of(row), ...stored]
    return binds.map((bind) => bind(given, stored))
  }
  return { dialect, values }
}
