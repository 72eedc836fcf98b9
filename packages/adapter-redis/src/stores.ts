import { type Instant, type RowKind, rowKinds } from "@postern/core/model"
import type { SigningKeyStore } from "@postern/core/jose"
import type { RequestCountsPort } from "@postern/core/ports"
import { kindFault, type MemberKinds, memberFaults, refuseFaults, rowKindsFault } from "@postern/core/options"
import { columnsOf, type SendCommand, sending } from "./client.ts"
import { bringUpToDate, loadLibrary } from "./library.ts"
import { requestCountsOn } from "./requestCounts.ts"
import { signingKeysOn } from "./signingKeys.ts"
import { type RedisTokenStore, tokenStoreOn } from "./tokenStore.ts"

/** Options of {@link redisStores}. */
export interface RedisOptions {
  /** The prefix of every key. Default: `postern`. */
  readonly prefix?: string
  /** The kinds of row to store. Default: those of core. Give `rowKindsOf({ features })` if features store rows of their own. */
  readonly kinds?: ReadonlyArray<RowKind>
}

/**
 * The time after which an acknowledged write survives a machine crash, by the server's own settings: at once (`always`), after a second
 * (`everysec`), after the system's next flush or a snapshot (`sometime`), or never (`never`); `unknown` if the server does not report it.
 */
export type Durability = "always" | "everysec" | "sometime" | "never" | "unknown"

/** The stores on one Redis or Valkey. */
export interface RedisStores {
  /** Codes, tokens, sessions, consents and all other runtime data. */
  readonly tokens: RedisTokenStore
  /** Signing keys. */
  readonly keys: SigningKeyStore
  /** Request counts for rate limits shared by several processes, for `sharedLimiter`. */
  readonly requestCounts: RequestCountsPort
  /** The durability of acknowledged writes. */
  readonly durability: Durability
  /** Deletes all expired rows; resolves to their number. Call it about once a minute, from one process or all of them. */
  readonly sweep: (now: Instant) => Promise<number>
}

const optionKinds: MemberKinds<RedisOptions> = { prefix: "text?", kinds: "own?" }

/** The server is unsuitable for storing tokens. The message states the required change. */
export class RedisRefused extends Error {
  override readonly name = "RedisRefused"
}

/**
 * Creates Postern's stores on Redis version 7 or later, or Valkey, and loads their functions. Rejects with {@link RedisRefused} for a
 * server that is too old or would evict rows when memory is low, and with `RedisUnavailable` if the server cannot be queried.
 */
export const redisStores = async (send: SendCommand, options: RedisOptions = {}): Promise<RedisStores> => {
  const faults = memberFaults(options, optionKinds)
  refuseFaults("redisStores", kindFault("send", send, "function"), faults, faults.length > 0 ? undefined : rowKindsFault(options.kinds))
  const { prefix = "postern", kinds = rowKinds } = options
  if (!/^[\w.:-]{1,100}$/u.test(prefix))
    throw new TypeError("redisStores: prefix: must be 1 to 100 letters, digits, dots, colons, dashes or underscores")
  const { durability } = await examined(send)
  const library = await loadLibrary(send, `{${prefix}}:`, kinds)
  await bringUpToDate(library, kinds)
  const tokens = tokenStoreOn(library, kinds)
  return {
    tokens,
    keys: signingKeysOn(library),
    requestCounts: requestCountsOn(library),
    durability,
    sweep: async (now) => {
      let all = 0
      for (;;) {
        const { removed, more } = await tokens.sweep(now)
        all += removed
        if (!more) return all
      }
    },
  }
}

const examined = async (send: SendCommand): Promise<{ readonly durability: Durability }> => {
  const about = String(await sending(send)("read the server's version", ["INFO", "server"]))
  const version = /^(?:redis|valkey)_version:(\d+)/m.exec(about)?.[1]
  if (version !== undefined && Number(version) < 7)
    throw new RedisRefused(`the server is Redis ${version}; Postern needs version 7 or later, or Valkey`)
  const told = async (name: string): Promise<string | undefined> => {
    try {
      return columnsOf(await send(["CONFIG", "GET", name]))?.[name]
    } catch {
      // Managed servers may forbid this command.
      return undefined
    }
  }
  const memory = String(await sending(send)("read what its memory is for", ["INFO", "memory"]))
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  if (policy !== undefined && policy !== "noeviction" && /^maxmemory:0\s/m.exec(memory) === null)
    throw new RedisRefused(
      `the server drops keys when its memory is full (maxmemory-policy ${policy}); set it to noeviction, or tokens that were revoked would be good again`,
    )
  const appends = await told("appendonly")
  const syncs = await told("appendfsync")
  const saves = await told("save")
  if (appends === undefined) return { durability: "unknown" }
  if (appends === "yes") return { durability: syncs === "always" || syncs === "everysec" ? syncs : "sometime" }
  return { durability: saves === "" ? "never" : "sometime" }
}
