import type { RowKind } from "../model/index.ts"

/** A row by its members. */
export type Members = Readonly<Record<string, unknown>>

/** Undoes a change. */
export type Undo = () => void

/** The rows of one table, by key. */
export interface Rows {
  /** The description of the table. */
  readonly kind: RowKind
  /** The key of a row, or of any object with the members of a key. */
  readonly keyOf: (members: Members) => string
  /** The row of a key. */
  readonly get: (key: string) => Members | undefined
  /** The row with these members, by its key or a secondary one. */
  readonly find: (members: Members) => Members | undefined
  /** Reports whether another row has the key of this one, or a secondary key of it. */
  readonly isTaken: (row: Members) => boolean
  /** Every row. */
  readonly all: () => IterableIterator<Members>
  /** Stores a row, or removes it. */
  readonly put: (key: string, row: Members | undefined) => Undo
}

/** An empty table. */
export const memoryRows = (kind: RowKind): Rows => {
  const rows = new Map<string, Members>()
  const secondary = new Map(kind.unique.map((member) => [member, new Map<unknown, string>()] as const))

  const keyOf = (members: Members): string => {
    const [only, ...others] = kind.key
    return others.length === 0 ? String(members[only ?? ""]) : JSON.stringify(kind.key.map((member) => members[member]))
  }
  const place = (key: string, row: Members | undefined): void => {
    const before = rows.get(key)
    for (const [member, keys] of secondary) {
      if (before !== undefined) keys.delete(before[member])
      if (row !== undefined) keys.set(row[member], key)
    }
    if (row === undefined) rows.delete(key)
    else rows.set(key, row)
  }
  return {
    kind,
    keyOf,
    get: (key) => rows.get(key),
    find: (members) => {
      for (const [member, keys] of secondary) if (members[member] !== undefined) return rows.get(keys.get(members[member]) ?? "")
      return rows.get(keyOf(members))
    },
    isTaken: (row) =>
      rows.has(keyOf(row)) || [...secondary].some(([member, keys]) => row[member] !== undefined && rows.has(keys.get(row[member]) ?? "")),
    all: () => rows.values(),
    put: (key, row) => {
      const before = rows.get(key)
      place(key, row)
      return () => place(key, before)
    },
  }
}
