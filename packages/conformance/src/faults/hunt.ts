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

/** Tries requirements on our own provider with a fault, until one finds it. A warning finds it too; what cannot be tried does not. */
export const hunt = async (fault: Fault, requirements: ReadonlyArray<Requirement>): Promise<Caught> => {
  const opening = inProcess(fault.alteration)
  for (const requirement of ordered(requirements, fault)) {
    const target = await opening.open()
    const metadata = await discovered(target).catch((error: unknown) => String(error))
    if (typeof metadata === "string") return { fault, by: "discovery", finding: metadata }
    const { verdict, reason } = await tried(requirement, target, metadata, { write: true })
    if (verdict === "fail" || verdict === "warn") return { fault, by: requirement.id, finding: reason }
  }
  return { fault, by: undefined, finding: undefined }
}
