import type { Json } from "./json.ts"

// Rows are described once, here and in `kinds/`. Stores interpret the descriptions and contain no code for a particular kind of row.
// Descriptions are plain data, so that a store may compile them, send them elsewhere, or compare them with a schema.

type Kept = "text" | "integer" | "flag" | "json"

/** The column type of a member: JSON, unless it is a text, an integer, or a boolean. A `?` marks an optional member. */
export type ColumnKind = Kept | `${Kept}?`

type KeptOf<A> = [A] extends [string] ? "text" : [A] extends [number] ? "integer" : [A] extends [boolean] ? "flag" : "json"

/** A column for each member of a row. */
export type Columns<Row> = {
  readonly [Name in keyof Row]-?: undefined extends Row[Name] ? `${KeptOf<Exclude<Row[Name], undefined>>}?` : KeptOf<Row[Name]>
}

type Member<Row> = keyof Row & string

/** A command value by name, or a number itself. */
export type Operand = `:${string}` | number

/** A condition on one column of a stored row. `is` compares with a constant; `contains` applies to lists of strings. */
export type Condition<Name extends string = string> =
  | readonly [column: Name, is: "unset" | "set"]
  | readonly [column: Name, is: "equal" | "atMost" | "below" | "above", to: Operand]
  | readonly [column: Name, is: "is" | "contains", text: string]

/** A change of one column. `setIfGiven` has no effect if the command has no such value. */
export type Assignment<Name extends string = string> =
  | readonly [column: Name, how: "set" | "setIfGiven" | "max" | "add", value: Operand]
  | readonly [column: Name, how: "unset"]

/**
 * One possible transition of an event. The guard `when` requires that there is no such row (nor one with the same secondary key), or that
 * the stored row meets every condition. `change` inserts the command's row, replaces or removes the stored row, assigns columns, or changes
 * nothing.
 */
export interface Way<Name extends string = string> {
  /** The guard. */
  readonly when: "absent" | ReadonlyArray<Condition<Name>>
  /** The change. */
  readonly change: "insert" | "replace" | "remove" | "nothing" | ReadonlyArray<Assignment<Name>>
}

/** An event in the life of a row. The first way whose guard is met applies. */
export interface RowEvent<Name extends string = string> {
  /**
   * The columns that find the rows and their values; the key by default. A value whose name ends with `?` is optional, and does not narrow
   * the rows if absent. A number or a boolean is a constant.
   */
  readonly by?: Readonly<Partial<Record<Name, Operand | boolean>>>
  /** Its ways, in order. */
  readonly ways: ReadonlyArray<Way<Name>>
  /** The outcome if no guard is met: a conflict by default. */
  readonly otherwise?: "conflict" | "nothing"
  /** The resulting state for each state in which the event is legal; `none` means that there is no row. */
  readonly moves?: Readonly<Record<string, string>>
}

/**
 * The end of rows in a restored copy of the database, which does not know what has been used or revoked since the copy was taken. If an
 * operator keeps the sessions of the copy, these rows stay too. The only value of its conditions and assignments is `:at`, the time of the
 * restore.
 */
export interface Ending<Name extends string = string> {
  /** The rows that end. */
  readonly when: ReadonlyArray<Condition<Name>>
  /** The change that ends them. */
  readonly change: "remove" | ReadonlyArray<Assignment<Name>>
  /** True for consents, which an operator may keep without the sessions. */
  readonly isConsent?: true
}

/** Rows that are listed together. */
export interface Listing<Name extends string = string> {
  /** Conditions that must all be met. */
  readonly all: ReadonlyArray<Condition<Name>>
  /** Conditions of which at least one must be met. */
  readonly any?: ReadonlyArray<Condition<Name>>
  /** The order of the list, which is limited to 100 rows. */
  readonly order: ReadonlyArray<readonly [column: Name, "up" | "down"]>
}

/**
 * The states of a row, each defined by its conditions. A row is in the last state whose conditions are met. Together with the moves of the
 * events, they form a transition table: an event without a move from a state is illegal in it, and a store answers with a conflict or
 * changes nothing, as the event specifies. The tests of illegal moves are generated from it.
 */
export type RowStates<Name extends string = string> = Readonly<Record<string, ReadonlyArray<Condition<Name>>>>

