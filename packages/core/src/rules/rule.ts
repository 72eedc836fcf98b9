import type { Refusal, TrailStep } from "../model/index.ts"

/** The answer of a rule that has nothing against a request. */
export const pass = undefined

/** An objection that stops a request: a refusal for the client, or a need of the person. Its `reason` is for the operator alone. */
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

/** A rule as a proving table keeps it. */
interface AnyRule {
  readonly id: string
  readonly cites: string
  readonly check: (request: object, seen: object) => Objection | undefined
  /** True if later rules rely on what it makes sure of. */
  readonly proves?: boolean
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

/** A value that a rule has established, for every rule and stage after it. */
export interface Proof<P extends object> {
  readonly proved: P
}

/** Establishes values: each is in the type of all that is judged later. */
export const prove = <P extends object>(proved: P): Proof<P> => ({ proved })

/**
 * A table whose rules narrow what they judge. It is written as a chain; each link adds a rule. `In` is what must have been read before, `Out` is
 * that and everything its rules have established.
 */
export interface ProvingTable<In extends object, Out extends object, R extends Objection = Refusal> extends Table<In, In, R> {
  /** Adds a rule that passes or objects. */
  readonly rule: (id: string, cites: string, check: (seen: Out) => R | undefined) => ProvingTable<In, Out, R>
  /** Adds a rule that objects where a member is undefined; it is there for every later rule. */
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

/** Begins a table: what it judges is its first type, in what it objects its second. */
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
  // A link narrows types alone: at run time each hands on the same object. Hence the casts.
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

/** A table as a list of rules names it. */
export interface RuleTable {
  readonly name: string
  readonly rules: ReadonlyArray<{ readonly id: string; readonly cites: string }>
}

/** The record in which a judgment leaves its steps, and the rules it leaves out. */
export interface Tracing {
  /** Ids of rules that are left out: those of the provider and, once it is known, those of the client's profile. */
  off: ReadonlySet<string>
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

/** Applies a table to what was read: the first objection, or undefined when every rule passes. */
export function judge<In extends object, Out extends object, R extends Objection>(
  trace: Tracing,
  judged: ProvingTable<In, Out, R>,
  seen: In,
): R | undefined
/** Applies a table whose rules look at a request, and at what was read beside it. */
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
      // The types of all that comes later say that it is there: nothing may go on without.
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

/** Every objection of a table, for reports that name all faults at once. */
export const objections = <Q, S, R extends Objection>(
  judged: Table<Q, S, R>,
  request: Q,
  seen: S,
  off: ReadonlySet<string> | undefined,
): ReadonlyArray<R> => judged.rules.flatMap(({ id, check }) => (off?.has(id) === true ? [] : (check(request, seen) ?? [])))
