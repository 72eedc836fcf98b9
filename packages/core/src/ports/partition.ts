import {
  type Command,
  type Grant,
  type Interaction,
  type RowKind,
  accessTokens,
  attempts,
  codes,
  consents,
  devices,
  grants,
  interactions,
  refreshTokens,
  rowKinds,
  sessions,
} from "../model/index.ts"
import { type Awaitable, after } from "./awaitable.ts"
import { type Marks, marksIn } from "./marks.ts"
import type { FoundBy, TokenStorePort } from "./plain.ts"
import { listed } from "./reads.ts"

// Several issuers keep their rows in one store. Whatever tells rows apart (keys, and the members that events and lists find rows by) carries the name of the issuer,
// so that no question of one issuer can be answered by a row of another. Descriptions of rows say which members these are: a new kind of row, or a new store, needs
// nothing here.

/** The part of a store that belongs to one issuer. */
export interface Partition {
  /**
   * The name of the issuer: 1 to 32 lower-case letters, digits and dashes, never given to another issuer. Empty for the rows that carry no name: those of a store that
   * served one issuer before.
   */
  readonly name: string
  /** The name that guesses of passwords are counted under: one for all issuers that share their people. That of the issuer when not given. */
  readonly people?: string | undefined
  /** Every kind of row of the store: `rowKindsOf` the features of the issuer's provider; those of core when not given. */
  readonly kinds?: ReadonlyArray<RowKind> | undefined
}

/** Stands between a value and the name of its issuer: no locator, digest or printable text has it, so that rows without a name have none either. */
const separator = "\u001f"

/** Reports whether a text is a valid name of an issuer. */
export const isPartitionName = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,31}$/.test(name)

/** Splits what a store keeps into the value and the name of its issuer, which is empty where there is none. */
export const partitionOf = (stored: string): { readonly value: string; readonly name: string } => {
  const at = stored.lastIndexOf(separator)
  return at < 0 ? { value: stored, name: "" } : { value: stored.slice(0, at), name: stored.slice(at + 1) }
}

/** Marks a value as an issuer's. Throws where a value of the issuer without a name would be taken for another's. */
export const inPartition = (value: string, name: string): string => {
  if (name !== "") return `${value}${separator}${name}`
  if (value.includes(separator)) throw new RangeError("a value that could be taken for another issuer's")
  return value
}

/** The value of what a store keeps; undefined where it is another issuer's. */
const own = (stored: string, name: string): string | undefined => {
  if (name === "") return stored.includes(separator) ? undefined : stored
  const until = stored.length - name.length - 1
  return until >= 0 && stored[until] === separator && stored.endsWith(name) ? stored.slice(0, until) : undefined
}

type Members = Readonly<Record<string, unknown>>

/** Guesses of passwords go with the people that they are guesses of. */
const isOfPeople = (kind: RowKind, key: unknown): boolean =>
  kind.name === attempts.name && typeof key === "string" && (key.startsWith("password ") || key.startsWith("upstream "))

/**
 * The part of a token store that is one issuer's: every row that it writes carries the issuer's name, and no row of another issuer is found, listed or changed through
 * it. The store may be any; its rows need no other tables. A list that nothing narrows to an issuer, such as the outbox's, shows those of its first
 * 100 rows that are the issuer's.
 */
