import type * as Effect from "effect/Effect"
import type { Decision } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import type { RuleTable } from "../rules/rule.ts"
import type { Inquiry } from "./request.ts"
import { type Attempt, type Row, type Stage, row } from "./stage.ts"

/**
 * A matrix of stages and entry points. Each stage is listed once, with the entry points that run it, in order. Each entry point becomes a
 * row of its own, so that nothing is chosen at the time of a request. `In` is the input of an entry point, `Seen` the data it has read and
 * proved.
 */
export interface Ways<In extends object, Seen extends { readonly [Way in keyof In]: object }> {
  /** The tables of all entry points, in the order of evaluation. */
  readonly tables: ReadonlyArray<RuleTable>
  /** Adds a stage that these entry points run. */
  meet<Way extends keyof In & string, Out extends object>(
    stage: Stage<Seen[Way], Out>,
    ...ways: ReadonlyArray<Way>
  ): Ways<In, { readonly [Each in keyof In]: Each extends Way ? Seen[Each] & Out : Seen[Each] }>
  /** Ends every entry point with its decision. */
  decide(answer: (seen: Seen[keyof In], inquiry: Inquiry) => Effect.Effect<Decision, PortFailed> | Decision): {
    readonly [Way in keyof In]: Attempt<Extract<In[Way], object>>
  }
}

/** An entry point, by the type of its input. */
export interface Way<In extends object> {
  readonly from: (seen: In) => In
}

/** Declares the input of an entry point. */
export const from = <In extends object>(): Way<In> => ({ from: (seen) => seen })

/** Begins a matrix with its entry points. */
export const ways = <In extends { readonly [Name in keyof In]: object }>(begun: {
  readonly [Name in keyof In]: Way<In[Name]>
}): Ways<In, In> =>
  // The interface above has the types of each entry point; here its row consists of objects, and each stage refuses by itself.
  matrix(
    replaced(begun, () => row<object, never>((objection) => objection)),
    [],
  ) as unknown as Ways<In, In>

type Rows = Readonly<Record<string, Row<object, object, never>>>

const matrix = (rows: Rows, tables: ReadonlyArray<RuleTable>) => ({
  tables,
  meet: (stage: Stage<object, object>, ...met: ReadonlyArray<string>) =>
    matrix(
      replaced(rows, (way, begun) => (met.includes(way) ? begun.through(stage) : begun)),
      [...tables, ...stage.tables],
    ),
  decide: (answer: () => Decision) => replaced(rows, (_, begun) => begun.decide(answer)),
})

const replaced = <A, B>(of: Readonly<Record<string, A>>, next: (name: string, value: A) => B): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, next(name, value)]))
