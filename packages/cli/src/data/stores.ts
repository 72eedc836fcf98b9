import { existsSync } from "node:fs"
import { sqliteStores } from "@postern/adapter-sqlite"
import { AlreadyExists, DatabaseRefused, NotFound, type Stores, type StoresOptions, StoreUnavailable } from "@postern/stores"
import { failed } from "../failure.ts"
import { encryptionOf } from "./encryption.ts"
import { type DataPlace, dataPlace, type Whereabouts } from "./place.ts"

/** What the stores reported, in the command line's own words; anything else as it is. */
export const storeFailure = (error: unknown): unknown => {
  if (error instanceof DatabaseRefused) return failed(error.message)
  if (error instanceof AlreadyExists || error instanceof NotFound || error instanceof RangeError) return failed(error.message)
  if (error instanceof StoreUnavailable) return failed(error.message, "nothing was changed; try again")
  return error
}

/** Opens every store of a database, which is made when there is none; `serves` is for a provider rather than a command that ends. */
export const openStores = async (
  database: string,
  { serves = false, ...options }: StoresOptions & { readonly serves?: boolean },
): Promise<Stores> => {
  try {
    return sqliteStores(database, { ...options, thread: serves })
  } catch (error) {
    throw storeFailure(error)
  }
}

/** Runs something on the database of a command, and closes it. Only a command that adds something makes a database. */
export const withStores = async <A>(
  whereabouts: Whereabouts,
  adds: boolean,
  use: (stores: Stores, place: DataPlace) => Promise<A> | A,
): Promise<A> => {
  const place = await dataPlace(whereabouts)
  if (!adds && !existsSync(place.database)) {
    throw failed(`there is no database at ${place.database}`, "start the provider once, or name its folder with --data DIR")
  }
  const stores = await openStores(
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
