import { answerFaults } from "./answers.ts"
import type { Fault } from "./fault.ts"
import { ruleFaults } from "./rules.ts"

/** Every fault that the requirements must find, kind by kind. */
export const faults: ReadonlyArray<Fault> = [...ruleFaults, ...answerFaults]
