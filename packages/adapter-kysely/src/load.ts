import { type Members, memoryRows, type Rows } from "@postern/core/memory"
import type { Command, RowEvent, RowKind, Way } from "@postern/core/model"
import { binding, columnOf, guardOf, selectionOf, type Words } from "@postern/stores/rows"
import type { Statements } from "./database.ts"
import type { Speech } from "./flavor.ts"
import { inParts, type Table } from "./table.ts"

/** The rows of one table that a set of commands affects, locked until the transaction ends. */
export interface Loaded {
  readonly table: Table
  /** The rows as stored, by key. */
  readonly before: ReadonlyMap<string, Members>
  /** The rows after the commands. */
  readonly rows: Rows
}

/** The tables of a store by name, and the SQL syntax of its database. */
export interface Tables {
  readonly of: (name: string) => Table
  readonly speech: Speech
}

/**
 * Reads and locks all rows that a set of commands affects. Rows selected by key come first, in the same order in every transaction, then
 * those that events select otherwise, then their ancestors and descendants. Concurrent transactions wait, and see the committed state after
 * the wait. A row that is only inserted is not looked up unless `careful` is true, because the database rejects a duplicate key.
 */
export const load = async (
  statements: Statements,
  { of, speech }: Tables,
  commands: ReadonlyArray<Command>,
  careful: boolean,
): Promise<ReadonlyMap<string, Loaded>> => {
  const loaded = new Map<string, Loaded & { readonly before: Map<string, Members> }>()
  const names = [...new Set(commands.map(({ table }) => table))].sort()
  for (const name of names) loaded.set(name, { table: of(name), before: new Map(), rows: memoryRows(of(name).kind) })

  /** Adds the rows of a condition that are not loaded yet, and returns them. */
  const take = async (name: string, where: string, values: ReadonlyArray<unknown>): Promise<ReadonlyArray<Members>> => {
    const { table, before, rows } = loaded.get(name) ?? missing(name)
    const order = table.kind.key.map(columnOf).join(", ")
    const found = await statements.rows(
      `SELECT ${table.selected()} FROM ${table.name} AS t WHERE ${where} ORDER BY ${order}${speech.locked}`,
      values,
    )
    return found.flatMap((each) => {
      // Every selected row has a key.
      const row = table.read(each) as Members
      const key = rows.keyOf(row)
      if (before.has(key)) return []
      before.set(key, row)
      rows.put(key, row)
      return [row]
    })
  }
  const takeAmong = async (name: string, members: ReadonlyArray<string>, all: ReadonlyArray<Members>): Promise<ReadonlyArray<Members>> => {
    const texts = new Map(all.map((each) => [JSON.stringify(members.map((member) => each[member])), each]))
    const found: Array<Members> = []
    for (const part of inParts([...texts.keys()].sort())) {
      const values = part.map((text) => members.map((member) => texts.get(text)?.[member]))
      found.push(...(await take(name, of(name).among(members, values), values.flat())))
    }
    return found
  }

  for (const name of names) {
    const { kind } = of(name)
    const sought = commands.filter((command) => command.table === name && isSought(eventOf(kind, command), careful))
    await takeAmong(name, kind.key, sought.map(keyedBy))
    const put = sought.flatMap(({ row }) => (row === undefined ? [] : [row as Members]))
    for (const member of kind.unique)
      await takeAmong(
        name,
        [member],
        put.filter((row) => row[member] !== undefined),
      )
  }
  for (const command of commands) {
    const { kind } = of(command.table)
    const event = eventOf(kind, command)
    if (event.by === undefined) continue
    const { where, values } = selecting(kind, event, speech.words)
    await take(command.table, where, values(command))
  }
  for (const command of commands) await takeRelated(command)
  return loaded

  /**
   * Adds the rows to which a change propagates, generation by generation. A concurrent transaction that derives a row has locked its
   * parent.
   */
  async function takeRelated({ table, event }: Command): Promise<void> {
    const { kind } = of(table)
    const { descent } = kind
    if (descent === undefined) return
    const { rows } = loaded.get(table) ?? missing(table)
    const [key = ""] = kind.key
    // Rows of this set of commands may be links between others.
    const first = [...rows.all(), ...commands.flatMap(({ table: of, row }) => (of === table && row !== undefined ? [row as Members] : []))]
    if (goesOn(eventOf(kind, { event }), descent.down)) {
      for (let above: ReadonlyArray<Members> = first; above.length > 0;)
        above = await takeAmong(
          table,
          [descent.from],
          above.map((row) => ({ [descent.from]: row[key] })),
        )
    }
    if (goesOn(eventOf(kind, { event }), descent.up)) {
      for (let below: ReadonlyArray<Members> = first; below.length > 0;)
        below = await takeAmong(
          table,
          [key],
          below.flatMap((row) => (row[descent.from] === undefined ? [] : [{ [key]: row[descent.from] }])),
        )
    }
  }
}

const missing = (name: string): never => {
  throw new Error(`the store keeps no table ${name}`)
}

const eventOf = ({ name, events }: RowKind, { event }: Pick<Command, "event">): RowEvent => {
  const found = events[event]
  if (found === undefined) throw new Error(`${name} has no event ${event}`)
  return found
}

/** Returns the members that contain the key of a command's row. */
const keyedBy = ({ row, given }: Command): Members => (row ?? given) as Members

/** Reports whether the row with a command's key is looked up. */
const isSought = ({ by, ways, otherwise }: RowEvent, careful: boolean): boolean =>
  by === undefined && (careful || otherwise === "nothing" || ways.some(({ when }) => when !== "absent"))

const goesOn = ({ ways }: RowEvent, columns: ReadonlyArray<string>): boolean =>
  ways.some(({ change }) => typeof change === "object" && change.some(([column]) => columns.includes(column)))

/** Returns the condition of the rows that an event selects by columns other than the key, including its guard. */
const selecting = (kind: RowKind, event: RowEvent, words: Words) => {
  const { dialect, values } = binding(kind, words)
  const [way]: ReadonlyArray<Way> = event.ways
  const guard = way === undefined ? "" : ` AND ${guardOf(dialect, kind, event, way)}`
  return { where: `${selectionOf(dialect, kind, event)}${guard}`, values }
}
