import { defaultLifetimes, type Lifetimes } from "@postern/core/model"
import { type MemberKinds, memberFaults, rowKindsFault } from "@postern/core/options"
import type { AuditOptions } from "./audit/audit.ts"
import { costKinds } from "./secrets/hashing.ts"
import type { StoresOptions } from "./stores.ts"
import type { TrailOptions } from "./trails/trails.ts"

/** The kinds of the options of the stores of any database. */
export const storesKinds: MemberKinds<StoresOptions> = {
  lifetimes: "object?",
  trails: "object?",
  audit: "object?",
  hashing: "object?",
  encryption: "object?",
  kinds: "own?",
  workers: "number?",
  now: "function?",
}

const trailKinds: MemberKinds<TrailOptions> = { policy: "text?", most: "number?", age: "number?" }

const auditKinds: MemberKinds<AuditOptions> = { store: "boolean?", age: "number?", most: "number?" }

const lifetimesKinds = Object.fromEntries(Object.keys(defaultLifetimes).map((name) => [name, "number"] as const)) as MemberKinds<Lifetimes>

const policies: ReadonlyArray<unknown> = [undefined, "refused", "all", "off"]

/**
 * Returns the faults of the options of stores, as text: missing and unknown members, and those of the wrong kind, in the options that
 * several databases share as well.
 */
export const storesFaults = (
  options: StoresOptions,
  kinds: Parameters<typeof memberFaults>[1],
): ReadonlyArray<string | ReadonlyArray<string> | undefined> => {
  const faults = memberFaults(options, kinds)
  if (faults.length > 0) return faults
  const { hashing, trails, audit, lifetimes } = options
  return [
    rowKindsFault(options.kinds),
    hashing && memberFaults(hashing, costKinds, "hashing."),
    trails && memberFaults(trails, trailKinds, "trails."),
    policies.includes(trails?.policy) ? undefined : "trails.policy: must be refused, all or off",
    audit && memberFaults(audit, auditKinds, "audit."),
    lifetimes && memberFaults(lifetimes, lifetimesKinds, "lifetimes."),
  ]
}
