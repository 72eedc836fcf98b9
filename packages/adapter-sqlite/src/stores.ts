import { type Command, type CommitResult, defaultLifetimes, rowKinds } from "@postern/core/model"
import { inSeconds, type MemberKinds, refuseFaults, secondsOf } from "@postern/core/options"
import { argon2id, auditLimits, StoreUnavailable, type Stores, type StoresOptions } from "@postern/stores"
import { accountKeyIn, auditedStores, storesFaults, storesKinds, trailLimits, systemClock } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import type { Duplex } from "node:stream"
import { type SqliteAudit, sqliteAudit } from "./audit/auditStore.ts"
import { sqliteClientStore } from "./clients/clientStore.ts"
import { databaseKinds, type DatabaseOptions, openPlace, placeFaults } from "./database/open.ts"
import { sqliteSigningKeyStore } from "./keys.ts"
import { type Log, logOf } from "./database/log.ts"
import { keepSecretIn } from "./ownSecrets.ts"
import { sqliteAuthenticator } from "./people/authenticator.ts"
import { useUp } from "./tokens/commit.ts"
import { type SqliteTokenStore, sqliteTokenStore } from "./tokens/tokenStore.ts"
import { type SqliteTrails, sqliteTrails } from "./trails/trails.ts"
import { type Writer, startWriter } from "./writer/writer.ts"

/** Options of the stores. All are optional. */
export interface SqliteOptions extends DatabaseOptions, StoresOptions {
  /**
   * Lets separate threads wait for the disk and for locks while a provider serves, so that the event loop waits for neither. Not available
   * for an in-memory database. Defaults to false, because a short-lived command needs no thread.
   */
  readonly thread?: boolean
  /**
   * Selects how several processes with a thread each write to one database file. The process that also writes for the others is given
   * `"shared"`, and each of the others the stream to its `writeFor`. By default a process writes for itself.
   */
  readonly writing?: "shared" | Duplex
}

const kindsOfOptions: MemberKinds<SqliteOptions> = { ...storesKinds, ...databaseKinds, thread: "boolean?", writing: "own?" }

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
  /** The failure of the last write, until a write succeeds. Always undefined for stores without a thread. */
  readonly failing: () => StoreUnavailable | undefined
  /** Writes the commits that another process sends over a stream. Defined only with `writing: "shared"`. */
  readonly writeFor?: (stream: Duplex) => void
}

/**
 * The time that the writing thread waits for a lock, in milliseconds. Queued work waits as long again, and is still answered within two
 * seconds.
 */
const patience = 450

/** The time that a reader waits for a lock while a thread writes, in milliseconds. This wait blocks the event loop. */
const readerPatience = 20

/**
 * The time within which a serving provider notices changes to its clients by a command, in milliseconds. Each check costs 5 µs, and each
 * commit makes one necessary.
 */
const noticeEvery = 25

/** Opens the event loop's connection. If that fails, the other one is closed. */
const logBeside = (database: Database): Log => {
  try {
    return logOf(database.name)
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens every store on one file and creates the file if it does not exist. Throws `DatabaseRefused`. */
export const sqliteStores = (path: string, options: SqliteOptions = {}): SqliteStores => {
  refuseFaults("sqliteStores", ...storesFaults(options, kindsOfOptions))
  refuseFaults("sqliteStores", placeFaults(path, options.synchronous))
  const { lifetimes = defaultLifetimes, encryption, synchronous = "FULL", kinds = rowKinds } = options
  const now = inSeconds("sqliteStores", options.now ?? systemClock)
  const audited = options.audit?.store ?? false
  const limits = auditLimits(options.audit)
  const database = openPlace(path, options)
  const hashing = argon2id(options.hashing, options.workers)
  const threaded = options.thread === true && !database.memory
  const log = threaded ? logBeside(database) : undefined
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
      // Other processes see a commit of the event loop before it is on disk, so with several processes only the worker commits.
      inline:
        writing === undefined
          ? {
              write: (sets) => {
                // The thread searches the rows not read yet, because the search would block the event loop.
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
   * Commits through the writer. After any other result than a commit, the next lookup reads the used values again before the request is
   * decided, because a value may just have been used, and a commit that was not answered in time may have used its values.
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
      // A commit that needs those rows reads them itself, or fails.
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
      if (writer !== undefined) return writer.sweep(secondsOf("sweep: now: is", at))
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
      // A process that writes for others never looks up these values, so reading them would only cost memory.
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
