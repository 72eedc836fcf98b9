import type { RoleName } from "../target/roles.ts"
import type { Steps } from "../steps/steps.ts"
import type { Finding } from "../oracle/finding.ts"

/** Words of RFC 2119: what is not done is a failure for MUST, a warning for SHOULD; a MAY is tried only where the target offers it, and must then be right. */
export type Level = "MUST" | "SHOULD" | "MAY"

/** Conditions of a requirement: where one is not met, it is not applicable or skipped, with the reason. */
export interface Needs {
  /** The clients that its steps use. */
  readonly clients?: ReadonlyArray<RoleName>
  /** Members of the metadata that must be there; with a value, that value or an array that holds it. */
  readonly metadata?: Readonly<Record<string, string | boolean | undefined>>
  /** True where a person must sign in. */
  readonly person?: true
  /** True where the target's clock must be under control. */
  readonly time?: true
  /** True where it leaves something behind that cannot be taken back, such as many failed attempts. */
  readonly write?: true
}

/** One sentence of a specification, with the steps that try it and the judgment of what was seen. */
export interface Requirement<Seen = unknown> {
  /** A name that stays: its area, and what it is about. */
  readonly id: string
  /** The paragraph that it comes from, as rules cite it. */
  readonly paragraph: string
  readonly level: Level
  /** The sentence, in plain words. */
  readonly title: string
  readonly needs: Needs
  /** Tries it. What cannot be tried ends by throwing `Inconclusive`. */
  readonly steps: (steps: Steps) => Promise<Seen>
  /** Judges what the steps saw: undefined where the requirement is met, else what is wrong. Pure. */
  readonly oracle: (seen: Seen) => Finding
}

/** States a requirement; the type of what its steps see is known to its oracle alone. */
export const requirement = <Seen>(stated: Requirement<Seen>): Requirement => ({
  ...stated,
  oracle: (seen) => stated.oracle(seen as Seen),
})

/**
 * States the requirements of one area, a row each: the id of each begins with the area's name.
 * A row is a MUST unless it says otherwise; `needs` at its end replaces the area's.
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
