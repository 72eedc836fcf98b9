import type { SigningKeyStore } from "@postern/core/jose"
import type { Sweep } from "@postern/core/memory"
import { type Instant, type RowKind, rowKinds } from "@postern/core/model"
import { kinds as ownKinds } from "@postern/stores/sql"
import { databaseOn, type Transact } from "./database.ts"
import { besideOf, open } from "./open.ts"
import { type CloudflareRequestCounts, requestCountsOn } from "./requestCounts.ts"
import { signingKeysOn } from "./signingKeys.ts"
import { type CloudflareTokenStore, tokenStoreOn } from "./tokenStore.ts"

/** Options of the stores; everything has a default. */
export interface CloudflareOptions {
  /** The beginning of the name of every table; `postern_` when not given. */
  readonly prefix?: string
  /** The kinds of row that are kept: `rowKindsOf({ features })`; those of core when not given. */
  readonly kinds?: ReadonlyArray<RowKind>
  /** Whole seconds since 1970; the system's clock when not given. */
  readonly now?: () => Instant
}

/** Postern's stores in a database of Cloudflare's. */
export interface CloudflareStores {
  /** The token store. */
  readonly tokens: CloudflareTokenStore
  /** The signing keys. */
  readonly keys: SigningKeyStore
  /** Counts requests together with other Workers: `sharedLimiter` takes them. */
  readonly requestCounts: CloudflareRequestCounts
  /** One slice of sweeping every table: call it again while there is more. */
  readonly sweep: (now?: Instant) => Promise<Sweep>
}

/** Makes the stores on a database, after the tables that it lacks. */
export const storesOn = async (
  transact: Transact,
  place: string,
  { prefix = "postern_", kinds = rowKinds, now = () => Math.floor(Date.now() / 1000) }: CloudflareOptions,
): Promise<CloudflareStores> => {
  if (!/^[a-z][a-z0-9_]{0,29}$/.test(prefix))
    throw new TypeError("prefix must be 1 to 30 lower case letters, digits and underscores, a letter first")
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
