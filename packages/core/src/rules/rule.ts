import type { Refusal, TrailStep } from "../model/index.ts"

/** The result of a rule without objection. */
export const pass = undefined

/** An objection that stops a request: a refusal for the client, or a required step of the person. Its `reason` is only for the operator. */
export interface Objection {
  readonly reason: string
}

/**
 * A rule: a stable id, the paragraph it enforces, and a total, synchronous check over values. A check may rely on the earlier rules of its
 * table.
 */
export interface Rule<Q, S, R extends Objection = Refusal> {
  readonly id: string
  readonly cites: string
  readonly check: (request: Q, seen: S) => R | undefined
}

/** A rule, as stored in a proving table. */
interface AnyRule {
  readonly id: string
  readonly cites: string
  readonly check: (request: object, seen: object) => Objection | undefined
  /** True if later rules rely on its result. */
  readonly proves?: boolean
}

/** Rules in the order of evaluation, with the name of their subject. */
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

/** A value that a rule has established for all later rules and stages. */
export interface Proof<P extends object> {
  readonly proved: P
}

/** Establishes values, which become part of the type of all later data. */
export const prove = <P extends object>(proved: P): Proof<P> => ({ proved })

/**
 * A table whose rules narrow the type of their data. It is written as a chain; each link adds a rule. `In` is the data that must have been
 * read before, `Out` adds everything that its rules have established.
 */
export interface ProvingTable<In extends object, Out extends object, R extends Objection = Refusal> extends Table<In, In, R> {
  /** Adds a rule that passes or objects. */
  readonly rule: (id: string, cites: string, check: (seen: Out) => R | undefined) => ProvingTable<In, Out, R>
  /** Adds a rule that objects if a member is undefined; it is defined for every later rule. */
  readonly present: <Name extends keyof Out>(
    id: string,
    cites: string,
    name: Name,
    object: (seen: Out) => R,
  ) => ProvingTable<In, Out & { readonly [Member in Name]-?: Exclude<Out[Member], undefined> }, R>
  /** Adds a rule that objects or proves. */
  readonly establish: <P extends object>(id: string, cites: string, check: (seen: Out) => R | Proof<P>) => ProvingTable<In, Out & P, R>
  /** Adds a rule that several tables share. */
  readonly include: (shared: Rule<Out, Out, R>) => ProvingTable<In, Out, R>
  /** Adds a chain of rules that several tables share, with what they establish. */
  readonly through: <After extends object>(
    shared: (begun: ProvingTable<In, Out, R>) => ProvingTable<In, After, R>,
  ) => ProvingTable<In, After, R>
}

/** Begins a table, with the types of its data and of its objections. */
export function table<In extends object, R extends Objection = Refusal>(name: string): ProvingTable<In, In, R>
/** Makes a table of rules that establish nothing. */
export function table<Q, S, R extends Objection = Refusal>(name: string, rules: ReadonlyArray<Rule<Q, S, R>>): Table<Q, S, R>
export function table(name: string, rules?: ReadonlyArray<Rule<object, object, Objection>>): Table<object, object, Objection> {
  return rules === undefined ? begun(name) : { name, rules }
}

const begun = (name: string): ProvingTable<object, object, Objection> => {
  const rules: Array<AnyRule> = []
  const add = (each: AnyRule) => {
    rules.push(each)
    return made
  }
  // A link narrows only types: at run time, each passes the same object on, hence the casts.
  const made = {
    name,
    rules,
    rule: (id: string, cites: string, check: AnyRule["check"]) => add({ id, cites, check }),
    present: (id: string, cites: string, member: string, object: (seen: object) => Objection) =>
      add({
        id,
        cites,
        check: (seen) => ((seen as Readonly<Record<string, unknown>>)[member] === undefined ? object(seen) : pass),
        proves: true,
      }),
    establish: (id: string, cites: string, check: AnyRule["check"]) => add({ id, cites, check, proves: true }),
    include: add,
    through: (shared: (begun: object) => object) => shared(made),
  } as ProvingTable<object, object, Objection>
  return made
}

/** A table, as in a list of rules. */
export interface RuleTable {
  readonly name: string
  readonly rules: ReadonlyArray<{ readonly id: string; readonly cites: string }>
}

/** The record of the evaluated tables, and the disabled rules. */
export interface Tracing {
  /** Ids of disabled rules: those of the provider and, once it is known, those of the client's profile. */
  off: ReadonlySet<string>
  /** One entry for each evaluated table. */
  readonly steps: Array<TracedStep>
}

/** An evaluated table, with the number of rules that passed; it is converted to text only on demand. */
export interface TracedStep {
  readonly table: { readonly name: string; readonly rules: ReadonlyArray<Pick<Rule<never, never>, "id" | "cites">> }
  readonly passed: number
  readonly objection: Objection | undefined
}

/** Creates an empty record. */
export const tracing = (off: ReadonlySet<string>): Tracing => ({ off, steps: [] })

const answerOf = (objection: Objection): string => {
  if ("error" in objection) return String(objection.error)
  return "need" in objection ? String(objection.need) : "refused"
}

/** Converts a step for the trail, without the disabled rules. */
export const spell = ({ off }: Tracing, { table: { name, rules }, passed, objection }: TracedStep): TrailStep => {
  const stopped = rules[passed]
  return {
    table: name,
    passed: rules
      .slice(0, passed)
      .map(({ id }) => id)
      .filter((id) => !off.has(id)),
    refused:
      objection === undefined || stopped === undefined
        ? undefined
        : { rule: stopped.id, cites: stopped.cites, answer: answerOf(objection), reason: objection.reason },
  }
}

/** Evaluates a table; returns the first objection, or undefined if every rule passes. */
export function judge<In extends object, Out extends object, R extends Objection>(
  trace: Tracing,
  judged: ProvingTable<In, Out, R>,
  seen: In,
): R | undefined
/** Evaluates a table whose rules check a request and further data. */
export function judge<Q, S, R extends Objection>(trace: Tracing, judged: Table<Q, S, R>, request: Q, seen: S): R | undefined
export function judge<S, R extends Objection>(trace: Tracing, judged: Table<S, S, R>, request: S, seen: S = request): R | undefined {
  const { rules } = judged
  for (let at = 0; at < rules.length; at++) {
    const each = rules[at]
    if (each === undefined) continue
    const isOff = trace.off.size > 0 && trace.off.has(each.id)
    if (isOff && !isProving(each)) continue
    const objection = each.check(request, seen)
    if (objection !== undefined) {
      if (isProof(objection)) {
        Object.assign(seen as object, objection.proved)
        continue
      }
      // The types of later data state that the value is defined, so nothing may continue without it.
      if (isOff) throw new Error(`a rule relied on a value that no earlier rule made sure of: ${each.id} is left out`)
      trace.steps.push({ table: judged, passed: at, objection })
      return objection
    }
  }
  trace.steps.push({ table: judged, passed: rules.length, objection: undefined })
  return undefined
}

const isProving = (each: object): boolean => "proves" in each

const isProof = (outcome: object): outcome is Proof<object> => "proved" in outcome

/** Returns every objection of a table, for reports of all faults at once. */
export const objections = <Q, S, R extends Objection>(
  judged: Table<Q, S, R>,
  request: Q,
  seen: S,
  off: ReadonlySet<string> | undefined,
): ReadonlyArray<R> => judged.rules.flatMap(({ id, check }) => (off?.has(id) === true ? [] : (check(request, seen) ?? [])))
