import { sqliteStores } from "@postern/adapter-sqlite"
import { postgresTokenStore } from "@postern/adapter-postgres"
import { memoryTokenStore } from "@postern/core/memory"
import type { TokenStorePort } from "@postern/core/ports"
import { onTestFinished } from "vitest"
import { cheap, temporaryPath } from "../store/support.ts"
import { sharedDatabase } from "../support/postgres.ts"

/** A database that several processes share. */
export interface Ground {
  readonly name: string
  /** Opens it as so many processes do, each by itself. */
  readonly open: (processes: number) => Promise<ReadonlyArray<TokenStorePort>>
}

const times = <A>(count: number, make: () => A): ReadonlyArray<A> => Array.from({ length: count }, make)

/** Every kind of store, for the tests of one file; in memory all processes are one. */
export const grounds = (shared = sharedDatabase()): ReadonlyArray<Ground> => [
  {
    name: "memory",
    open: async (processes) => {
      const store = memoryTokenStore()
      return times(processes, () => store)
    },
  },
  {
    name: "SQLite of a server",
    open: async (processes) => {
      const path = temporaryPath()
      return times(processes, () => {
        const stores = sqliteStores(path, { hashing: cheap, thread: true })
        onTestFinished(() => stores.close())
        return stores.tokens
      })
    },
  },
  {
    name: "PostgreSQL",
    open: async (processes) => {
      const database = await shared()
      return times(processes, () => postgresTokenStore(database))
    },
  },
]

/** Counts answers by their status. */
export const statuses = (answers: ReadonlyArray<{ readonly status: number }>): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
