import { answersAndDetails } from "./answersAndDetails.ts"
import type { Clause } from "./clause.ts"
import { dpopProofs } from "./dpopProofs.ts"
import { dpopServers } from "./dpopServers.ts"
import { fapi } from "./fapi.ts"
import { fapiModules } from "./fapiModules.ts"
import { known } from "./known.ts"
import { mutualTls } from "./mutualTls.ts"
import { pushedRequests } from "./pushedRequests.ts"

/** Every clause of the standards of bound tokens and of FAPI, with what decides it and what shows it. */
export const clauses: ReadonlyArray<Clause> = [
  ...pushedRequests,
  ...dpopProofs,
  ...dpopServers,
  ...mutualTls,
  ...answersAndDetails,
  ...fapi,
  ...known,
  ...fapiModules,
]
