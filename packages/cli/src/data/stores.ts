import { existsSync } from "node:fs"
import {
  AlreadyExists,
  DatabaseRefused,
  NotFound,
  type SqliteOptions,
  type SqliteStores,
  StoreUnavailable,
  sqliteStores,
} from "@postern/adapter-sqlite"
import { failed } from "../failure.ts"
import { encryptionOf } from "./encryption.ts"
import { type DataPlace, dataPlace, noDatabase, type Whereabouts } from "./place.ts"

/** What the stores reported, in the command line's own words; anything else as it is. */
export const storeFailure = (error: unknown): unknown => {
  if (error instanceof DatabaseRefused) return failed(error.message)
  if (error instanceof AlreadyExists || error instanceof NotFound || error instanceof RangeError) return failed(error.message)
  if (error instanceof StoreUnavailable) return failed(error.message, "nothing was changed; try again")
  return error
}

/** Opens every store of a database, which is made when there is none. */
export const openStores = (database: string, options: SqliteOptions): SqliteStores => {
  try {
    return sqliteStores(database, options)
  } catch (error) {
    throw storeFailure(error)
  }
}

/** Runs something on the database of a command, and closes it. Only a command that adds something makes a database. */
export const withStores = async <A>(
  whereabouts: Whereabouts,
  adds: boolean,
  use: (stores: SqliteStores, place: DataPlace) => Promise<A> | A,
): Promise<A> => {
  const place = await dataPlace(whereabouts)
  if (!adds && !existsSync(place.database)) throw noDatabase(place)
  const stores = openStores(
    place.database,
    place.setup === undefined ? {} : { lifetimes: place.setup.lifetimes, audit: place.setup.audit, encryption: encryptionOf(place.setup) },
  )
  try {
    return await use(stores, place)
  } catch (error) {
    throw storeFailure(error)
  } finally {
    await stores.close()
  }
}
