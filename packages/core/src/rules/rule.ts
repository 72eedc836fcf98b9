import type { Refusal, TrailStep } from "../model/index.ts"

/** What a rule answers when it has nothing against a request. */
export const pass = undefined

/** What stops a request: a refusal for the client, or a need of the person. Its `reason` is for the operator alone. */
export interface Objection {
  readonly reason: string
}

/**
 * One rule: a stable id, the paragraph it comes from, and a total, synchronous check over values.
 * A check may rely on what earlier rules of its table have passed.
 */
export interface Rule<Q, S, R extends Objection = Refusal> {
  readonly id: string
  readonly cites: string
  readonly check: (request: Q, seen: S) => R | undefined
}

/** Rules in the order they are applied, under the name of what they judge. */
export interface Table<Q, S, R extends Objection = Refusal> {
  readonly name: string
  readonly rules: ReadonlyArray<Rule<Q, S, R>>
}

/** Makes a rule. */
export const rule = <Q, S, R extends Objection = Refusal>(
  id: string,
  cites: string,
  check: (request: Q, seen: S) => R | undefined,
): Rule<Q, S, R> => ({
  id,
  cites,
  check,
})

/** Makes a table. */
export const table = <Q, S, R extends Objection = Refusal>(name: string, rules: ReadonlyArray<Rule<Q, S, R>>): Table<Q, S, R> => ({
  name,
  rules,
})

/** Where a judgement leaves its steps, and which rules it leaves out. */
export interface Tracing {
  readonly off: ReadonlySet<string>
  /** One entry for each table judged. */
  readonly steps: Array<TracedStep>
}

/** One table as it was met, with the number of its rules that did not stop the request; spelled out only when someone asks. */
export interface TracedStep {
  readonly table: { readonly name: string; readonly rules: ReadonlyArray<Pick<Rule<never, never>, "id" | "cites">> }
  readonly passed: number
  readonly objection: Objection | undefined
}

/** Tracing with nothing judged yet. */
export const tracing = (off: ReadonlySet<string>): Tracing => ({ off, steps: [] })

const answerOf = (objection: Objection): string => {
  if ("error" in objection) return String(objection.error)
  return "need" in objection ? String(objection.need) : "refused"
}

/** Spells out a step, without the rules that were left out. */
export const spell = ({ off }: Tracing, { table: { name, rules }, passed, objection }: TracedStep): TrailStep => {
  const stopped = rules[passed]
  return {
    table: name,
    passed: rules.slice(0, passed).flatMap(({ id }) => (off.has(id) ? [] : [id])),
    refused:
      objection === undefined || stopped === undefined
        ? undefined
        : { rule: stopped.id, cites: stopped.cites, answer: answerOf(objection), reason: objection.reason },
  }
}

/** Applies a table: the first objection, or undefined when every rule passes. */
export const judge = <Q, S, R extends Objection>(trace: Tracing, judged: Table<Q, S, R>, request: Q, seen: S): R | undefined => {
  const { rules } = judged
  for (let at = 0; at < rules.length; at++) {
    const each = rules[at]
    if (each === undefined || (trace.off.size > 0 && trace.off.has(each.id))) continue
    const objection = each.check(request, seen)
    if (objection !== undefined) {
      trace.steps.push({ table: judged, passed: at, objection })
      return objection
    }
  }
  trace.steps.push({ table: judged, passed: rules.length, objection: undefined })
  return undefined
}

/** Every objection of a table, for reports that name all faults at once. */
export const objections = <Q, S, R extends Objection>(
  judged: Table<Q, S, R>,
  request: Q,
  seen: S,
  off: ReadonlySet<string> | undefined,
): ReadonlyArray<R> => judged.rules.flatMap(({ id, check }) => (off?.has(id) === true ? [] : (check(request, seen) ?? [])))

/** A value that an earlier rule of the table has made sure of. Its absence is a defect in the order of rules. */
export const held = <A>(value: A | undefined): A => {
  if (value === undefined) throw new Error("a rule relied on a value that no earlier rule made sure of")
  return value
}
