export { type ExtensionGrant, type LoadedGrant, type OpenedGrant, defineGrant, extensionGrant } from "./define.ts"
export * from "./grant.ts"
export { statedClaims } from "./jwt.ts"
export {
  type Client,
  type Instant,
  type Json,
  type JsonObject,
  type JwkSet,
  type Person,
  type Refusal,
  type Seconds,
  audiences,
  isPublic,
  offlineAccess,
  peerAlgorithms,
  refuse,
  scopeWords,
} from "../model/index.ts"
export type { JwtVerdict } from "../ports/index.ts"
export type { Fault } from "../rules/registrationFault.ts"
export { type Proof, type ProvingTable, type RuleTable, pass, prove, table } from "../rules/rule.ts"
export { mayHave } from "../rules/scope.ts"
