export * from "./awaitable.ts"
export type { Due } from "./due.ts"
export * from "./identityProviders.ts"
export * from "./jwts.ts"
export { type Lift, type Lifted, type LiftedTokenStore, atOnce, atOnceWithin, whenRun, whenRunWithin } from "./lifted.ts"
export * from "./limiter.ts"
export { type ReadName, eachRead } from "./namedReads.ts"
export * from "./outbound.ts"
export * from "./outbox.ts"
export * from "./outward.ts"
export * from "./pages.ts"
export { type Patience, PortTimedOut, defaultPortTimeout, within } from "./patience.ts"
export { type Partition, partitioned } from "./partition.ts"
export { inPartition, isPartitionName, partitionOf } from "./partitionNames.ts"
export * from "./plain.ts"
export * from "./portFailed.ts"
export * from "./ports.ts"
export * from "./reads.ts"
export type { PageCall, PortAnswer, RecorderPort, RequestRecord } from "./recorder.ts"
export * from "./report.ts"
export {
  type ClientResolver,
  type ResolvingJudges,
  type ResolvingPorts,
  type ResolvingRequest,
  type ResolvingStep,
  resolvingClients,
  resolvedFind,
  resolvingFind,
} from "./resolving.ts"
export * from "./services.ts"
export type { TimerPort } from "./timer.ts"
export type * from "./tokenStore.ts"
