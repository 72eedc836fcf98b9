import type { Requirement } from "../requirement/requirement.ts"
import { discovered, tried } from "../run/run.ts"
import { inProcess } from "../target/inProcess.ts"
import type { Fault } from "./fault.ts"

/** A fault, and the requirement that detected it. */
export interface Caught {
  readonly fault: Fault
  /** The id of the requirement that failed; undefined if none failed. */
  readonly by: string | undefined
  /** The finding. */
  readonly finding: string | undefined
}

/** The requirements in the order in which they are tried for a fault. Those of the areas near it come first. */
const ordered = (requirements: ReadonlyArray<Requirement>, { near }: Fault): ReadonlyArray<Requirement> => {
  const isNear = ({ id }: Requirement): boolean => near.includes(id.split(".")[0] ?? "")
  return [...requirements.filter(isNear), ...requirements.filter((each) => !isNear(each))]
}

/**
 * Tries one requirement with a fault of our own provider. Returns the finding, or undefined if the fault is not detected. A warning counts
 * as a finding, an inconclusive result does not.
 */
export const caught = async ({ alteration }: Fault, requirement: Requirement): Promise<string | undefined> => {
  const target = await inProcess(alteration).open()
  const metadata = await discovered(target).catch((error: unknown) => new Error(String(error)))
  // Without metadata no other requirement can be tried.
  if (metadata instanceof Error) return requirement.id === "discovery.json" ? metadata.message : undefined
  const { verdict, reason } = await tried(requirement, target, metadata, { write: true })
  return verdict === "fail" || verdict === "warn" ? (reason ?? verdict) : undefined
}

/** Tries requirements with a fault of our own provider until one detects it. */
export const hunt = async (fault: Fault, requirements: ReadonlyArray<Requirement>): Promise<Caught> => {
  for (const requirement of ordered(requirements, fault)) {
    const finding = await caught(fault, requirement)
    if (finding !== undefined) return { fault, by: requirement.id, finding }
  }
  return { fault, by: undefined, finding: undefined }
}
