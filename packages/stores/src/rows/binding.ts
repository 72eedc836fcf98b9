import type { ColumnKind, Command, RowKind } from "@postern/core/model"
import { columnOf, columnsOf, identifier, optionalCodecOf, type Stored, writeRow } from "./column.ts"
import type { Dialect } from "./statements.ts"

/** A value that a statement is given: one that is stored, or a whole number of 64 bits. */
export type Bound = Stored | bigint

type Bind = (given: Command["given"], row: ReadonlyArray<Stored>) => Bound

/** A command, or whatever else gives values by name. */
export type Told = Pick<Command, "given" | "row">

/** The dialect of one statement, and the values it asks for. */
export interface Binding {
  readonly dialect: Dialect
  readonly values: (told: Told) => ReadonlyArray<Bound>
}

/** A number by which the rows of a kind are found, in place of their key. */
export interface Slots {
  /** The slot of a row, from its members. */
  readonly of: (members: unknown) => bigint
  /** The condition under which rows are sought by slot, but for the key itself; `asked` stands for the slot each time it is called. */
  readonly sought: (asked: () => string) => string
}

/** A database's own words in statements that name their values by `?`. */
export interface Words extends Pick<Dialect, "greatest" | "position"> {
  /** A `?` that stands for a value of the kind of a column: some databases must be told its type. */
  readonly typed?: (kind: ColumnKind) => string
}

/** The words of SQLite. */
export const sqlite: Words = { greatest: "max", position: "instr" }

/** The dialect of one statement with a `?` for each value, and the values of a command in the order in which the statement asks for them. */
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
    // An insertion asks for the whole row and nothing besides, but for its slot. Of slotted rows no event that inserts does anything else.
    if (isRow) return slots === undefined ? stored : [slots.of(row), ...stored]
    return binds.map((bind) => bind(given, stored))
  }
  return { dialect, values }
}
