import { type Command, comparedBy, grants, type Instant, type Listing, meets, type RowKind, rowKinds } from "../model/index.ts"
import { refuseFaults } from "../model/members.ts"
import { secondsOf } from "../ports/inSeconds.ts"
import { rowKindsFault } from "../model/rowKindsFault.ts"
import { foundWithGrant, listed, readsOf, type TokenStorePort } from "../ports/index.ts"
import { applyCommand } from "./commands.ts"
import { type Members, memoryRows, type Rows, type Undo } from "./rows.ts"

/** The result of one slice of sweeping. */
export interface Sweep {
  /** The number of rows that were removed. */
  readonly removed: number
  /** True if there is more to sweep at this time. */
  readonly more: boolean
}

/** A token store in memory. */
export interface MemoryTokenStore extends TokenStorePort {
  /** Removes expired rows. */
  readonly sweep: (now: Instant) => Sweep
}

/**
 * A token store in memory, for tests and examples. It passes the store contract, and loses its data when the process ends. Other stores are
 * compared with it as the model. It stores rows of the given tables.
 */
export const memoryTokenStore = (kinds: ReadonlyArray<RowKind> = rowKinds): MemoryTokenStore => {
  refuseFaults("memoryTokenStore", rowKindsFault(kinds))
  const world = new Map(kinds.map((kind) => [kind.name, memoryRows(kind)] as const))
  const rowsIn = (name: string): Rows => {
    const rows = world.get(name)
    if (rows === undefined) throw new Error(`the store keeps no table ${name}`)
    return rows
  }

  const find = <Row>(kind: RowKind<Row>, key: Members): Row | undefined =>
    // Every value in a table was stored as a row of this type.
    rowsIn(kind.name).find(key) as Row | undefined

  const list = <Row>(kind: RowKind<Row>, name: string, given: Members): ReadonlyArray<Row> => {
    const { all, any = [], order } = kind.lists[name] ?? unlisted
    return ([...rowsIn(kind.name).all()] as ReadonlyArray<Members>)
      .filter((row) => meets(row, all, given) && (any.length === 0 || any.some((one) => meets(row, [one], given))))
      .sort((left, right) => comparedBy(order, left, right))
      .slice(0, listed) as ReadonlyArray<Row>
  }

  const commit = (commands: ReadonlyArray<Command>): "Committed" | "Conflict" => {
    const undos: Array<Undo> = []
    for (const command of commands) {
      const undo = applyCommand(rowsIn(command.table), command)
      if (undo === undefined) {
        for (const each of undos.reverse()) each()
        return "Conflict"
      }
      undos.push(undo)
    }
    return "Committed"
  }

  return {
    keeps: (table) => world.has(table),
    ...readsOf({
      find,
      list,
      findWithGrant: (kind, key) => {
        const row = find(kind, key)
        const id = (row as Members | undefined)?.[kind.ofGrant ?? ""]
        return row && foundWithGrant(kind, row, typeof id === "string" ? find(grants, { id }) : undefined)
      },
    }),
    commit,
    sweep: (asked) => {
      const now = secondsOf("sweep: now: is", asked)
      let removed = 0
      for (const { kind, all, keyOf, put } of world.values()) {
        if (kind.keptUntil === undefined) continue
        for (const row of all()) {
          const until = Number(row[kind.keptUntil])
          if (until > now || (kind.endless && until === 0)) continue
          put(keyOf(row), undefined)
          removed++
        }
      }
      return { removed, more: false }
    },
  }
}

const unlisted: Listing = { all: [], order: [] }
