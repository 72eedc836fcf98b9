import type { Json } from "./json.ts"

// Rows are described once, here and in `tables/`: the stores interpret the descriptions, and hold no code for a kind of row. Descriptions
// are plain data, so that a store may compile them, send them elsewhere, or compare them with a schema.

type Kept = "text" | "integer" | "flag" | "json"

/** The form that a column keeps a member in: JSON unless it is a text, a whole number, or yes or no. A `?` says that it may be absent. */
export type ColumnKind = Kept | `${Kept}?`

type KeptOf<A> = [A] extends [string] ? "text" : [A] extends [number] ? "integer" : [A] extends [boolean] ? "flag" : "json"

/** A column for each member of a row. */
export type Columns<Row> = {
  readonly [Name in keyof Row]-?: undefined extends Row[Name] ? `${KeptOf<Exclude<Row[Name], undefined>>}?` : KeptOf<Row[Name]>
}

type Member<Row> = keyof Row & string

/** A value that a command gives by this name, or a number itself. */
export type Operand = `:${string}` | number

/** A condition on one column of a stored row. `is` compares with a text itself; `contains` is for lists of texts. */
export type Condition<Name extends string = string> =
  | readonly [column: Name, is: "unset" | "set"]
  | readonly [column: Name, is: "equal" | "atMost" | "below" | "above", to: Operand]
  | readonly [column: Name, is: "is" | "contains", text: string]

/** A change of one column. `setIfGiven` leaves it alone where the command gives no value. */
export type Assignment<Name extends string = string> =
  | readonly [column: Name, how: "set" | "setIfGiven" | "max" | "add", value: Operand]
  | readonly [column: Name, how: "unset"]

/**
 * One way that an event may go. `when` is the guard: that there is no such row (nor one with a secondary key of it), or that the stored row
 * meets every condition. `change` inserts the command's row, puts it in the place of the stored one, removes the stored one, assigns columns, or changes nothing.
 */
export interface Way<Name extends string = string> {
  /** The guard. */
  readonly when: "absent" | ReadonlyArray<Condition<Name>>
  /** The change. */
  readonly change: "insert" | "replace" | "remove" | "nothing" | ReadonlyArray<Assignment<Name>>
}

/** An event in the life of a row: the first way whose guard holds is taken. */
export interface RowEvent<Name extends string = string> {
  /**
   * The columns that find the rows, and what each must equal; the key where this is left out. A value whose name ends with `?` may be left
   * out, and then does not narrow. A number or a boolean stands for itself.
   */
  readonly by?: Readonly<Partial<Record<Name, Operand | boolean>>>
  /** Its ways, in order. */
  readonly ways: ReadonlyArray<Way<Name>>
  /** The outcome where no guard holds: a conflict, unless said otherwise. */
  readonly otherwise?: "conflict" | "nothing"
  /** Moves from each state that it is legal in to the one that it leads to; `none` is that there is no row. */
  readonly moves?: Readonly<Record<string, string>>
}

/** Rows that are listed together. */
export interface Listing<Name extends string = string> {
  /** Conditions that all hold. */
  readonly all: ReadonlyArray<Condition<Name>>
  /** Conditions of which one holds. */
  readonly any?: ReadonlyArray<Condition<Name>>
  /** The order of the list; its first 100 rows are listed. */
  readonly order: ReadonlyArray<readonly [column: Name, "up" | "down"]>
}

/**
 * The states of a row, each by the conditions that tell it; a row is in the last whose conditions hold. With the moves of its events they are a transition
 * table: an event that has no move from a state is illegal there, and a store answers with a conflict or changes nothing, as the event says. The tests of
 * illegal moves are made from it.
 */
export type RowStates<Name extends string = string> = Readonly<Record<string, ReadonlyArray<Condition<Name>>>>

