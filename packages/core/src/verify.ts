// The rules of a resource server for the tokens it receives, as `@postern/verify` uses them: the same tables that userinfo uses.
export { type LiveNonce, type ReadNonce, type Side, nonceBegin, nonceTexts, readNonce, writeNonce } from "./features/dpop/nonceText.ts"
export { ahead, normalAddress, proofAlgorithms, proofFacts, proofKeys, thumbprintText, usedUntil, useText } from "./features/dpop/proof.ts"
export {
  type SentSeen,
  type SignedSeen,
  type TimedSeen,
  type UsedSeen,
  proofRules,
  signatureRules,
  timeRules,
  useRules,
} from "./features/dpop/rules.ts"
export {
  type Objection,
  type Proof,
  type ProvingTable,
  type Rule,
  type RuleTable,
  type Table,
  type TracedStep,
  type Tracing,
  judge,
  pass,
  prove,
  rule,
  spell,
  table,
  tracing,
} from "./rules/rule.ts"
export {
  type BoundToken,
  type SentToken,
  type TimedToken,
  type TokenScheme,
  invalidToken,
  sentToken,
  sentTokenRules,
} from "./rules/sentToken.ts"
