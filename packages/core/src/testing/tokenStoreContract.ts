import type { ContractCase } from "./contract.ts"
import { attemptCases } from "./tokenStoreAttempts.ts"
import { grantCases } from "./tokenStoreGrants.ts"
import { guardCases } from "./tokenStoreGuards.ts"
import { lifeCases } from "./tokenStoreLives.ts"
import { readCases } from "./tokenStoreReads.ts"
import type { TokenStoreSubject } from "./tokenStoreSubject.ts"
import { sweepCases } from "./tokenStoreSweeps.ts"

/** The cases that every token store must pass: reads, each command with its guard, atomic commits, retention. */
export const tokenStoreContract: ReadonlyArray<ContractCase<TokenStoreSubject>> = [
  ...readCases,
  ...guardCases,
  ...attemptCases,
  ...grantCases,
  ...sweepCases,
  ...lifeCases,
]
