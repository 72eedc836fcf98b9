/**
 * A token store in one file, for one process: the afternoon of docs/stores.md. It loads every row, has core judge the commands, and writes the file anew. That is enough
 * to pass the store contract, and far too slow for more than a few thousand rows: a database takes the place of `load` and `save`.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { type Members, type MemoryTokenStore, type Rows, applyCommand, memoryRows } from "@postern/core/memory"
import { type RowKind, comparedBy, grants, meets, rowKinds } from "@postern/core/model"
import { foundWithGrant, listed, readsOf } from "@postern/core/ports"

type World = ReadonlyMap<string, Rows>

/** Makes a store of a file that need not be there yet. */
export const fileStore = (file: string, kinds: ReadonlyArray<RowKind> = rowKinds): MemoryTokenStore => {
  const load = (): World => {
    const stored: Record<string, ReadonlyArray<Members>> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
    const tables = kinds.map((kind) => {
      const rows = memoryRows(kind)
      for (const row of stored[kind.name] ?? []) rows.put(rows.keyOf(row), row)
      return [kind.name, rows] as const
    })
    return new Map(tables)
  }
  /** Writes every row, and answers when they are on disk: whoever reads the file finds all of a commit or nothing of it. */
  const save = (world: World): void => {
    writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries([...world].map(([name, rows]) => [name, [...rows.all()]]))), {
      flush: true,
    })
    renameSync(`${file}.new`, file)
    const folder = openSync(dirname(file), "r")
    fsyncSync(folder)
    closeSync(folder)
  }
  const rowsIn = (world: World, table: string): Rows => {
    const rows = world.get(table)
    if (rows === undefined) throw new Error(`the store keeps no table ${table}`)
    return rows
  }

  // Every value in a table was put there as its row.
  const find = <Row>(kind: RowKind<Row>, key: Members) => rowsIn(load(), kind.name).find(key) as Row | undefined

  return {
    keeps: (table) => kinds.some(({ name }) => name === table),
    ...readsOf({
      find,
      findWithGrant: (kind, key) => {
        const row = find(kind, key)
        // The column that names the grant of a row, where its kind has one.
        const id = (row as Members | undefined)?.[kind.ofGrant ?? ""]
        return row && foundWithGrant(kind, row, typeof id === "string" ? find(grants, { id }) : undefined)
      },
      list: <Row>(kind: RowKind<Row>, name: string, given: Members) => {
        const { all = [], any = [], order = [] } = kind.lists[name] ?? {}
        const rows: ReadonlyArray<Members> = [...rowsIn(load(), kind.name).all()]
        return rows
          .filter((row) => meets(row, all, given) && (any.length === 0 || any.some((one) => meets(row, [one], given))))
          .sort((left, right) => comparedBy(order, left, right))
          .slice(0, listed) as ReadonlyArray<Row>
      },
    }),
    commit: (commands) => {
      const world = load()
      // A command whose guard does not hold takes nothing back: the rows that were loaded are dropped with all that was changed in them.
      for (const command of commands) if (applyCommand(rowsIn(world, command.table), command) === undefined) return "Conflict"
      save(world)
      return "Committed"
    },
    sweep: (now) => {
      const world = load()
      let removed = 0
      for (const { kind, all, keyOf, put } of world.values()) {
        if (kind.keptUntil === undefined) continue
        for (const row of all()) {
          const until = Number(row[kind.keptUntil])
          // In tables whose rows may be endless, 0 is no time.
          if (until > now || (kind.endless && until === 0)) continue
          put(keyOf(row), undefined)
          removed++
        }
      }
      save(world)
      return { removed, more: false }
    },
  }
}
