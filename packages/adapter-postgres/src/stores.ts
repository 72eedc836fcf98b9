import { defaultLifetimes, type Instant } from "@postern/core/model"
import { inSeconds, kindFault, type MemberKinds, refuseFaults } from "@postern/core/options"
import { argon2id, auditLimits, type Stores, type StoresOptions, type Sweep } from "@postern/stores"
import { accountKeyIn, auditedStores, storesFaults, storesKinds, systemClock } from "@postern/stores/rows"
import { type PostgresAudit, postgresAudit } from "./audit/auditStore.ts"
import { postgresClientStore } from "./clients/clientStore.ts"
import type { Database } from "./database/connect.ts"
import { tendCommits } from "./schema/commits.ts"
import { databaseKinds, type DatabaseOptions, openPlace } from "./schema/open.ts"
import { shownUrl } from "./database/place.ts"
import { readAhead } from "./database/readAhead.ts"
import { postgresSigningKeyStore } from "./keys.ts"
import { keepSecretIn } from "./ownSecrets.ts"
import { postgresAuthenticator } from "./people/authenticator.ts"
import { type PostgresRequestCounts, postgresRequestCounts } from "./requestCounts.ts"
import { type PostgresTokenStore, postgresTokenStore } from "./tokens/tokenStore.ts"
import { type PostgresTrails, postgresTrails } from "./trails/trails.ts"

/** Options of the stores. All are optional. */
export interface PostgresOptions extends DatabaseOptions, StoresOptions {}

const kinds: MemberKinds<PostgresOptions> = { ...storesKinds, ...databaseKinds }

/** Every store on one PostgreSQL database. */
export interface PostgresStores extends Stores {
  /** The connection pool. */
  readonly database: Database
  /** The token store. */
  readonly tokens: PostgresTokenStore
  /** The store of trails. */
  readonly trails: PostgresTrails
  /** The store of audit events. */
  readonly audit: PostgresAudit
  /** The request counts that the servers share. */
  readonly requestCounts: PostgresRequestCounts
  /** Deletes expired rows and, once a day, the commit functions of versions that no server runs any more. */
  readonly sweep: (now?: Instant) => Promise<Sweep>
  /** Writes pending trails and audit events, and closes the connections. */
  readonly close: () => Promise<void>
}

/** Returns the maximum number of connections of one of several worker processes: its share of a single server's maximum. */
const connectionsOf = (workers: number): number => Math.max(2, Math.ceil(10 / workers))

/** Opens every store on one database and creates its schema if it does not exist. Rejects with `DatabaseRefused`. */
export const postgresStores = async (url: string, options: PostgresOptions = {}): Promise<PostgresStores> => {
  refuseFaults("postgresStores", kindFault("url", url, "text"), ...storesFaults(options, kinds))
  const { lifetimes = defaultLifetimes, encryption } = options
  const now = inSeconds("postgresStores", options.now ?? systemClock)
  const audited = options.audit?.store ?? false
  const { workers } = options
  const database = await openPlace(url, workers === undefined ? options : { connections: connectionsOf(workers), ...options })
  const hashing = argon2id(options.hashing, workers)
  const confirms = workers === undefined
  const grantees = readAhead()
  const tokens = postgresTokenStore(database, options.kinds, grantees)
  const trails = postgresTrails(database, options.trails)
  const audit = postgresAudit(database, auditLimits(options.audit))
  const requestCounts = postgresRequestCounts(database)
  const tend = tendCommits(database, options.kinds)
  const operated = {
    clients: postgresClientStore(database, { lifetimes, hashing, encryption, now, confirms }),
    people: postgresAuthenticator(database, { hashing, now, confirms }, grantees),
    keys: postgresSigningKeyStore(database),
  }
  return {
    place: shownUrl(url),
    database,
    tokens,
    ...(audited ? auditedStores(operated, audit, now) : operated),
    trails,
    audit,
    accountKey: () => accountKeyIn(keepSecretIn(database), encryption),
    requestCounts,
    hashLoad: hashing.load,
    sweep: async (at = now()) => {
      await tend(at)
      const swept = await tokens.sweep(at)
      const counted = await requestCounts.sweep(at)
      const dropped = (await trails.sweep(at)) + (await audit.sweep(at)) + counted
      return { removed: swept.removed + dropped, more: swept.more || dropped > 0 }
    },
    failing: () => undefined,
    serving: () => {},
    close: async () => {
      await trails.flush()
      await audit.flush()
      await database.close()
    },
  }
}
