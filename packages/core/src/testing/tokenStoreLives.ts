import { type Command, type CommitResult, type Given, givenName, type RowKind, rowKinds, stateOf } from "../model/index.ts"
import { type ContractCase, contractCase, expectSame } from "./contract.ts"
import {
  sampleAccessToken,
  sampleCode,
  sampleDevice,
  sampleGrant,
  sampleInteractions,
  sampleMessage,
  sampleRefreshToken,
  sampleSession,
  sampleTime,
} from "./rows.ts"
import type { TokenStoreSubject } from "./tokenStoreSubject.ts"

type Members = Readonly<Record<string, unknown>>

/** A row of each kind that has states. A kind that is added here without states fails. */
const samples: Readonly<Record<string, object>> = {
  grants: sampleGrant(1),
  codes: sampleCode(1),
  access_tokens: sampleAccessToken(1, { grantId: undefined }),
  refresh_tokens: sampleRefreshToken(1),
  sessions: sampleSession(1),
  outbox: sampleMessage(1),
}

/** A row in each state, of each kind that is replaced as a whole. */
const wholes: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  devices: {
    pending: sampleDevice(1),
    approved: sampleDevice(1, { state: "approved" }),
    denied: sampleDevice(1, { state: "denied" }),
    consumed: sampleDevice(1, { state: "consumed" }),
  },
  interactions: sampleInteractions,
}

/** A non-empty value for a column. Every guard that compares the column is given the same value. */
const somethingOf = (form: string | undefined): Given => (form?.startsWith("text") === true ? "something" : sampleTime)

/** The row in a given state: the columns that the state requires to be set are set. */
const rowIn = ({ columns, states = {} }: RowKind, sample: object, state: string): object => ({
  ...sample,
  ...Object.fromEntries((states[state] ?? []).filter(([, is]) => is === "set").map(([member]) => [member, somethingOf(columns[member])])),
})

const stateIn = (kind: RowKind, row: object | undefined): string => (row === undefined ? "none" : stateOf(kind, row))

/** The events that have moves, each with its moves. */
const movesOf = ({ events }: RowKind): ReadonlyArray<readonly [name: string, moves: Readonly<Record<string, string>>]> =>
  Object.entries(events).flatMap(([name, { moves }]) => (moves === undefined ? [] : [[name, moves] as const]))

const statesFrom = ({ states = {} }: RowKind): ReadonlyArray<string> => ["none", ...Object.keys(states)]

/** The command of an event for a row: its key, and a value for every other operand of the event. */
const commandOf = (kind: RowKind, name: string, row: object): Command => {
  const members = row as Members
  const event = kind.events[name]
  const asked = (event?.ways ?? []).flatMap(({ when, change }) => [
    // A column that must equal an operand is given as it is.
    ...(when === "absent" ? [] : when.map(([member, is, to]) => [member, to, is === "equal" ? members[member] : undefined] as const)),
    ...(typeof change === "string" ? [] : change.map(([member, , value]) => [member, value, undefined] as const)),
  ])
  const given = Object.fromEntries([
    ...kind.key.map((member) => [member, members[member]] as const),
    ...Object.entries(event?.by ?? {}).map(([member, operand]) => [givenName(String(operand)), members[member]] as const),
    ...asked
      .filter(([, operand]) => typeof operand === "string")
      .map(([member, to, own]) => [givenName(String(to)), own ?? somethingOf(kind.columns[member])] as const),
  ]) as Command["given"]
  const puts = event?.ways.some(({ change }) => change === "insert" || change === "replace") === true
  return { table: kind.name, event: name, given, ...(puts ? { row } : {}) }
}

const key = (kind: RowKind, row: object): Readonly<Record<string, string>> =>
  Object.fromEntries(kind.key.map((member) => [member, String((row as Members)[member])]))

/** A case for each event in each state, and without a row; `to` is the state that results, if any. */
const casesOf = (
  kind: RowKind,
  check: (move: Move, subject: TokenStoreSubject) => Promise<void>,
): ReadonlyArray<ContractCase<TokenStoreSubject>> =>
  statesFrom(kind).flatMap((from) =>
    movesOf(kind).map(([name, moves]) => {
      const to = moves[from]
      const title =
        to === undefined ? `${kind.called} that is ${from} takes no ${name}` : `${kind.called}: ${name} leads from ${from} to ${to}`
      return contractCase<TokenStoreSubject>(`${title} (architecture law 13)`, (subject) => check({ from, name, moves, to }, subject))
    }),
  )