/** One kind of row: where and how it is kept, how long, and everything that may happen to it. */
export interface RowKind<Row = unknown> {
  /** The name of its table. */
  readonly name: string
  /** The name of one row in messages: `a code`. */
  readonly called: string
  /** The members that are its key. */
  readonly key: ReadonlyArray<string>
  /** True if the key is a locator: rows lie in the order they were made. */
  readonly ordered: boolean
  /**
   * True if there may be so many rows that a database should find them by a number made of their locator, which alone is their key, where
   * that is faster. Not for rows that descend from others, nor for those of which one event inserts a row or changes the one there is.
   */
  readonly slotted?: boolean
  /** Its columns, each named as the member it keeps. */
  readonly columns: Readonly<Record<string, ColumnKind>>
  /**
   * Set for rows that are kept whole, as one JSON text in the column `content` beside the columns named: the members that JSON may leave
   * out. They change as a whole and by their version alone.
   */
  readonly whole?: ReadonlyArray<string>
  /** Members of which no two rows have the same. */
  readonly unique: ReadonlyArray<string>
  /** The member that says when a row may be swept; undefined where none ever is. */
  readonly keptUntil?: string
  /** True if 0 keeps a row for ever. */
  readonly endless: boolean
  /** The member that is the key of a grant, without which the row is not found. */
  readonly ofGrant?: string
  /**
   * True if the absence of a row counts together with other rows: then whoever inserts or removes a row waits for whoever does so under the same key,
   * also where there is no row to be locked.
   */
  readonly absenceCounts?: boolean
  /**
   * Rows that descend from others of their kind, by the member that names the one above. An assignment of a `down` column goes on to all
   * that descend from a row and meet the guard too; one of an `up` column to all that it descends from, whatever they are.
   */
  readonly descent?: {
    /** The member that holds the key of the row above. */
    readonly from: string
    /** Columns whose change goes down. */
    readonly down: ReadonlyArray<string>
    /** Columns whose change goes up. */
    readonly up: ReadonlyArray<string>
  }
  /**
   * Set for rows that a worker looks for on behalf of all issuers that share a store: their lists are narrowed to no issuer, though each row is one issuer's.
   */
  readonly acrossIssuers?: true
  /** Set where a row is good once: a restored copy of the database knows nothing of what was spent since, so its rows go. */
  readonly restored?: "removed"
  /** Everything that may happen to its rows, by the name of the command. */
  readonly events: Readonly<Record<string, RowEvent>>
  /** Lists of its rows. */
  readonly lists: Readonly<Record<string, Listing>>
  /** The states of a row. */
  readonly states?: RowStates
  /** Only a type: the row. */
  readonly row?: Row
}

interface Described<Row> {
  readonly key: ReadonlyArray<Member<Row>>
  readonly called?: string
  readonly ordered?: boolean
  readonly slotted?: boolean
  readonly unique?: ReadonlyArray<Member<Row>>
  readonly keptUntil?: Member<Row>
  readonly endless?: boolean
  readonly ofGrant?: Member<Row>
  readonly absenceCounts?: boolean
  readonly descent?: {
    readonly from: Member<Row>
    readonly down: ReadonlyArray<Member<Row>>
    readonly up: ReadonlyArray<Member<Row>>
  }
  readonly acrossIssuers?: true
  readonly restored?: "removed"
  readonly events?: Readonly<Record<string, RowEvent<Member<Row>>>>
  readonly lists?: Readonly<Record<string, Listing<Member<Row>>>>
  readonly states?: RowStates<Member<Row>>
}

const defaults = { called: "a row", ordered: false, unique: [], endless: false, events: {}, lists: {} }

/** Describes rows with a column for each member. */
export const rowKind = <Row>(name: string, columns: Columns<Row>, described: Described<Row>): RowKind<Row> => ({
  ...defaults,
  name,
  columns,
  ...described,
})

/** Describes rows that are kept whole, as JSON, beside the columns that find, guard and sweep them. */
export const wholeRowKind = <Row>(
  name: string,
  columns: Partial<Columns<Row>>,
  described: Described<Row> & { readonly mayLack: ReadonlyArray<Member<Row>> },
): RowKind<Row> => {
  const { mayLack, ...told } = described
  // A column is named or it is not: none of them is undefined.
  return { ...defaults, name, columns: columns as Readonly<Record<string, ColumnKind>>, whole: mayLack, ...told }
}

/** The guard that there is no such row yet, and its insertion. */
export const insertion: RowEvent<never> = { ways: [{ when: "absent", change: "insert" }] }

/** The same for rows that have states: a row begins in this one. */
export const insertedAs = (state: string): RowEvent<never> => ({ ...insertion, moves: { none: state } })

/** An event that changes rows which meet a guard, and has no other way. */
export const oneWay = <const Name extends string>(
  when: ReadonlyArray<Condition<Name>>,
  change: Exclude<Way<Name>["change"], "insert">,
  more: Pick<RowEvent, "otherwise" | "moves"> = {},
): RowEvent<Name> => ({ ways: [{ when, change }], ...more })

/** An event that puts the next version of a row in the place of the one that was read: the guard is its version, and with it its state. */
export const nextVersion: RowEvent<"version"> = oneWay([["version", "equal", ":before"]], "replace")

/** States that a column names. */
export const statesOf = <const Name extends string>(column: Name, ...names: ReadonlyArray<string>): RowStates<Name> =>
  Object.fromEntries(names.map((name) => [name, [[column, "is", name]]]))

/**
 * A list from the latest row back, a page at a time: `until` and `before` tell where it begins. Locators are ordered by time, so the key of one row
 * tells where the next page begins.
 */
export const latestFirst = <const Name extends string>(key: Name, ...all: ReadonlyArray<Condition<Name>>): Listing<Name | "createdAt"> => ({
  all: [...all, ["createdAt", "atMost", ":until"], [key, "below", ":before"]],
  order: [
    ["createdAt", "down"],
    [key, "down"],
  ],
})

/** A value that a command gives. */
export type Given = Json | undefined
