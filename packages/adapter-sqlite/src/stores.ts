import { type Command, type CommitResult, defaultLifetimes, rowKinds } from "@postern/core/model"
import { argon2id, auditLimits, StoreUnavailable, type Stores, type StoresOptions } from "@postern/stores"
import { accountKeyIn, auditedStores, trailLimits } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import type { Duplex } from "node:stream"
import { type SqliteAudit, sqliteAudit } from "./audit/auditStore.ts"
import { sqliteClientStore } from "./clients/clientStore.ts"
import { type DatabaseOptions, openDatabase } from "./database/open.ts"
import { sqliteSigningKeyStore } from "./keys.ts"
import { logOf } from "./database/log.ts"
import { keepSecretIn } from "./ownSecrets.ts"
import { sqliteAuthenticator } from "./people/authenticator.ts"
import { useUp } from "./tokens/commit.ts"
import { type SqliteTokenStore, sqliteTokenStore } from "./tokens/tokenStore.ts"
import { type SqliteTrails, sqliteTrails } from "./trails/trails.ts"
import { type Writer, startWriter } from "./writer/writer.ts"

/** Options of the stores; everything has a default. */
export interface SqliteOptions extends DatabaseOptions, StoresOptions {
  /**
   * True if threads of its own wait for the disk and for locks when a provider that serves writes, so that the event loop waits for
   * neither. Not for a database in memory. false when not given: a command that runs and ends needs no thread.
   */
  readonly thread?: boolean
  /**
   * For several processes on one database file, each with a thread: `"shared"` for the one that writes for the others as well, by its
   * `writeFor`; in each of the others the stream to it. Left out, a process writes for itself.
   */
  readonly writing?: "shared" | Duplex
}

/** Every store on one database file. */
export interface SqliteStores extends Stores {
  /** The open database. */
  readonly database: Database
  /** The token store. */
  readonly tokens: SqliteTokenStore
  /** The store of trails. */
  readonly trails: SqliteTrails
  /** The store of audit events. */
  readonly audit: SqliteAudit
  /** The failure of the last write, until one succeeds again; undefined for stores without a thread. */
  readonly failing: () => StoreUnavailable | undefined
  /** Writes what another process sends over a stream; undefined but with `writing: "shared"`. */
  readonly writeFor?: (stream: Duplex) => void
}

/** Milliseconds the writing thread waits for a lock: what waits behind it waits as long again, and is answered within two seconds. */
const patience = 450

/** Milliseconds a reader waits for a lock while a thread writes; it is the event loop that waits. */
const readerPatience = 20

/** Milliseconds within which a provider that serves notices what a command changed of its clients: each look costs 5 µs, and each commit makes one due. */
const noticeEvery = 25

/** Opens every store on one file, which is made when there is none. Throws `DatabaseRefused`. */
export const sqliteStores = (path: string, options: SqliteOptions = {}): SqliteStores => {
  const {
    lifetimes = defaultLifetimes,
    encryption,
    now = () => Math.floor(Date.now() / 1000),
    synchronous = "FULL",
    kinds = rowKinds,
  } = options
  const audited = options.audit?.store ?? false
  const limits = auditLimits(options.audit)
  const database = openDatabase(path, options)
  const hashing = argon2id(options.hashing, options.workers)
  const threaded = options.thread === true && !database.memory
  const log = threaded ? logOf(database.name) : undefined
  const local = sqliteTokenStore(log?.database ?? database, log?.reading, 0, kinds)
  const { writing } = options
  const confirms = options.workers === undefined
  const over = typeof writing === "object" ? writing : undefined
  const writer =
    log &&
    startWriter({
      over,
      thread: {
        path: database.name,
        synchronous,
        patience: options.busyTimeout ?? patience,
        trails: trailLimits(options.trails ?? {}),
        audit: limits,
        kinds,
      },
      // Others see a commit of the event loop before it is on disk, so it commits nothing where there are others.
      inline:
        writing === undefined
          ? {
              write: (sets) => {
                // The thread seeks among what is not read yet, which would block the event loop.
                if (useUp(sets) && !local.catchUp()) return undefined
                log.renew()
                return local.commitTogether(sets)
              },
              log: synchronous === "FULL" ? `${database.name}-wal` : undefined,
            }
          : undefined,
      onWritten: log.renew,
    })
  const trails = sqliteTrails(database, options.trails, writer?.trails)
  const audit = sqliteAudit(database, limits, writer?.audit)
  const clients = sqliteClientStore(database, {
    lifetimes,
    hashing,
    encryption,
    noticeEvery: writer === undefined ? undefined : noticeEvery,
    rehash: over && writer?.rehash("client"),
    confirms,
    now,
  })
  const people = sqliteAuthenticator(
    database,
    { hashing, now, confirms },
    log,
    over && writer && { admit: writer.admit, rehash: writer.rehash("user") },
  )
  const operated = { clients, people, keys: sqliteSigningKeyStore(database) }
  /**
   * Commits by the writer. Why it came to nothing is read before the request is judged again: a value may have been used a moment ago, and one whose commit
   * was not answered in time may be used by now.
   */
  const committedBy = async (writing: Writer, commands: ReadonlyArray<Command>): Promise<CommitResult> => {
    let result: CommitResult | undefined
    try {
      result = await writing.commit(commands)
      return result
    } finally {
      if (result !== "Committed") local.lookAgain()
    }
  }
  const catchUp = (): void => {
    try {
      if (log?.database.open === true && !local.catchUp()) setImmediate(catchUp).unref()
    } catch (error) {
      // A commit that needs it reads it, or fails.
      if (!(error instanceof StoreUnavailable)) throw error
    }
  }
  let closing: void | Promise<void>
  const close = async (writing: Writer): Promise<void> => {
    await trails.flush()
    await audit.flush()
    await writing.close()
    log?.close()
    database.close()
  }
  return {
    place: path,
    database,
    tokens:
      writer === undefined
        ? local
        : {
            ...local,
            commit: (commands) => (commands.length === 0 ? "Committed" : committedBy(writer, commands)),
            durable: writer.durable,
          },
    ...(audited ? auditedStores(operated, audit, now) : operated),
    trails,
    audit,
    accountKey: () => accountKeyIn(keepSecretIn(database), encryption),
    ...(writer && { requestCounts: { exchange: writer.counts } }),
    hashLoad: hashing.load,
    sweep: (at = now()) => {
      if (writer !== undefined) return writer.sweep(at)
      const swept = local.sweep(at)
      const dropped = trails.sweep(at) + audit.sweep(at)
      return { removed: swept.removed + dropped, more: swept.more || dropped > 0 }
    },
    failing: () => writer?.failing(),
    ...(writing === "shared" && writer && { writeFor: writer.writeFor }),
    serving: () => {
      if (writer === undefined) return
      database.pragma(`busy_timeout = ${readerPatience}`)
      writer.warm()
      // A process that writes for others looks up none of these: it would keep them for nothing.
      if (writing !== "shared") catchUp()
    },
    close: () => {
      if (!database.open) return
      if (writer !== undefined) return (closing ??= close(writer))
      void trails.flush()
      void audit.flush()
      database.close()
    },
  }
}
