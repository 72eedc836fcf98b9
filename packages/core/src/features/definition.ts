import { kindFault, memberFaults } from "../model/members.ts"
import type { Feature } from "./feature.ts"
import { featureKinds } from "./kinds.ts"

/**
 * Defines a feature. Throws one `TypeError` that lists every fault: an invalid name, members of the wrong kind, and members that no feature
 * has.
 */
export const defineFeature = (feature: Feature): Feature => {
  if (kindFault("", feature, "object") !== undefined) throw new TypeError("defineFeature: needs an object, the members of a feature")
  const { name } = feature
  const faults = [
    ...(typeof name === "string" && !/^[a-z][a-z0-9-]{0,49}$/.test(name)
      ? ["name: is 1 to 50 lower-case letters, digits and dashes, a letter first"]
      : []),
    ...memberFaults(feature, featureKinds),
  ]
  if (faults.length > 0) throw new TypeError(`feature ${String(name)}: ${faults.join("; ")}`)
  return feature
}
