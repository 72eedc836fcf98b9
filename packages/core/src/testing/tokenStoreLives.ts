import { type Command, type Given, givenName, meets, type RowKind, type RowLife, rowKinds } from "../model/index.ts"
import { type ContractCase, contractCase, expectSame } from "./contract.ts"
import { sampleAccessToken, sampleCode, sampleGrant, sampleMessage, sampleRefreshToken, sampleSession, sampleTime } from "./rows.ts"
import type { TokenStoreSubject } from "./tokenStoreSubject.ts"

type Members = Readonly<Record<string, unknown>>

/** A row of each kind that has a life. One that is added here and has none fails. */
const samples: Readonly<Record<string, object>> = {
  grants: sampleGrant(1),
  codes: sampleCode(1),
  access_tokens: sampleAccessToken(1, { grantId: undefined }),
  refresh_tokens: sampleRefreshToken(1),
  sessions: sampleSession(1),
  outbox: sampleMessage(1),
}

/** A value that is set, by the form of its column. Every guard that compares it is given the same. */
const somethingOf = (form: string | undefined): Given => (form?.startsWith("text") === true ? "something" : sampleTime)

/** The row as it is in a state: what the conditions of the state call set is set. */
const rowIn = ({ columns }: RowKind, life: RowLife, sample: object, state: string): object => ({
  ...sample,
  ...Object.fromEntries(
    (life.states[state] ?? []).filter(([, is]) => is === "set").map(([member]) => [member, somethingOf(columns[member])]),
  ),
})

const stateOf = ({ states }: RowLife, row: object | undefined): string =>
  row === undefined ? "none" : (Object.keys(states).findLast((state) => meets(row as Members, states[state] ?? [])) ?? "unknown")

/** The command of an event for a row: its key, and a value for whatever else the event asks for. */
const commandOf = (kind: RowKind, name: string, row: object): Command => {
  const members = row as Members
  const event = kind.events[name]
  const asked = (event?.ways ?? []).flatMap(({ when, change }) => [
    // A column that must equal what is given is given as it is.
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

/**
 * Every move of every life, made from the transition tables: each event from each state, and from no row at all. What the table names leads
 * to the state it names; anything else changes nothing, and is a conflict unless the event says otherwise.
 */
export const rowLifeContract = <Row extends object>(kind: RowKind<Row>, sample: Row): ReadonlyArray<ContractCase<TokenStoreSubject>> => {
  const { life } = kind
  if (life === undefined) return []
  return ["none", ...Object.keys(life.states)].flatMap((from) =>
    Object.keys(life.moves).map((name) => {
      const to = life.moves[name]?.[from]
      const title =
        to === undefined ? `${kind.called} that is ${from} takes no ${name}` : `${kind.called}: ${name} leads from ${from} to ${to}`
      return contractCase<TokenStoreSubject>(`${title} (architecture law 13)`, async ({ store }) => {
        const row = rowIn(kind, life, sample, from)
        const insertion = Object.keys(kind.events).find((each) => kind.events[each]?.ways.some(({ change }) => change === "insert")) ?? ""
        if (from !== "none") expectSame(await store.commit([commandOf(kind, insertion, row)]), "Committed", "the row in its state")
        expectSame(stateOf(life, await store.find(kind as RowKind<object>, key(kind, row))), from, "the state before")
        const before = await store.find(kind, key(kind, row))
        const result = await store.commit([commandOf(kind, name, row)])
        const after = await store.find(kind as RowKind<object>, key(kind, row))
        const refused = kind.events[name]?.otherwise === "nothing" ? "Committed" : "Conflict"
        expectSame(result, to === undefined ? refused : "Committed", "the result")
        expectSame(stateOf(life, after), to ?? from, "the state after")
        if (to === undefined) expectSame(after, before, "the row")
      })
    }),
  )
}

/** The contract of every life in core. */
export const lifeCases: ReadonlyArray<ContractCase<TokenStoreSubject>> = rowKinds.flatMap((kind) => {
  const sample = samples[kind.name]
  return sample === undefined ? [] : rowLifeContract(kind as RowKind<object>, sample)
})