export const partitioned = (tokens: TokenStorePort, { name, people = name, kinds = rowKinds }: Partition): TokenStorePort => {
  const marks = marksIn(kinds)
  const of = (table: string): Marks => {
    const found = marks.get(table)
    if (found === undefined) throw new TypeError(`the rows of ${table} are not described to the partition of their store`)
    return found
  }
  const nameFor = (kind: RowKind, key: unknown): string => (isOfPeople(kind, key) ? people : name)
  /** The members with a mark on some of them. */
  const marked = (kind: RowKind, given: Members, which: ReadonlyArray<string>): Members => {
    const result: Record<string, unknown> = { ...given }
    for (const member of which) {
      const value = result[member]
      if (typeof value === "string") result[member] = inPartition(value, nameFor(kind, value))
    }
    return result
  }
  /** A row as its issuer knows it; undefined for another's. */
  const unmarked = <Row>({ kind, members }: Marks, row: Row): Row | undefined => {
    const result: Record<string, unknown> = { ...(row as Members) }
    for (const member of members) {
      const stored = result[member]
      if (typeof stored !== "string") continue
      const value = own(stored, nameFor(kind, stored))
      if (value === undefined) return undefined
      result[member] = value
    }
    // Each member has the type that it had.
    return result as Row
  }
  /** Reads by a marked value; one that is another issuer's by its look is nobody's. */
  const sought = <A>(given: ReadonlyArray<unknown>, ask: () => Awaitable<A | undefined>): Awaitable<A | undefined> =>
    name === "" && given.some((value) => typeof value === "string" && value.includes(separator)) ? undefined : ask()
  const one = <Row>(kind: RowKind<Row>, key: string, ask: (key: string) => Awaitable<Row | undefined>): Awaitable<Row | undefined> =>
    sought([key], () =>
      after(ask(inPartition(key, nameFor(kind, key))), (row) => (row === undefined ? undefined : unmarked(of(kind.name), row))),
    )
  const many = <Row>(
    kind: RowKind<Row>,
    list: string,
    given: FoundBy,
    ask: (given: FoundBy) => Awaitable<ReadonlyArray<Row>>,
  ): Awaitable<ReadonlyArray<Row>> => {
    const found = of(kind.name)
    const names = found.lists.get(list) ?? []
    const rows = sought(Object.values(given), () => ask(marked(kind, given, names) as FoundBy))
    return after(rows, (all = []) => all.slice(0, listed).flatMap((row) => unmarked(found, row) ?? []))
  }
  /** A command that speaks of the issuer's rows alone. */
  const command = ({ table, event, given, row, ...more }: Command): Command => {
    const { kind, members, events } = of(table)
    const names = events.get(event)
    if (names === undefined) throw new TypeError(`${table} has no event ${event}`)
    return {
      ...more,
      table,
      event,
      // Values stay what they were, but for a mark on some texts.
      given: marked(kind, given, names) as Command["given"],
      ...(row === undefined ? {} : { row: marked(kind, row as Members, members) }),
    }
  }
  const withGrant = <Found extends { readonly grant?: Grant | undefined }>(
    found: Found | undefined,
    row: (found: Found) => Partial<Found> | undefined,
  ) => {
    const read = found && row(found)
    if (found === undefined || read === undefined) return undefined
    if (found.grant === undefined) return { ...found, ...read }
    const grant = unmarked(of(grants.name), found.grant)
    return grant && { ...found, ...read, grant }
  }
  const granted = <Row, Found extends { readonly grant?: Grant | undefined }>(
    kind: RowKind<Row>,
    locator: string,
    ask: (locator: string) => Awaitable<Found | undefined>,
    member: keyof Found,
  ): Awaitable<Found | undefined> =>
    sought([locator], () =>
      after(ask(inPartition(locator, name)), (found) =>
        withGrant(found, (whole) => {
          // The member of what was found that is a row of this kind.
          const row = unmarked(of(kind.name), whole[member] as Row)
          return row && ({ [member]: row } as Partial<Found>)
        }),
      ),
    )
  const { keeps, durable, recentAttempts } = tokens
  return {
    ...(keeps && { keeps: (table) => marks.has(table) && keeps(table) }),
    find: (kind, key) => {
      const found = of(kind.name)
      return sought(Object.values(key), () =>
        after(tokens.find(kind, marked(kind, key, found.members) as FoundBy), (row) =>
          row === undefined ? undefined : unmarked(found, row),
        ),
      )
    },
    list: (kind, list, given) => many(kind, list, given, (all) => tokens.list(kind, list, all)),
    findGrant: (id) => one(grants, id, (key) => tokens.findGrant(key)),
    grantsOf: (subject) => many(grants, "grants", { subject }, (all) => tokens.grantsOf(String(all["subject"]))),
    findCode: (locator) => granted(codes, locator, (key) => tokens.findCode(key), "code"),
    findAccessToken: (locator) => granted(accessTokens, locator, (key) => tokens.findAccessToken(key), "token"),
    findRefreshToken: (locator) => granted(refreshTokens, locator, (key) => tokens.findRefreshToken(key), "token"),
    findSession: (locator) => one(sessions, locator, (key) => tokens.findSession(key)),
    sessionsOf: (subject) => many(sessions, "sessions", { subject }, (all) => tokens.sessionsOf(String(all["subject"]))),
    // Read as what its row may be, whatever kind of waiting request it is.
    findInteraction: (locator) => one<Interaction>(interactions as RowKind<Interaction>, locator, (key) => tokens.findInteraction(key)),
    findDevice: (locator) => one(devices, locator, (key) => tokens.findDevice(key)),
    findDeviceByUserCode: (userCode) => one(devices, userCode, (key) => tokens.findDeviceByUserCode(key)),
    findAttempts: (key) => one(attempts, key, (marked) => tokens.findAttempts(marked)),
    ...(recentAttempts && { recentAttempts: (key, now) => one(attempts, key, (marked) => recentAttempts(marked, now)) }),
    findConsent: (subject, clientId) => one(consents, subject, (marked) => tokens.findConsent(marked, clientId)),
    consentsOf: (subject) => many(consents, "consents", { subject }, (all) => tokens.consentsOf(String(all["subject"]))),
    commit: (commands) => tokens.commit(commands.map(command)),
    ...(durable && { durable: () => durable() }),
  }
}
