import * as Effect from "effect/Effect"
import type { Command, Decision, Refusal } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { effectOf, isEffect, isValue, mapped, onward } from "../ports/steps.ts"
import { type Objection, type ProvingTable, type RuleTable, judge } from "../rules/rule.ts"
import { type About, Decided, type Inquiry, type Stage } from "./inquiry.ts"

export { Decided, type Stage } from "./inquiry.ts"

/**
 * The result of a read, synchronous or not, or the end of the row. Its member `about` is recorded for the request's trail and errors. The
 * commands in `changes` are committed with any later decision, those in `spent` unless it is refused, and `headers` are sent with the
 * response.
 */
export type Read = Effect.Effect<object, PortFailed> | object

/** The members that a read adds. */
export type Added<R> = Exclude<R extends Effect.Effect<infer More, unknown> ? More : R, Decided>

/** A complete row of stages, which ends with a decision. */
export interface Attempt<In extends object> {
  /** Its tables, in the order of evaluation. */
  readonly tables: ReadonlyArray<RuleTable>
  /** Loads and decides once, without any change. */
  readonly attempt: (seen: In, inquiry: Inquiry) => Effect.Effect<Decision, PortFailed>
}

/** Converts an objection into a decision. */
export type Refuse<R extends Objection, Seen> = (
  objection: R,
  seen: Seen,
  inquiry: Inquiry,
) => Effect.Effect<Decision, PortFailed> | Decision

/**
 * A row of stages. Each stage reads data and then validates it with its table. The types of later stages contain the data that was read and
 * proved. The first objection ends the row.
 */
export interface Row<In extends object, Seen extends object, R0 extends Objection> extends Stage<In, Seen> {
  /** Adds reads. */
  read<More extends Read>(load: (seen: Seen, inquiry: Inquiry) => More): Row<In, Seen & Added<More>, R0>
  /** Adds the table that validates the data. Its objections are answered like those of the row, or in its own way. */
  judge<Needs extends object, Out extends object>(table: ProvingTable<Needs, Out, R0> & Accepting<Needs, Seen>): Row<In, Seen & Out, R0>
  judge<Needs extends object, Out extends object, R extends Objection>(
    table: ProvingTable<Needs, Out, R> & Accepting<Needs, Seen>,
    refuse: Refuse<R, Seen>,
  ): Row<In, Seen & Out, R0>
  /** Adds a stage that several rows share. */
  through<Out extends object>(stage: Stage<Seen, Out>): Row<In, Seen & Out, R0>
  /** Ends the row with its decision. */
  decide(answer: (seen: Seen, inquiry: Inquiry) => Effect.Effect<Decision, PortFailed> | Decision): Attempt<In>
  /** Continues in one of two ways: if a table passes, or if it objects. */
  fork<Needs extends object, Out extends object, R extends Objection>(
    table: ProvingTable<Needs, Out, R> & Accepting<Needs, Seen>,
    ways: { readonly passed: Ending<Seen & Out, R0>; readonly objected: Ending<Seen & { readonly objection: R }, R0> },
  ): Attempt<In>
  /** Continues in one of several ways. */
  split<Way extends string>(ways: Readonly<Record<Way, Ending<Seen, R0>>>, choose: (seen: Seen, inquiry: Inquiry) => Way): Attempt<In>
}

/** The rest of a row. */
export type Ending<Seen extends object, R0 extends Objection> = (row: Row<Seen, Seen, R0>) => Attempt<Seen>

/** Accepts a table whose required data are available, and names them if they are not. */
type Accepting<Needs, Seen> = Seen extends Needs ? unknown : { readonly needs: Needs }

type Link = (seen: object, inquiry: Inquiry) => Effect.Effect<object, PortFailed> | object

/** Begins a row of stages; `refuse` answers its objections. */
export const row = <In extends object, R0 extends Objection = Refusal>(refuse: Refuse<R0, In>): Row<In, In, R0> =>
  // A link's types are those of the interface above; here they are objects.
  link([], [], refuse as unknown as Refuse<Objection, object>) as unknown as Row<In, In, R0>

const link = (links: ReadonlyArray<Link>, tables: ReadonlyArray<RuleTable>, refuse: Refuse<Objection, object>) => {
  const add = (more: ReadonlyArray<RuleTable>, added: Link) => link([...links, added], [...tables, ...more], refuse)
  const judged =
    (table: ProvingTable<object, object, Objection>, answer = refuse): Link =>
    (seen, inquiry) => {
      const objection = judge(inquiry.trace, table, seen)
      if (objection === undefined) return seen
      return decided(answer(objection, seen, inquiry))
    }
  const run = (seen: object, inquiry: Inquiry) => walk(links, 0, seen, inquiry)
  const attempt = (answer: Answer): Continuing => {
    const begun = beginning()
    const goOn: Continuing["goOn"] = (seen, inquiry, learn) =>
      onward(run(seen, inquiry), (end) => {
        learn(seen)
        return end instanceof Decided ? Effect.succeed(end.decision) : effectOf(answer(end, inquiry, learn))
      })
    return { tables, goOn, attempt: (given, inquiry) => goOn(begun.copy(given), inquiry, begun.learn) }
  }
  return {
    tables,
    run,
    judge: (table: ProvingTable<object, object, Objection>, answer?: Refuse<Objection, object>) => add([table], judged(table, answer)),
    read: (load: Link) => add([], load),
    through: (stage: Stage<object, object>) => add(stage.tables, stage.run),
    decide: attempt,
    fork: (table: ProvingTable<object, object, Objection>, ways: Readonly<Record<"passed" | "objected", AnyEnding>>): Continuing => {
      const [passed, objected] = [ways.passed(link([], [], refuse)), ways.objected(link([], [], refuse))]
      return {
        ...attempt((seen, inquiry, learn) => {
          const objection = judge(inquiry.trace, table, seen)
          return objection === undefined
            ? passed.goOn(seen, inquiry, learn)
            : objected.goOn(Object.assign(seen, { objection }), inquiry, learn)
        }),
        tables: [...tables, table, ...passed.tables, ...objected.tables],
      }
    },
    split: (ways: Readonly<Record<string, AnyEnding>>, choose: (seen: object, inquiry: Inquiry) => string): Continuing => {
      const ends = Object.fromEntries(Object.entries(ways).map(([way, end]) => [way, end(link([], [], refuse))]))
      return {
        ...attempt((seen, inquiry, learn) => (ends[choose(seen, inquiry)] as Continuing).goOn(seen, inquiry, learn)),
        tables: [...tables, ...Object.values(ends).flatMap((end) => end.tables)],
      }
    },
  }
}

