export { type AccessToken } from "./token.ts"
export { type IntrospectionOptions } from "./introspection.ts"
export { type DpopOptions, type ResourceServerOptions } from "./options.ts"
export { type Fetch } from "./remote.ts"
export { type Binding, type Needs, resourceTables } from "./rules.ts"
export type { ResourceRequest } from "./judged.ts"
export { type ResourceServer, resourceServer } from "./server.ts"
export { type MemoryUsesOptions, type ProofUses, memoryUses } from "./uses.ts"
export {
  type Accepted,
  type AnswerHeaders,
  type Refused,
  type RefusedRequest,
  type Verdict,
  type VerdictTrail,
  explain,
} from "./verdict.ts"
