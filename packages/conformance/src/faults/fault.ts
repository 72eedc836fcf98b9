import type { Alteration } from "../target/inProcess.ts"

/** A way in which a provider can be wrong: our own, with one thing changed. */
export interface Fault {
  readonly id: string
  /** The wrong thing that it does, in plain words. */
  readonly title: string
  /** The paragraph that it breaks. */
  readonly paragraph: string
  readonly alteration: Alteration
  /** Areas of the requirements that are tried first. */
  readonly near: ReadonlyArray<string>
}
