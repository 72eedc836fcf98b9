import type { KeyEncryption, SigningKeyStore } from "@postern/core/jose"
import { type Instant, type Lifetimes, defaultLifetimes } from "@postern/core/model"
import type { Database } from "better-sqlite3"
import { type SqliteClientStore, sqliteClientStore } from "./clients/clientStore.ts"
import { type DatabaseOptions, openDatabase } from "./database/open.ts"
import { type HashCost, argon2id } from "./hashing.ts"
import { sqliteSigningKeyStore } from "./keys.ts"
import { type SqliteAuthenticator, sqliteAuthenticator } from "./people/authenticator.ts"
import { type ThrottleOptions, throttle } from "./people/throttle.ts"
import type { Sweep } from "./tokens/sweep.ts"
import { type SqliteTokenStore, sqliteTokenStore } from "./tokens/tokenStore.ts"
import { type SqliteTrails, type TrailOptions, sqliteTrails } from "./trails/trails.ts"

/** How the stores are opened; everything has a default. */
export interface SqliteOptions extends DatabaseOptions {
  /** Lifetimes of what clients are given, where their metadata states none. */
  readonly lifetimes?: Lifetimes
  readonly trails?: TrailOptions
  readonly hashing?: HashCost
  /** Seals the secrets of clients that sign with them (`client_secret_jwt`); such a client cannot be registered without. */
  readonly encryption?: KeyEncryption | undefined
  readonly throttle?: ThrottleOptions
  /** Whole seconds since 1970; the system's clock when not given. */
  readonly now?: () => Instant
}

/** Every store on one database file. */
export interface SqliteStores {
  readonly path: string
  readonly database: Database
  readonly tokens: SqliteTokenStore
  readonly clients: SqliteClientStore
  readonly people: SqliteAuthenticator
  readonly keys: SigningKeyStore
  readonly trails: SqliteTrails
  /** One slice of sweeping every table, a few milliseconds long. */
  readonly sweep: (now?: Instant) => Sweep
  /** Writes what waits and closes the file. Closing twice changes nothing. */
  readonly close: () => void
}

/** Opens every store on one file, which is made when there is none. Throws `DatabaseRefused`. */
export const sqliteStores = (path: string, options: SqliteOptions = {}): SqliteStores => {
  const { lifetimes = defaultLifetimes, encryption, now = () => Math.floor(Date.now() / 1000) } = options
  const database = openDatabase(path, options)
  const hashing = argon2id(options.hashing)
  const tokens = sqliteTokenStore(database)
  const trails = sqliteTrails(database, options.trails)
  return {
    path,
    database,
    tokens,
    clients: sqliteClientStore(database, { lifetimes, hashing, encryption, now }),
    people: sqliteAuthenticator(database, { hashing, now, throttle: throttle(options.throttle) }),
    keys: sqliteSigningKeyStore(database),
    trails,
    sweep: (at = now()) => {
      const swept = tokens.sweep(at)
      const dropped = trails.sweep(at)
      return { removed: swept.removed + dropped, more: swept.more || dropped > 0 }
    },
    close: () => {
      if (!database.open) return
      trails.flush()
      database.close()
    },
  }
}
