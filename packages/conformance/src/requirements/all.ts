import type { Requirement } from "../requirement/requirement.ts"
import { code } from "./code.ts"

/** Every requirement, area by area. */
export const requirements: ReadonlyArray<Requirement> = [...code]
