import { type RowEvent, type RowKind, givenName } from "../model/index.ts"

/** The members of one kind of row that carry the name of an issuer, and the values of its commands and lists that carry it. */
export interface Marks {
  /** The kind. */
  readonly kind: RowKind
  /** The marked members of a row. */
  readonly members: ReadonlyArray<string>
  /** The marked values of each event. */
  readonly events: ReadonlyMap<string, ReadonlyArray<string>>
  /** The marked values of each list; empty if the list is not narrowed to an issuer. */
  readonly lists: ReadonlyMap<string, ReadonlyArray<string>>
}

/** The columns that an event finds its rows by and that require a value. */
const soughtBy = ({ by = {} }: RowEvent): ReadonlyArray<string> =>
  Object.entries(by).flatMap(([column, operand]) => (typeof operand === "string" && !operand.endsWith("?") ? [column] : []))

const narrowing = ({ lists, acrossIssuers }: RowKind, name: string): ReadonlyArray<readonly [column: string, given: string]> =>
  acrossIssuers === true
    ? []
    : (lists[name]?.all ?? []).flatMap(([column, is, to]) =>
        is === "equal" && typeof to === "string" ? [[column, givenName(to)] as const] : [],
      )

/**
 * Finds the members of a kind that identify its rows. Throws a `TypeError` if its description would let an event match rows of several
 * issuers.
 */
export const marksOf = (kind: RowKind): Marks => {
  const [first = ""] = kind.key
  const isText = (column: string): boolean => kind.columns[column]?.startsWith("text") === true
  const members = [
    ...new Set([
      first,
      ...kind.unique,
      ...(kind.ofGrant === undefined ? [] : [kind.ofGrant]),
      ...(kind.descent === undefined ? [] : [kind.descent.from]),
      ...Object.values(kind.events).flatMap(soughtBy),
      ...Object.keys(kind.lists).flatMap((name) => narrowing(kind, name).map(([column]) => column)),
    ]),
  ]
  const wrong = members.find((member) => !isText(member))
  if (wrong !== undefined)
    throw new TypeError(`${kind.name}: rows are told apart by ${wrong}, which is no text: several issuers cannot share their store`)
  const marked = new Set(members)
  const events = Object.entries(kind.events).map(([name, event]) => {
    if (event.by !== undefined && soughtBy(event).length === 0)
      throw new TypeError(`${kind.name}: ${name} finds rows of every issuer: several cannot share their store`)
    const compared = Object.entries(event.by ?? {}).flatMap(([column, operand]) =>
      typeof operand === "string" ? [[column, givenName(operand)] as const] : [],
    )
    const speaking = event.ways.flatMap(({ when, change }) => [
      ...(when === "absent" ? [] : when),
      ...(typeof change === "string" ? [] : change),
    ])
    const given = speaking.flatMap(([column, how, to]) => {
      if (marked.has(column) && (how === "is" || how === "contains" || how === "max" || how === "add"))
        throw new TypeError(`${kind.name}: ${name} compares ${column}, which tells rows apart, with a text of its own`)
      return typeof to === "string" && to.startsWith(":") ? [[column, givenName(to)] as const] : []
    })
    const all = [...(event.by === undefined ? kind.key.map((member) => [member, member] as const) : []), ...compared, ...given]
    const names = [...new Set(all.flatMap(([column, value]) => (marked.has(column) ? [value] : [])))]
    const torn = all.find(([column, value]) => !marked.has(column) && names.includes(value))
    if (torn !== undefined)
      throw new TypeError(`${kind.name}: ${name} gives ${torn[1]} to a column that tells rows apart and to ${torn[0]}, which does not`)
    return [name, names] as const
  })
  const lists = Object.keys(kind.lists).map((name) => [name, narrowing(kind, name).map(([, given]) => given)] as const)
  return { kind, members, events: new Map(events), lists: new Map(lists) }
}

const known = new WeakMap<ReadonlyArray<RowKind>, ReadonlyMap<string, Marks>>()

/** Returns the marks of these kinds of row. They are computed once for each array. */
export const marksIn = (kinds: ReadonlyArray<RowKind>): ReadonlyMap<string, Marks> => {
  const before = known.get(kinds)
  if (before !== undefined) return before
  const made = new Map(kinds.map((kind) => [kind.name, marksOf(kind)]))
  known.set(kinds, made)
  return made
}
