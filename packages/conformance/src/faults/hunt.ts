import type { Requirement } from "../requirement/requirement.ts"
import { discovered, tried } from "../run/run.ts"
import { inProcess } from "../target/inProcess.ts"
import type { Fault } from "./fault.ts"

/** A fault, and what found it. */
export interface Caught {
  readonly fault: Fault
  /** The id of the requirement that failed; undefined where none did. */
  readonly by: string | undefined
  /** The finding. */
  readonly finding: string | undefined
}

/** Requirements in the order in which they are tried on a fault: those of the areas near it first. */
const ordered = (requirements: ReadonlyArray<Requirement>, { near }: Fault): ReadonlyArray<Requirement> => {
  const isNear = ({ id }: Requirement): boolean => near.includes(id.split(".")[0] ?? "")
  return [...requirements.filter(isNear), ...requirements.filter((each) => !isNear(each))]
}

/** Tries one requirement on our own provider with a fault: what it finds, or undefined where it does not notice. A warning is a finding too; what cannot be tried is none. */
export const caught = async ({ alteration }: Fault, requirement: Requirement): Promise<string | undefined> => {
  const target = await inProcess(alteration).open()
  const metadata = await discovered(target).catch((error: unknown) => new Error(String(error)))
  // Without metadata nothing else can be tried.
  if (metadata instanceof Error) return requirement.id === "discovery.json" ? metadata.message : undefined
  const { verdict, reason } = await tried(requirement, target, metadata, { write: true })
  return verdict === "fail" || verdict === "warn" ? (reason ?? verdict) : undefined
}

/** Tries requirements on our own provider with a fault, until one finds it. */
export const hunt = async (fault: Fault, requirements: ReadonlyArray<Requirement>): Promise<Caught> => {
  for (const requirement of ordered(requirements, fault)) {
    const finding = await caught(fault, requirement)
    if (finding !== undefined) return { fault, by: requirement.id, finding }
  }
  return { fault, by: undefined, finding: undefined }
}
