import { answerFaults } from "./answers.ts"
import { anythingFaults } from "./anything.ts"
import { claimFaults } from "./claims.ts"
import { contentFaults } from "./content.ts"
import { extensionFaults } from "./extensions.ts"
import type { Fault } from "./fault.ts"
import { frameFaults } from "./frames.ts"
import { publishedFaults } from "./published.ts"
import { certificateFaults, registrationFaults } from "./registrations.ts"
import { requestFaults } from "./requests.ts"
import { ruleFaults } from "./rules.ts"
import { storeFaults } from "./stores.ts"

/** Every fault that the requirements must detect, by kind. */
export const faults: ReadonlyArray<Fault> = [
  ...ruleFaults,
  ...claimFaults,
  ...publishedFaults,
  ...answerFaults,
  ...contentFaults,
  ...requestFaults,
  ...anythingFaults,
  ...frameFaults,
  ...storeFaults,
  ...registrationFaults,
  ...certificateFaults,
  ...extensionFaults,
]