/** Notes which members the data of a row have. */
type Learn = (seen: object) => void

type Answer = (seen: object, inquiry: Inquiry, learn: Learn) => Effect.Effect<Decision, PortFailed> | Decision

/** A complete row, which may also go on with the data of the row that it ends. */
interface Continuing extends Attempt<object> {
  readonly goOn: (seen: object, inquiry: Inquiry, learn: Learn) => Effect.Effect<Decision, PortFailed>
}

type AnyEnding = (row: unknown) => Continuing

/**
 * Begins the data of a row with every member that earlier requests have added to it, each undefined. Otherwise V8 would make the data a hash
 * table once some 17 members were added one by one. Saves 4 % of the CPU time of a full sign-in, and 1 % of that of a code.
 */
const beginning = (): { readonly copy: (given: object) => object; readonly learn: Learn } => {
  let members: object = {}
  let most = 0
  return {
    copy: (given) => ({ ...members, ...given }),
    learn: (seen) => {
      const names = Object.keys(seen)
      if (names.length <= most) return
      most = names.length
      members = Object.fromEntries(names.map((name) => [name, undefined]))
    },
  }
}

/** Runs a separate row. Its data are visible to its own tables, and to later stages only as far as they are kept. */
export const aside = <In extends object, Seen extends object, Out extends object>(
  stage: Stage<In, Seen>,
  keep: (seen: Seen) => Out,
): Stage<In, Out> => ({
  tables: stage.tables,
  run: (seen, inquiry) => mapped(stage.run({ ...seen }, inquiry), (end) => (end instanceof Decided ? end : keep(end))),
})

/** Runs a stage for some requests only. */
export function where<In extends object, Concerned extends In>(
  concerns: (seen: In) => seen is Concerned,
  stage: Stage<Concerned, object>,
): Stage<In, object>
export function where<In extends object>(concerns: (seen: In) => boolean, stage: Stage<In, object>): Stage<In, object>
export function where<In extends object>(concerns: (seen: In) => boolean, stage: Stage<In, object>): Stage<In, object> {
  return { tables: stage.tables, run: (seen, inquiry) => (concerns(seen) ? stage.run(seen, inquiry) : Effect.succeed(seen)) }
}

/** Ends a row from a stage that decides by itself. */
export const decided = (decision: Effect.Effect<Decision, PortFailed> | Decision): Effect.Effect<Decided, PortFailed> =>
  mapped(effectOf(decision), (given) => new Decided(given))

/** Runs the links one after another, synchronously if their values are available. */
const walk = (links: ReadonlyArray<Link>, from: number, seen: object, inquiry: Inquiry): Effect.Effect<object, PortFailed> => {
  for (let at = from; at < links.length; at++) {
    const read = (links[at] as Link)(seen, inquiry) as Effect.Effect<object, PortFailed>
    let more: object = read
    if (isValue(read)) more = read.value
    else if (isEffect(read))
      return onward(read, (later) =>
        later instanceof Decided ? Effect.succeed(later) : walk(links, at + 1, joined(seen, later, inquiry), inquiry),
      )
    if (more instanceof Decided) return Effect.succeed(more)
    joined(seen, more, inquiry)
  }
  return Effect.succeed(seen)
}

/** Members of a read that are recorded in the request. */
interface Noted {
  about?: Partial<About> | undefined
  changes?: ReadonlyArray<Command> | undefined
  spent?: ReadonlyArray<Command> | undefined
  headers?: ReadonlyArray<readonly [name: string, value: string]> | undefined
}

/** Recorded members are removed, because a row that contains this one passes its data on and would record them again. */
const joined = (seen: object & Noted, more: object & Noted, inquiry: Inquiry): object => {
  if (more === seen) return seen
  const { about, changes, spent, headers } = more
  Object.assign(seen, more)
  if (about !== undefined) {
    seen.about = undefined
    // Several features may add facts.
    const { facts } = inquiry.about
    Object.assign(inquiry.about, about)
    if (facts !== undefined && about.facts !== undefined) inquiry.about.facts = { ...facts, ...about.facts }
  }
  if (changes !== undefined) {
    seen.changes = undefined
    inquiry.changes.push(...changes)
  }
  if (spent !== undefined) {
    seen.spent = undefined
    inquiry.spent.push(...spent)
  }
  if (headers !== undefined) {
    seen.headers = undefined
    inquiry.headers.push(...headers)
  }
  return seen
}