/** One kind of row: its table, its columns, its retention, and all its events. */
export interface RowKind<Row = unknown> {
  /** The name of its table. */
  readonly name: string
  /** The name of a row in messages: `a code`. */
  readonly called: string
  /** The members that are its key. */
  readonly key: ReadonlyArray<string>
  /** True if the key is a locator, so that rows are ordered by creation time. */
  readonly ordered: boolean
  /**
   * True if there may be so many rows that a database should find them by a number derived from their locator, if that is faster. The
   * locator must be the whole key. It is not allowed for rows that descend from others, or if one event either inserts or changes a row.
   */
  readonly slotted?: boolean
  /** Its columns, each named like the member it stores. */
  readonly columns: Readonly<Record<string, ColumnKind>>
  /**
   * Set if rows are stored whole, as JSON in the column `content` in addition to the named columns. It lists the members that may be absent
   * from the JSON. Such rows are replaced as a whole, guarded by their version.
   */
  readonly whole?: ReadonlyArray<string>
  /** Members with a unique value in each row. */
  readonly unique: ReadonlyArray<string>
  /** The member that states when a row may be swept; undefined if rows are never swept. */
  readonly keptUntil?: string
  /** True if 0 keeps a row forever. */
  readonly endless: boolean
  /** The member that holds the key of a grant. The row is not found without that grant. */
  readonly ofGrant?: string
  /**
   * True if a decision may depend on the absence of a row together with other rows. Inserts and removals under the same key then wait for
   * each other, even if there is no row to lock.
   */
  readonly absenceCounts?: boolean
  /**
   * Set if rows descend from others of their kind. An assignment to a `down` column also applies to all descendants that meet the guard;
   * one to an `up` column applies to all ancestors unconditionally.
   */
  readonly descent?: {
    /** The member that holds the key of the parent row. */
    readonly from: string
    /** Columns whose changes propagate to descendants. */
    readonly down: ReadonlyArray<string>
    /** Columns whose changes propagate to ancestors. */
    readonly up: ReadonlyArray<string>
  }
  /**
   * Set for rows that a worker reads for all issuers of a shared store. Their lists include the rows of every issuer, although each row
   * belongs to one.
   */
  readonly acrossIssuers?: true
  /** The end of its rows in a restored copy of the database; `removed` for single-use rows. If omitted, they stay. */
  readonly restored?: "removed" | Ending
  /** Its events, by the name of the command. */
  readonly events: Readonly<Record<string, RowEvent>>
  /** Lists of its rows. */
  readonly lists: Readonly<Record<string, Listing>>
  /** The states of a row. */
  readonly states?: RowStates
  /** The type of the row; it has no value. */
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
  readonly restored?: "removed" | Ending<Member<Row>>
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

/** Describes rows that are stored whole, as JSON, in addition to the columns that find, guard and sweep them. */
export const wholeRowKind = <Row>(
  name: string,
  columns: Partial<Columns<Row>>,
  described: Described<Row> & { readonly mayLack: ReadonlyArray<Member<Row>> },
): RowKind<Row> => {
  const { mayLack, ...told } = described
  // Each column that is named has a type; none of them is undefined.
  return { ...defaults, name, columns: columns as Readonly<Record<string, ColumnKind>>, whole: mayLack, ...told }
}

/** Inserts a row, with the guard that it does not exist yet. */
export const insertion: RowEvent<never> = { ways: [{ when: "absent", change: "insert" }] }

/** Inserts a row that begins in this state. */
export const insertedAs = (state: string): RowEvent<never> => ({ ...insertion, moves: { none: state } })

/** Defines an event with a single way: a guard and a change. */
export const oneWay = <const Name extends string>(
  when: ReadonlyArray<Condition<Name>>,
  change: Exclude<Way<Name>["change"], "insert">,
  more: Pick<RowEvent, "otherwise" | "moves"> = {},
): RowEvent<Name> => ({ ways: [{ when, change }], ...more })

/** Replaces a row by its next version. The guard is the version that was read, which implies its state. */
export const nextVersion: RowEvent<"version"> = oneWay([["version", "equal", ":before"]], "replace")

/** Defines states that are stored in a column. */
export const statesOf = <const Name extends string>(column: Name, ...names: ReadonlyArray<string>): RowStates<Name> =>
  Object.fromEntries(names.map((name) => [name, [[column, "is", name]]]))

/**
 * Defines a paged list, newest first. `until` and `before` state where a page begins. Locators are ordered by time, so the key of the last
 * row determines the next page.
 */
export const latestFirst = <const Name extends string>(key: Name, ...all: ReadonlyArray<Condition<Name>>): Listing<Name | "createdAt"> => ({
  all: [...all, ["createdAt", "atMost", ":until"], [key, "below", ":before"]],
  order: [
    ["createdAt", "down"],
    [key, "down"],
  ],
})

/** A value of a command. */
export type Given = Json | undefined
