import {
  type Attempts,
  type Command,
  type CommitResult,
  type Consent,
  type Device,
  type Grant,
  type Instant,
  type Interaction,
  type RowKind,
  type Session,
  accessTokens,
  attempts,
  codes,
  consents,
  devices,
  grants,
  interactions,
  refreshTokens,
  sessions,
} from "../model/index.ts"
import { type Awaitable, after } from "./awaitable.ts"
import type { Marks } from "./marks.ts"
import { inPartition, ownValue, separator } from "./partitionNames.ts"
import type { FoundBy, TokenStorePort } from "./plain.ts"
import { listed } from "./reads.ts"

/** One issuer's part of a token store, as a value. The functions below are its operations. */
export interface Part {
  /** The store of all issuers. */
  readonly tokens: TokenStorePort
  /** The members of each kind of row that carry the name of the issuer. */
  readonly marks: ReadonlyMap<string, Marks>
  /** The name of the issuer; empty for rows without a name. */
  readonly name: string
  /** The name under which password guesses are counted. */
  readonly people: string
}

type Members = Readonly<Record<string, unknown>>

/** Password guesses are counted per user directory, which several issuers may share. */
const isOfPeople = (kind: RowKind, key: unknown): boolean =>
  kind.name === attempts.name && typeof key === "string" && (key.startsWith("password ") || key.startsWith("upstream "))

const marksFor = ({ marks }: Part, table: string): Marks => {
  const found = marks.get(table)
  if (found === undefined) throw new TypeError(`the rows of ${table} are not described to the partition of their store`)
  return found
}

const nameFor = ({ name, people }: Part, kind: RowKind, key: unknown): string => (isOfPeople(kind, key) ? people : name)

/** Adds the issuer's name to some of the members. */
const marked = (part: Part, kind: RowKind, given: Members, which: ReadonlyArray<string>): Members => {
  const result: Record<string, unknown> = { ...given }
  for (const member of which) {
    const value = result[member]
    if (typeof value === "string") result[member] = inPartition(value, nameFor(part, kind, value))
  }
  return result
}

/** Removes the issuer's name from a row; undefined for a row of another issuer. */
const unmarked = <Row>(part: Part, { kind, members }: Marks, row: Row): Row | undefined => {
  const result: Record<string, unknown> = { ...(row as Members) }
  for (const member of members) {
    const stored = result[member]
    if (typeof stored !== "string") continue
    const value = ownValue(stored, nameFor(part, kind, stored))
    if (value === undefined) return undefined
    result[member] = value
  }
  // Each member has the type that it had.
  return result as Row
}

/** Runs a read by a marked value. The result is undefined if the value belongs to another issuer by its form. */
const sought = <A>({ name }: Part, given: ReadonlyArray<unknown>, ask: () => Awaitable<A | undefined>): Awaitable<A | undefined> =>
  name === "" && given.some((value) => typeof value === "string" && value.includes(separator)) ? undefined : ask()

const one = <Row>(
  part: Part,
  kind: RowKind<Row>,
  key: string,
  ask: (key: string) => Awaitable<Row | undefined>,
): Awaitable<Row | undefined> =>
  sought(part, [key], () =>
    after(ask(inPartition(key, nameFor(part, kind, key))), (row) =>
      row === undefined ? undefined : unmarked(part, marksFor(part, kind.name), row),
    ),
  )

const many = <Row>(
  part: Part,
  kind: RowKind<Row>,
  list: string,
  given: FoundBy,
  ask: (given: FoundBy) => Awaitable<ReadonlyArray<Row>>,
): Awaitable<ReadonlyArray<Row>> => {
  const found = marksFor(part, kind.name)
  const names = found.lists.get(list) ?? []
  const rows = sought(part, Object.values(given), () => ask(marked(part, kind, given, names) as FoundBy))
  return after(rows, (all = []) => all.slice(0, listed).flatMap((row) => unmarked(part, found, row) ?? []))
}

/** Restricts a command to the issuer's rows. */
const command = (part: Part, { table, event, given, row, ...more }: Command): Command => {
  const { kind, members, events } = marksFor(part, table)
  const names = events.get(event)
  if (names === undefined) throw new TypeError(`${table} has no event ${event}`)
  return {
    ...more,
    table,
    event,
    // Values stay what they were, but for a mark on some texts.
    given: marked(part, kind, given, names) as Command["given"],
    ...(row === undefined ? {} : { row: marked(part, kind, row as Members, members) }),
  }
}

interface Granted {
  readonly grant?: Grant | undefined
}

