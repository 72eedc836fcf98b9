import type { KeyEncryption, SigningKeyStore } from "@postern/core/jose"
import { type Instant, type Lifetimes, type Seconds, defaultLifetimes } from "@postern/core/model"
import type { Database } from "better-sqlite3"
import { type SqliteAudit, auditAge, sqliteAudit } from "./audit/auditStore.ts"
import { auditedClients, auditedKeys, auditedPeople } from "./audit/operators.ts"
import { type SqliteClientStore, sqliteClientStore } from "./clients/clientStore.ts"
import type { StoreUnavailable } from "./database/errors.ts"
import { type DatabaseOptions, openDatabase } from "./database/open.ts"
import { type HashCost, argon2id } from "./hashing.ts"
import { sqliteSigningKeyStore } from "./keys.ts"
import { type SqliteAuthenticator, sqliteAuthenticator } from "./people/authenticator.ts"
import { type ThrottleOptions, throttle } from "./people/throttle.ts"
import type { Sweep } from "./tokens/sweep.ts"
import { type SqliteTokenStore, sqliteTokenStore } from "./tokens/tokenStore.ts"
import { type Writer, startWriter } from "./writer/writer.ts"
import { type SqliteTrails, type TrailOptions, sqliteTrails } from "./trails/trails.ts"

/** How the stores are opened; everything has a default. */
export interface SqliteOptions extends DatabaseOptions {
  /** Lifetimes of what clients are given, where their metadata states none. */
  readonly lifetimes?: Lifetimes
  readonly trails?: TrailOptions
  readonly audit?: AuditOptions
  readonly hashing?: HashCost
  /** Seals the secrets of clients that sign with them (`client_secret_jwt`); such a client cannot be registered without. */
  readonly encryption?: KeyEncryption | undefined
  readonly throttle?: ThrottleOptions
  /** Whole seconds since 1970; the system's clock when not given. */
  readonly now?: () => Instant
  /**
   * Whether what a provider writes while it serves is written on a thread of its own, so that the event loop waits neither for the disk nor
   * for a lock. Not for a database in memory. false when not given: a command that runs and ends needs no thread.
   */
  readonly thread?: boolean
}

/** How audit events are kept. */
export interface AuditOptions {
  /** Whether they are kept in the database. false when not given. */
  readonly store: boolean
  /** For how long; 90 days when not given. */
  readonly age?: Seconds
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
  readonly audit: SqliteAudit
  /** One slice of sweeping every table, a few milliseconds long. */
  readonly sweep: (now?: Instant) => Sweep | Promise<Sweep>
  /** Why the writing thread's last write failed, until one succeeds again; undefined for stores without a thread. */
  readonly failing: () => StoreUnavailable | undefined
  /** Writes what waits and closes the file. Closing twice changes nothing. */
  readonly close: () => void | Promise<void>
}

/** Milliseconds the writing thread waits for a lock: what waits behind it waits as long again, and is answered within two seconds. */
const patience = 900

/** Milliseconds a reader waits for a lock; it is the event loop that waits. */
const readerPatience = 20

/** Milliseconds within which a provider that serves notices what a command changed of its clients: each look costs 5 µs, and each commit makes one due. */
const noticeEvery = 25

const defaultTrails = { most: 20_000, age: 604_800 }

/** Opens every store on one file, which is made when there is none. Throws `DatabaseRefused`. */
export const sqliteStores = (path: string, options: SqliteOptions = {}): SqliteStores => {
  const { lifetimes = defaultLifetimes, encryption, now = () => Math.floor(Date.now() / 1000), synchronous = "FULL" } = options
  const { store: audited = false, age = auditAge } = options.audit ?? {}
  const database = openDatabase(path, options)
  const hashing = argon2id(options.hashing)
  const writer =
    options.thread === true && !database.memory
      ? startWriter({
          path: database.name,
          synchronous,
          patience: options.busyTimeout ?? patience,
          trails: { ...defaultTrails, ...options.trails },
          auditAge: age,
        })
      : undefined
  const local = sqliteTokenStore(database)
  const trails = sqliteTrails(database, options.trails, writer?.trails)
  const audit = sqliteAudit(database, age, writer?.audit)
  const clients = sqliteClientStore(database, {
    lifetimes,
    hashing,
    encryption,
    noticeEvery: writer === undefined ? undefined : noticeEvery,
    now,
  })
  const people = sqliteAuthenticator(database, { hashing, now, throttle: throttle(options.throttle) })
  let closing: void | Promise<void>
  const close = async (threaded: Writer): Promise<void> => {
    await trails.flush()
    await audit.flush()
    await threaded.close()
    database.close()
  }
  return {
    path,
    database,
    tokens:
      writer === undefined ? local : { ...local, commit: (commands) => (commands.length === 0 ? "Committed" : writer.commit(commands)) },
    clients: audited ? auditedClients(clients, audit, now) : clients,
    people: audited ? auditedPeople(people, audit, now) : people,
    keys: audited ? auditedKeys(sqliteSigningKeyStore(database), audit, now) : sqliteSigningKeyStore(database),
    trails,
    audit,
    sweep: (at = now()) => {
      if (writer !== undefined) return writer.sweep(at)
      const swept = local.sweep(at)
      const dropped = trails.sweep(at) + audit.sweep(at)
      return { removed: swept.removed + dropped, more: swept.more || dropped > 0 }
    },
    failing: () => writer?.failing(),
    close: () => {
      if (!database.open) return
      if (writer !== undefined) return (closing ??= close(writer))
      void trails.flush()
      void audit.flush()
      database.close()
    },
  }
}

/** Makes the event loop wait for no lock: for stores that have a thread to write, once they are set up. */
export const servePatiently = ({ database }: Pick<SqliteStores, "database">): void => {
  database.pragma(`busy_timeout = ${readerPatience}`)
}
