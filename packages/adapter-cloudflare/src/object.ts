import type { Awaitable } from "@postern/core/ports"
import type { Stored } from "@postern/stores/sql"
import { type Answer, codeOf, type Statement } from "./database.ts"
import { type CloudflareOptions, type CloudflareStores, storesOn } from "./stores.ts"

/** The storage of a Durable Object whose class is kept in SQLite: `DurableObjectStorage` of Cloudflare's types. */
export interface ObjectStorage {
  /** Its database. */
  readonly sql: {
    /** Runs a statement. */
    readonly exec: (sql: string, ...values: Array<Stored>) => { readonly raw: () => Iterable<ReadonlyArray<unknown>> }
  }
  /** Runs a closure as one transaction. */
  readonly transactionSync: <A>(run: () => A) => A
  /** The time of the next alarm. */
  readonly getAlarm: () => Promise<number | null>
  /** Sets the next alarm, in milliseconds since 1970. */
  readonly setAlarm: (at: number) => Promise<void>
}

/** The state that a Durable Object is made with: `DurableObjectState` of Cloudflare's types. */
export interface ObjectState {
  /** Its storage. */
  readonly storage: ObjectStorage
  /** Keeps requests waiting until something is done. */
  readonly blockConcurrencyWhile: <A>(run: () => Promise<A>) => Promise<A>
}

/** An object that keeps Postern's rows, or a stub of it. */
export interface StoreObject {
  /** Runs statements in one transaction: one message for each read and each commit. */
  transact(statements: ReadonlyArray<Statement>): Awaitable<Answer>
}

/** Options of {@link storeObject}. */
export interface StoreObjectOptions extends CloudflareOptions {
  /** The work that an alarm does, in place of a sweep: `maintain` of `@postern/core/maintain` with these stores. `more` asks for the next alarm at once. */
  readonly maintain?: (stores: CloudflareStores) => Promise<{ readonly more: boolean }>
  /** Milliseconds between alarms; a minute when not given. */
  readonly every?: number
}

/** The parts of a Durable Object that keeps Postern's rows: its methods of these names call them. */
export interface StoreObjectParts extends StoreObject {
  /** Runs statements in one transaction of the object's database. */
  readonly transact: (statements: ReadonlyArray<Statement>) => Answer
  /** Does the work of an alarm, and sets the next one. */
  readonly alarm: () => Promise<void>
  /** Postern's stores inside of the object, whose reads and commits are done at once: for a provider that runs in it. */
  readonly stores: () => Promise<CloudflareStores>
}

/** Milliseconds until the next alarm while there is more to do. */
const soon = 1000

/** The most slices that one alarm sweeps. */
const slices = 20

/** Makes the parts of a Durable Object that keeps Postern's rows, and sets its first alarm. */
export const storeObject = (state: ObjectState, { maintain, every = 60_000, ...options }: StoreObjectOptions = {}): StoreObjectParts => {
  const { storage } = state
  const transact = (statements: ReadonlyArray<Statement>): Answer => transactIn(storage, statements)
  let opened: Promise<CloudflareStores> | undefined
  const stores = (): Promise<CloudflareStores> => {
    opened ??= storesOn(transact, "a Durable Object", options)
    // A failure is not remembered.
    opened.catch(() => (opened = undefined))
    return opened
  }
  // An alarm that was given up after its last try is set again with the object's next start.
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
 * Keeps Postern's rows in a Durable Object, from a Worker. `stub` is called for each message, since a stub belongs to the request that made it and is of no use after an error. Rejects with
 * `DatabaseRefused` for an object that will not do.
 */
export const objectStores = (stub: () => StoreObject, options: CloudflareOptions = {}): Promise<CloudflareStores> =>
  storesOn(async (statements) => stub().transact(statements), "a Durable Object", options)

/** Runs statements in one transaction of an object's own database: nothing else of the object runs meanwhile. */
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
