import type { RoleName } from "../target/roles.ts"
import type { Steps } from "../steps/steps.ts"
import type { Finding } from "../oracle/finding.ts"

/**
 * Requirement levels of RFC 2119. A violation is a failure for MUST and a warning for SHOULD. A MAY is tried only if the target offers the
 * feature, which must then be correct.
 */
export type Level = "MUST" | "SHOULD" | "MAY"

/** Conditions of a requirement. If one is not met, the requirement is not applicable or skipped, with the reason. */
export interface Needs {
  /** The clients that the steps use. */
  readonly clients?: ReadonlyArray<RoleName>
  /** Members that the metadata must have. If a value is given, the member must be that value or an array that contains it. */
  readonly metadata?: Readonly<Record<string, string | boolean | undefined>>
  /** True if a person must sign in. */
  readonly person?: true
  /** True if the target's clock must be controllable. */
  readonly time?: true
  /** True if the requirement leaves something irreversible behind, such as many failed attempts. */
  readonly write?: true
}

/** One sentence of a specification, with the steps that test it and an oracle that judges the observations. */
export interface Requirement<Seen = unknown> {
  /** A stable id: its area and its subject. */
  readonly id: string
  /** The paragraph that states it, cited as rules cite it. */
  readonly paragraph: string
  readonly level: Level
  /** The sentence, in plain words. */
  readonly title: string
  readonly needs: Needs
  /** Tests the requirement. Throws `Inconclusive` if it cannot be tested. */
  readonly steps: (steps: Steps) => Promise<Seen>
  /** Judges the observations of the steps. Undefined if the requirement is met, else the fault. It is pure. */
  readonly oracle: (seen: Seen) => Finding
}

/** Defines a requirement. Only its oracle knows the type of its observations. */
export const requirement = <Seen>(stated: Requirement<Seen>): Requirement => ({
  ...stated,
  oracle: (seen) => stated.oracle(seen as Seen),
})

/**
 * Defines the requirements of one area, one row each. Every id begins with the area's name. The level is MUST by default. A row's `needs`
 * replace the area's.
 */
export const area =
  (name: string, common: Needs) =>
  <Seen>(
    id: string,
    paragraph: string,
    title: string,
    steps: (t: Steps) => Promise<Seen>,
    oracle: (seen: Seen) => Finding,
    level: Level = "MUST",
    needs: Needs = common,
  ): Requirement =>
    requirement({ id: `${name}.${id}`, paragraph, level, title, needs, steps, oracle })

/**
 * Defines the requirements of one area whose steps differ only in the change that each makes to a request. One oracle judges them all, unless
 * a row has its own.
 */
export const changed =
  <Change, Seen>(rows: ReturnType<typeof area>, steps: (t: Steps, change: Change) => Promise<Seen>, common: (seen: Seen) => Finding) =>
  (id: string, paragraph: string, title: string, change: Change, level?: Level, oracle = common): Requirement =>
    rows(id, paragraph, title, (t) => steps(t, change), oracle, level)
