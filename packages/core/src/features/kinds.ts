import type { MemberKinds } from "../model/members.ts"
import type { Feature, Joined } from "./feature.ts"

/** The kind of each member of a feature. */
export const featureKinds: MemberKinds<Feature> = {
  name: "text",
  endpoints: "function?",
  grants: "objects?",
  extensionGrants: "objects?",
  defineExtension: "function?",
  grantTypes: "texts?",
  authorizationParameters: "objects?",
  responseTypes: "texts?",
  responseModes: "objects?",
  clientAuthentication: "objects?",
  clientResolvers: "function?",
  grantKeepings: "functions?",
  upstreamSignIns: "functions?",
  sessionUses: "functions?",
  sessionEndings: "functions?",
  sessionFrames: "functions?",
  sessionTellings: "objects?",
  sessionMemories: "functions?",
  deliveries: "object?",
  hosts: "functions?",
  confirmations: "objects?",
  tables: "objects?",
  clientMetadata: "objects?",
  lifetimes: "objects?",
  registration: "table?",
  providerSettings: "objects?",
  rows: "objects?",
  pages: "objects?",
  ownPages: "function?",
  ownVisits: "objects?",
  details: "function?",
  settingFaults: "function?",
  allowedHeaders: "texts?",
  exposedHeaders: "texts?",
  audit: "object?",
  signInRules: "texts?",
  discovery: "function?",
}

/** The members whose lists a provider joins, each under the same name. */
export const joinedMembers = Object.entries(featureKinds).flatMap(([name, kind]) =>
  // Only kinds of lists end in "s?", which their type cannot express.
  kind.endsWith("s?") ? [name as keyof Joined] : [],
)
