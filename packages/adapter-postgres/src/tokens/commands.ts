import type { Command, RowKind } from "@postern/core/model"
import { columnsOf, compiledEvent, eachEvent, optionalCodecOf, parameter, type Stored, writeRow } from "@postern/stores/rows"
import { inFunction } from "./dialect.ts"

/** A command in the format of the commit function: its event, its values by name, and its row by column. */
export interface WrittenCommand {
  readonly event: string
  readonly row?: WrittenRow
  readonly [given: string]: Stored | WrittenRow | undefined
}

type WrittenRow = Readonly<Record<string, Stored>>

/** Returns a function that encodes commands of the given kinds of rows. */
export const writeCommand = (kinds: ReadonlyArray<RowKind>): ((command: Command) => WrittenCommand) => {
  const writerOf = eachEvent(kinds, (kind, event) => {
    const asked = new Map<string, (value: unknown) => Stored>()
    // The event is compiled again to collect the values that it uses and the kinds of their columns.
    compiledEvent(
      { ...inFunction, given: (given, column) => (asked.set(given, optionalCodecOf(column).write), inFunction.given(given, column)) },
      kind,
      event,
    )
    return { asked: [...asked], writeRowOf: rowWriter(kind) }
  })
  return ({ event, given, row }) => {
    const writer = writerOf(event)
    const written: Record<string, Stored> = {}
    for (const [name, write] of writer.asked) written[name] = parameter(write(given[name]))
    return row === undefined ? { event, ...written } : { event, ...written, row: writer.writeRowOf(row) }
  }
}

const rowWriter = (kind: RowKind): ((row: object) => WrittenRow) => {
  const [columns, write] = [columnsOf(kind), writeRow(kind)]
  return (row) => Object.fromEntries(write(row).map((value, at) => [columns[at] ?? "", parameter(value)]))
}
