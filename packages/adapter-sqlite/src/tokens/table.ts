import type { RowKind } from "@postern/core/model"
import { type Bound, columnOf, columnsOf, identifier, readRow, selectedOf, type Stored, writeRow } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { inSlots, locatorIn, slotOf } from "../database/slots.ts"
import { onceUsed } from "./onceUsed.ts"

/** Statements on one kind of row. */
export interface Table<Row> {
  /** Inserts a row. Returns false if its key exists. */
  readonly insert: (row: Row) => boolean
  /** Finds a row by its key. */
  readonly find: (...key: ReadonlyArray<string>) => Row | undefined
  /** The columns to select for {@link Table.read}. */
  readonly selected: string
  /** Reads a row selected in raw mode. */
  readonly read: (stored: ReadonlyArray<Stored>) => Row
  /** Returns the values of a row in the order of its columns. */
  readonly write: (row: Row) => Array<Stored>
}

/** Returns the statements of a table whose rows are found by its key or by other members, each prepared when it is first used. */
export const tableOf = <Row>(database: Database, kind: RowKind<Row>, key = kind.key): Table<Row> => {
  const slotted = kind.slotted === true
  const columns = [...(slotted ? ["slot"] : []), ...columnsOf(kind)]
  const selected = selectedOf(kind).map(identifier).join(", ")
  const insert = onceUsed(() =>
    database.prepare<Array<Bound>>(
      `INSERT INTO ${identifier(kind.name)} (${columns.map(identifier).join(", ")}) VALUES (${columns.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`,
    ),
  )
  const bySlot = slotted && key === kind.key
  const where = [...(bySlot ? [inSlots("slot", () => "?")] : []), ...key.map((member) => `${columnOf(member)} = ?`)].join(" AND ")
  const find = onceUsed(() =>
    database.prepare<Array<Bound>, Array<Stored>>(`SELECT ${selected} FROM ${identifier(kind.name)} WHERE ${where}`).raw(),
  )
  const [read, write] = [readRow(kind), writeRow(kind)]
  const found = (stored: ReadonlyArray<Stored> | undefined): Row | undefined => (stored === undefined ? undefined : read(stored))

  return {
    insert: (row) => insert().run(...(slotted ? [slotOf(locatorIn(kind, row))] : []), ...write(row)).changes === 1,
    find: bySlot
      ? (locator = "") => {
          const slot = slotOf(locator)
          return found(find().get(slot, slot, locator))
        }
      : (...keys) => found(find().get(...keys)),
    selected,
    read,
    write,
  }
}