/** Returns a row and its grant if both belong to the issuer; undefined otherwise. */
const withGrant = <Row, Found extends Granted>(
  part: Part,
  kind: RowKind<Row>,
  found: Found | undefined,
  member: keyof Found,
): Found | undefined => {
  // The member of what was found that is a row of this kind.
  const row = found && unmarked(part, marksFor(part, kind.name), found[member] as Row)
  if (found === undefined || row === undefined) return undefined
  const own = { [member]: row } as Partial<Found>
  if (found.grant === undefined) return { ...found, ...own }
  const grant = unmarked(part, marksFor(part, grants.name), found.grant)
  return grant && { ...found, ...own, grant }
}

const granted = <Row, Found extends Granted>(
  part: Part,
  kind: RowKind<Row>,
  locator: string,
  ask: (locator: string) => Awaitable<Found | undefined>,
  member: keyof Found,
): Awaitable<Found | undefined> =>
  sought(part, [locator], () => after(ask(inPartition(locator, part.name)), (found) => withGrant(part, kind, found, member)))

/** The operations of a part, as those of a token store. */
export const inPart = {
  find: <Row>(part: Part, kind: RowKind<Row>, key: FoundBy): Awaitable<Row | undefined> => {
    const found = marksFor(part, kind.name)
    return sought(part, Object.values(key), () =>
      after(part.tokens.find(kind, marked(part, kind, key, found.members) as FoundBy), (row) =>
        row === undefined ? undefined : unmarked(part, found, row),
      ),
    )
  },
  list: <Row>(part: Part, kind: RowKind<Row>, list: string, given: FoundBy): Awaitable<ReadonlyArray<Row>> =>
    many(part, kind, list, given, (all) => part.tokens.list(kind, list, all)),
  findGrant: (part: Part, id: string): Awaitable<Grant | undefined> => one(part, grants, id, (key) => part.tokens.findGrant(key)),
  grantsOf: (part: Part, subject: string): Awaitable<ReadonlyArray<Grant>> =>
    many(part, grants, "grants", { subject }, (all) => part.tokens.grantsOf(String(all["subject"]))),
  findCode: (part: Part, locator: string): ReturnType<TokenStorePort["findCode"]> =>
    granted(part, codes, locator, (key) => part.tokens.findCode(key), "code"),
  findAccessToken: (part: Part, locator: string): ReturnType<TokenStorePort["findAccessToken"]> =>
    granted(part, accessTokens, locator, (key) => part.tokens.findAccessToken(key), "token"),
  findRefreshToken: (part: Part, locator: string): ReturnType<TokenStorePort["findRefreshToken"]> =>
    granted(part, refreshTokens, locator, (key) => part.tokens.findRefreshToken(key), "token"),
  findSession: (part: Part, locator: string): Awaitable<Session | undefined> =>
    one(part, sessions, locator, (key) => part.tokens.findSession(key)),
  sessionsOf: (part: Part, subject: string): Awaitable<ReadonlyArray<Session>> =>
    many(part, sessions, "sessions", { subject }, (all) => part.tokens.sessionsOf(String(all["subject"]))),
  findInteraction: (part: Part, locator: string): Awaitable<Interaction | undefined> =>
    // Read as what its row may be, whatever kind of waiting request it is.
    one<Interaction>(part, interactions as RowKind<Interaction>, locator, (key) => part.tokens.findInteraction(key)),
  findDevice: (part: Part, locator: string): Awaitable<Device | undefined> =>
    one(part, devices, locator, (key) => part.tokens.findDevice(key)),
  findDeviceByUserCode: (part: Part, userCode: string): Awaitable<Device | undefined> =>
    one(part, devices, userCode, (key) => part.tokens.findDeviceByUserCode(key)),
  findAttempts: (part: Part, key: string): Awaitable<Attempts | undefined> =>
    one(part, attempts, key, (own) => part.tokens.findAttempts(own)),
  recentAttempts: (part: Part, key: string, now: Instant): Awaitable<Attempts | undefined> =>
    one(part, attempts, key, (own) =>
      part.tokens.recentAttempts === undefined ? part.tokens.findAttempts(own) : part.tokens.recentAttempts(own, now),
    ),
  findConsent: (part: Part, subject: string, clientId: string): Awaitable<Consent | undefined> =>
    one(part, consents, subject, (own) => part.tokens.findConsent(own, clientId)),
  consentsOf: (part: Part, subject: string): Awaitable<ReadonlyArray<Consent>> =>
    many(part, consents, "consents", { subject }, (all) => part.tokens.consentsOf(String(all["subject"]))),
  commit: (part: Part, commands: ReadonlyArray<Command>): Awaitable<CommitResult> =>
    part.tokens.commit(commands.map((each) => command(part, each))),
}
