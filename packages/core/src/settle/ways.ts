import type * as Effect from "effect/Effect"
import type { Decision } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import type { RuleTable } from "../rules/rule.ts"
import type { Inquiry } from "./request.ts"
import { type Attempt, type Row, type Stage, row } from "./stage.ts"

/**
 * A matrix of stages and ways in: each stage is named once, with the ways that meet it, in order. Each way is a row of its own, so nothing is left
 * to choose when a request comes. `In` is what a way begins with, `Seen` what it has read and proved.
 */
export interface Ways<In extends object, Seen extends { readonly [Way in keyof In]: object }> {
  /** The tables of all ways, in the order in which a request meets them. */
  readonly tables: ReadonlyArray<RuleTable>
  /** Adds a stage that these ways meet. */
  meet<Way extends keyof In & string, Out extends object>(
    stage: Stage<Seen[Way], Out>,
    ...ways: ReadonlyArray<Way>
  ): Ways<In, { readonly [Each in keyof In]: Each extends Way ? Seen[Each] & Out : Seen[Each] }>
  /** Ends every way with its outcome. */
  decide(answer: (seen: Seen[keyof In], inquiry: Inquiry) => Effect.Effect<Decision, PortFailed> | Decision): {
    readonly [Way in keyof In]: Attempt<Extract<In[Way], object>>
  }
}

/** A way in by its type: what it begins with. */
export interface Way<In extends object> {
  readonly from: (seen: In) => In
}

/** Names what a way in begins with. */
export const from = <In extends object>(): Way<In> => ({ from: (seen) => seen })

/** Begins a matrix with the ways in. */
export const ways = <In extends { readonly [Name in keyof In]: object }>(begun: {
  readonly [Name in keyof In]: Way<In[Name]>
}): Ways<In, In> =>
  // The types of each way are those of the interface above; here its row is of objects, and each stage of it refuses by itself.
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
