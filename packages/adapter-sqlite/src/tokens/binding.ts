import type { ColumnKind, Command, RowKind } from "@postern/core/model"
import { columnOf, columnsOf, identifier, type Dialect, optionalCodecOf, type Stored, writeRow } from "@postern/stores/rows"
import { inSlots, locatorIn, slotOf } from "../database/slots.ts"

/** A value that a statement is given: one that is stored, or a slot. */
export type Bound = Stored | bigint

type Bind = (given: Command["given"], row: ReadonlyArray<Stored>) => Bound

/** A command, or whatever else gives values by name. */
type Told = Pick<Command, "given" | "row">

/** The dialect of one statement, and the values it asks for. */
export interface Binding {
  readonly dialect: Dialect
  readonly values: (told: Told) => ReadonlyArray<Bound>
}

/** The dialect of one statement, and the values of a command in the order in which the statement asks for them. */
export const binding = (kind: RowKind): Binding => {
  const binds: Array<Bind> = []
  const columns = columnsOf(kind)
  let isRow = true
  const write = writeRow(kind)
  const asked = (bind: Bind): string => {
    binds.push(bind)
    return "?"
  }
  const put = (column: string): string => {
    const at = columns.indexOf(column)
    return asked((_, row) => row[at] ?? null)
  }
  const dialect: Dialect = {
    named: identifier,
    given: (name: string, column: ColumnKind) => {
      isRow = false
      const codec = optionalCodecOf(column)
      return asked((given) => codec.write(given[name]))
    },
    insert: () => {
      const slot = kind.slotted === true ? ["?"] : []
      const names = [...slot.map(() => "slot"), ...columns.map(identifier)].join(", ")
      return `INSERT INTO ${identifier(kind.name)} AS t (${names}) VALUES (${[...slot, ...columns.map(put)].join(", ")})`
    },
    put,
    sought: ({ slotted }) => {
      if (slotted !== true) return undefined
      isRow = false
      return inSlots("t.slot", () => asked((given) => slotOf(locatorIn(kind, given))))
    },
    greatest: "max",
    position: "instr",
    unset: (member) => `t.${columnOf(member)} IS NULL`,
  }
  const none: ReadonlyArray<Stored> = []
  const values = ({ given, row }: Told): ReadonlyArray<Bound> => {
    const stored = row === undefined ? none : write(row)
    // An insertion asks for the whole row and nothing besides, but for its slot.
    if (isRow) return kind.slotted === true ? [slotOf(locatorIn(kind, row)), ...stored] : stored
    return binds.map((bind) => bind(given, stored))
  }
  return { dialect, values }
}
