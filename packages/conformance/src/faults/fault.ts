import type { Alteration } from "../target/inProcess.ts"

/** A defect of a provider: our own provider with one change. */
export interface Fault {
  readonly id: string
  /** The wrong behavior, in plain words. */
  readonly title: string
  /** The paragraph that it violates. */
  readonly paragraph: string
  readonly alteration: Alteration
  /** Areas of the requirements to try first. */
  readonly near: ReadonlyArray<string>
}
