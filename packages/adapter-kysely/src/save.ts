import type { Members } from "@postern/core/memory"
import type { Stored } from "@postern/stores/rows"
import { identifier } from "@postern/stores/rows"
import type { Statements } from "./database.ts"
import type { Loaded } from "./load.ts"
import { inParts } from "./table.ts"

/** Writes the changes that commands have made. Deletions come first, so that a unique value can move from one row to another. */
export const save = async (statements: Statements, loaded: Iterable<Loaded>): Promise<void> => {
  for (const one of loaded) {
    const { gone, added, changed } = differences(one)
    const { kind, name, among, insert } = one.table
    for (const part of inParts(gone)) {
      const keys = part.map((row) => kind.key.map((member) => row[member]))
      await statements.change(`DELETE FROM ${name} WHERE ${among(kind.key, keys)}`, keys.flat())
    }
    for (const { columns, values, rows } of changed) {
      const sets = columns.map((column) => `${identifier(column)} = ?`).join(", ")
      for (const part of inParts(rows)) {
        const keys = part.map((row) => kind.key.map((member) => row[member]))
        await statements.change(`UPDATE ${name} SET ${sets} WHERE ${among(kind.key, keys)}`, [...values, ...keys.flat()])
      }
    }
    if (added.length > 0) await insert(statements, added)
  }
}

/** Rows whose columns are set to the same values. */
interface Changed {
  readonly columns: ReadonlyArray<string>
  readonly values: ReadonlyArray<Stored>
  readonly rows: Array<Members>
}

const differences = ({ table, before, rows }: Loaded) => {
  const gone: Array<Members> = []
  const added: Array<Members> = []
  const changed = new Map<string, Changed>()
  for (const [key, was] of before) {
    const is = rows.get(key)
    if (is === was) continue
    // A row whose unique value changes is deleted and inserted again, after the row that had the value before is deleted.
    if (is === undefined || table.kind.unique.some((member) => is[member] !== was[member])) gone.push(was)
    else change(was, is)
  }
  for (const row of rows.all()) {
    const was = before.get(rows.keyOf(row))
    if (was === undefined || gone.includes(was)) added.push(row)
  }
  return { gone, added, changed: changed.values() }

  function change(was: Members, is: Members): void {
    const [old, values] = [table.write(was), table.write(is)]
    const at = table.columns.flatMap((_, each) => (old[each] === values[each] ? [] : [each]))
    if (at.length === 0) return
    const given = at.map((each) => values[each] ?? null)
    const name = JSON.stringify([at, given])
    const group = changed.get(name) ?? { columns: at.map((each) => table.columns[each] ?? ""), values: given, rows: [] }
    group.rows.push(is)
    changed.set(name, group)
  }
}
