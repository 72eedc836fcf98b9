import { type MemberKind, memberFaults } from "../rules/members.ts"
import type { Feature } from "./feature.ts"

/** The kind of each member of a feature; the type keeps the list whole. */
const kinds: Readonly<Record<keyof Feature, MemberKind>> = {
  name: "text",
  endpoints: "function",
  grants: "list",
  extensionGrants: "list",
  defineExtension: "function",
  grantTypes: "list",
  authorizationParameters: "list",
  responseTypes: "list",
  responseModes: "list",
  clientAuthentication: "list",
  clientResolvers: "function",
  grantKeepings: "list",
  upstreamSignIns: "list",
  sessionUses: "list",
  sessionEndings: "list",
  sessionFrames: "list",
  sessionTellings: "list",
  sessionMemories: "list",
  deliveries: "object",
  hosts: "list",
  confirmations: "list",
  tables: "list",
  clientMetadata: "list",
  lifetimes: "list",
  // A table, or the name of one.
  registration: "own",
  providerSettings: "list",
  rows: "list",
  pages: "list",
  ownPages: "object",
  ownVisits: "list",
  details: "function",
  settingFaults: "function",
  allowedHeaders: "list",
  exposedHeaders: "list",
  audit: "object",
  signInRules: "list",
  discovery: "function",
}

/** Defines a feature. Throws one `TypeError` that names every fault: an invalid name, members of another kind, and members that no feature has. */
export const defineFeature = (feature: Feature): Feature => {
  if (typeof feature !== "object" || feature === null) throw new TypeError("defineFeature: needs an object, the members of a feature")
  const { name } = feature
  const faults = [
    ...(typeof name === "string" && !/^[a-z][a-z0-9-]{0,49}$/.test(name)
      ? ["name: is 1 to 50 lower-case letters, digits and dashes, a letter first"]
      : []),
    ...memberFaults(feature, kinds, ["name"]),
  ]
  if (faults.length > 0) throw new TypeError(`feature ${String(name)}: ${faults.join("; ")}`)
  return feature
}
