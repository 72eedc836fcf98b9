import { type MemberKinds, memberFaults } from "@postern/core/options"
import type { Needs } from "./rules.ts"

/**
 * Lists the faults of needs that untyped code states. A misspelled need would let every request pass, and so would some of another type: any
 * part of a text would match as one of the values of `acrValues`.
 */
export const faultsOfNeeds = (needs: Needs): ReadonlyArray<string> => {
  const kinds: MemberKinds<Needs> = { scope: Array.isArray(needs?.scope) ? "texts?" : "text?", acrValues: "texts?", maxAge: "number?" }
  return memberFaults(needs, kinds)
}
