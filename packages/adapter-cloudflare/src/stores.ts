import { systemClock } from "@postern/stores/sql"
import type { SigningKeyStore } from "@postern/core/jose"
import type { Sweep } from "@postern/core/memory"
import { type Instant, type RowKind, rowKinds } from "@postern/core/model"
import { inSeconds, type MemberKinds, memberFaults, rowKindsFault } from "@postern/core/options"
import { kinds as ownKinds } from "@postern/stores/sql"
import { databaseOn, type Transact } from "./database.ts"
import { besideOf, open } from "./open.ts"
import { type CloudflareRequestCounts, requestCountsOn } from "./requestCounts.ts"
import { signingKeysOn } from "./signingKeys.ts"
import { type CloudflareTokenStore, tokenStoreOn } from "./tokenStore.ts"

/** Options of the stores; all are optional. */
export interface CloudflareOptions {
  /** The prefix of every table name. Default: `postern_`. */
  readonly prefix?: string
  /** The kinds of row to store, from `rowKindsOf({ features })`. Default: those of core. */
  readonly kinds?: ReadonlyArray<RowKind>
  /** The time in whole seconds since 1970. Default: the system clock. */
  readonly now?: () => Instant
}

/** Postern's stores in a Cloudflare database. */
export interface CloudflareStores {
  /** The token store. */
  readonly tokens: CloudflareTokenStore
  /** The signing keys. */
  readonly keys: SigningKeyStore
  /** The request counter, shared with other Workers, for `sharedLimiter`. */
  readonly requestCounts: CloudflareRequestCounts
  /** Deletes one slice of expired rows in every table; call it again while there is more. */
  readonly sweep: (now?: Instant) => Promise<Sweep>
}

/** The kinds of the options. */
export const optionKinds: MemberKinds<CloudflareOptions> = { prefix: "text?", kinds: "own?", now: "function?" }

/** Returns the faults of the options, as text. */
export const optionFaults = (
  options: CloudflareOptions,
  kinds: Parameters<typeof memberFaults>[1] = optionKinds,
): ReadonlyArray<string> => {
  const faults = memberFaults(options, kinds)
  return faults.length > 0 ? faults : [rowKindsFault(options.kinds) ?? []].flat()
}

/** Creates the stores on a database, after creating missing tables. */
export const storesOn = async (
  transact: Transact,
  place: string,
  { prefix = "postern_", kinds = rowKinds, now: clock = systemClock }: CloudflareOptions,
  called: string,
): Promise<CloudflareStores> => {
  const now = inSeconds(called, clock)
  if (!/^[a-z][a-z0-9_]{0,29}$/.test(prefix))
    throw new TypeError(`${called}: prefix: must be 1 to 30 lower case letters, digits and underscores, a letter first`)
  const database = databaseOn(transact, prefix)
  const named = <Row>(kind: RowKind<Row>): RowKind<Row> => ({ ...kind, name: `${prefix}${kind.name}` })
  const keys = named(ownKinds.signingKeys)
  await open(database, place, prefix, [...kinds.map(named), keys])
  const tokens = tokenStoreOn(database, kinds, named)
  const requestCounts = requestCountsOn(database, besideOf(prefix).requestCounts)
  return {
    tokens,
    keys: signingKeysOn(database, keys),
    requestCounts,
    sweep: async (at = now()) => {
      const { removed, more } = await tokens.sweep(at)
      const counted = await requestCounts.sweep(at)
      return { removed: removed + counted, more: more || counted > 0 }
    },
  }
}
