import type { Awaitable } from "@postern/core/ports"
import { kindFault, type MemberKinds, partFaults, refuseFaults } from "@postern/core/options"
import type { Stored } from "@postern/stores/sql"
import { type Answer, codeOf, type Statement } from "./database.ts"
import { type CloudflareOptions, type CloudflareStores, optionFaults, optionKinds, storesOn } from "./stores.ts"

/** The storage of a SQLite-backed Durable Object: `DurableObjectStorage` of Cloudflare's types. */
export interface ObjectStorage {
  /** The object's database. */
  readonly sql: {
    /** Runs a statement. */
    readonly exec: (sql: string, ...values: Array<Stored>) => { readonly raw: () => Iterable<ReadonlyArray<unknown>> }
  }
  /** Runs a closure in one transaction. */
  readonly transactionSync: <A>(run: () => A) => A
  /** Returns the time of the next alarm. */
  readonly getAlarm: () => Promise<number | null>
  /** Sets the next alarm, in milliseconds since 1970. */
  readonly setAlarm: (at: number) => Promise<void>
}

/** The state of a Durable Object: `DurableObjectState` of Cloudflare's types. */
export interface ObjectState {
  /** The object's storage. */
  readonly storage: ObjectStorage
  /** Blocks requests until a promise settles. */
  readonly blockConcurrencyWhile: <A>(run: () => Promise<A>) => Promise<A>
}

/** An object that stores Postern's rows, or a stub of it. */
export interface StoreObject {
  /** Runs statements in one transaction; each read and each commit is one message. */
  transact(statements: ReadonlyArray<Statement>): Awaitable<Answer>
}

/** Options of {@link storeObject}. */
export interface StoreObjectOptions extends CloudflareOptions {
  /**
   * Replaces the sweep of an alarm, such as with `maintain` of `@postern/core/maintain` on these stores. `more` requests the next alarm
   * soon.
   */
  readonly maintain?: (stores: CloudflareStores) => Promise<{ readonly more: boolean }>
  /** Milliseconds between alarms. Default: one minute. */
  readonly every?: number
}

const objectKinds: MemberKinds<StoreObjectOptions> = { ...optionKinds, maintain: "function?", every: "number?" }

/** The implementation of a Durable Object that stores Postern's rows. The object's methods of the same names call it. */
export interface StoreObjectParts extends StoreObject {
  /** Runs statements in one transaction of the object's database. */
  readonly transact: (statements: ReadonlyArray<Statement>) => Answer
  /** Runs the alarm's work, and sets the next alarm. */
  readonly alarm: () => Promise<void>
  /** Postern's stores inside the object, with synchronous reads and commits, for a provider that runs in it. */
  readonly stores: () => Promise<CloudflareStores>
}

/** Milliseconds until the next alarm if there is more to do. */
const soon = 1000

/** The maximum number of slices swept per alarm. */
const slices = 20

/** Creates the implementation of a Durable Object that stores Postern's rows, and sets its first alarm. */
export const storeObject = (state: ObjectState, asked: StoreObjectOptions = {}): StoreObjectParts => {
  const stateFaults = partFaults("state", state, { storage: "object", blockConcurrencyWhile: "function" }, "DurableObjectState")
  refuseFaults("storeObject", stateFaults, optionFaults(asked, objectKinds))
  const { maintain, every = 60_000, ...options } = asked
  const { storage } = state
  const transact = (statements: ReadonlyArray<Statement>): Answer => transactIn(storage, statements)
  let opened: Promise<CloudflareStores> | undefined
  const stores = (): Promise<CloudflareStores> => {
    opened ??= storesOn(transact, "a Durable Object", options, "storeObject")
    // A failure is not cached.
    opened.catch(() => (opened = undefined))
    return opened
  }
  // Sets an alarm again at the object's next start, in case the last one was abandoned after its retries.
  void state.blockConcurrencyWhile(async () => {
    if ((await storage.getAlarm()) === null) await storage.setAlarm(Date.now() + every)
  })
  const swept = async ({ sweep }: CloudflareStores): Promise<{ readonly more: boolean }> => {
    for (let slice = 0; slice < slices; slice++) if (!(await sweep()).more) return { more: false }
    return { more: true }
  }
  return {
    transact,
    stores,
    alarm: async () => {
      const { more } = await (maintain ?? swept)(await stores())
      await storage.setAlarm(Date.now() + (more ? soon : every))
    },
  }
}

/**
 * Stores Postern's rows in a Durable Object, from a Worker. `stub` is called for each message, because a stub belongs to the request that
 * created it and cannot be used after an error. Rejects with `DatabaseRefused` for an unsuitable object.
 */
export const objectStores = async (stub: () => StoreObject, options: CloudflareOptions = {}): Promise<CloudflareStores> => {
  refuseFaults("objectStores", kindFault("stub", stub, "function"), optionFaults(options))
  return storesOn(async (statements) => stub().transact(statements), "a Durable Object", options, "objectStores")
}

/** Runs statements in one transaction of an object's own database. No other code of the object runs meanwhile. */
const transactIn = (storage: ObjectStorage, statements: ReadonlyArray<Statement>): Answer => {
  const rowsOf = ({ sql, values }: Statement) => [...storage.sql.exec(sql, ...values).raw()] as ReadonlyArray<ReadonlyArray<Stored>>
  try {
    return { rows: storage.transactionSync(() => statements.map(rowsOf)) }
  } catch (error) {
    const failed = codeOf(error)
    if (failed === undefined) throw error
    return { failed }
  }
}