interface Move {
  readonly from: string
  readonly name: string
  readonly moves: Readonly<Record<string, string>>
  readonly to: string | undefined
}

/** The result of an event that changes nothing: a conflict, unless the event says otherwise. */
const refusedBy = ({ events }: RowKind, name: string): CommitResult => (events[name]?.otherwise === "nothing" ? "Committed" : "Conflict")

/** The event that inserts a row. */
const insertionOf = ({ events }: RowKind): string =>
  Object.keys(events).find((each) => events[each]?.ways.some(({ change }) => change === "insert")) ?? ""

/**
 * Cases for every move of every row kind, made from the transition tables: each event from each state, and without a row. A move in the
 * table leads to the state that it names. Anything else changes nothing, and is a conflict unless the event says otherwise.
 */
export const rowLifeContract = <Row extends object>(kind: RowKind<Row>, sample: Row): ReadonlyArray<ContractCase<TokenStoreSubject>> => {
  if (kind.states === undefined) return []
  return casesOf(kind, async ({ from, name, to }, { store }) => {
    const row = rowIn(kind, sample, from)
    if (from !== "none") expectSame(await store.commit([commandOf(kind, insertionOf(kind), row)]), "Committed", "the row in its state")
    expectSame(stateIn(kind, await store.find(kind as RowKind<object>, key(kind, row))), from, "the state before")
    const before = await store.find(kind, key(kind, row))
    const result = await store.commit([commandOf(kind, name, row)])
    const after = await store.find(kind as RowKind<object>, key(kind, row))
    expectSame(result, to === undefined ? refusedBy(kind, name) : "Committed", "the result")
    expectSame(stateIn(kind, after), to ?? from, "the state after")
    if (to === undefined) expectSame(after, before, "the row")
  })
}

/**
 * Cases for every move of rows that are replaced as a whole. Their guard is the version that was read, and with it the state. Each event is
 * therefore made from every state in its moves, and applied to a row that has changed to another state since. That changes nothing, and is
 * a conflict unless the event says otherwise. The event succeeds only in the state that was read.
 */
export const wholeLifeContract = (
  kind: RowKind<object>,
  rows: Readonly<Record<string, object>>,
): ReadonlyArray<ContractCase<TokenStoreSubject>> => {
  if (kind.states === undefined) return []
  const missing = Object.keys(kind.states).filter((state) => rows[state] === undefined)
  if (missing.length > 0)
    throw new Error(`the contract of ${kind.name} needs a row for each state; there is none for ${missing.join(", ")}`)
  const version = 2
  const stored = (state: string): object => ({ ...rows[state], version })
  /** An event of a row that was read in a given state, or of no row. */
  const made = (name: string, read: string, to: string, at: number): Command => {
    const command = commandOf(kind, name, { ...rows[read === "none" ? to : read], version: at })
    return command.row === undefined ? command : { ...command, row: { ...rows[to], version: at + 1 } }
  }
  return casesOf(kind, async ({ from, name, moves, to }, { store }) => {
    const found = () => store.find(kind, key(kind, stored(from === "none" ? (to ?? Object.keys(rows)[0] ?? "") : from)))
    if (from !== "none")
      expectSame(await store.commit([commandOf(kind, insertionOf(kind), stored(from))]), "Committed", "the row in its state")
    const before = await found()
    expectSame(stateIn(kind, before), from, "the state before")
    for (const [read, leads] of Object.entries(moves)) {
      if (read === from) continue
      expectSame(await store.commit([made(name, read, leads, version - 1)]), refusedBy(kind, name), `${name} of a row that was ${read}`)
      expectSame(await found(), before, "the row")
    }
    if (to === undefined) return
    expectSame(await store.commit([made(name, from, to, version)]), "Committed", "the result")
    expectSame(stateIn(kind, await found()), to, "the state after")
  })
}

/** The cases for every row kind of core. */
export const lifeCases: ReadonlyArray<ContractCase<TokenStoreSubject>> = rowKinds.flatMap((kind) => {
  const whole = wholes[kind.name]
  if (whole !== undefined) return wholeLifeContract(kind as RowKind<object>, whole)
  const sample = samples[kind.name]
  return sample === undefined ? [] : rowLifeContract(kind as RowKind<object>, sample)
})
