import { secretOf } from "@postern/core"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Database } from "better-sqlite3"
import { onTestFinished } from "vitest"
import { openDatabase, type People, sqliteStores, sqliteTokenStore, type SqliteOptions, type SqliteStores } from "@postern/adapter-sqlite"
import type { UpstreamIdentity, Verification } from "@postern/core/model"
import { sampleTime, type TokenStoreSubject } from "@postern/core/testing"

/** A path in a directory of its own, which goes when the test ends. */
export const temporaryPath = (name = "postern.db"): string => {
  const directory = mkdtempSync(join(tmpdir(), "postern-test-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, name)
}

/** A database as a first start leaves it. */
let empty: Buffer | undefined

/** The path of a database without a row: a copy costs a third of what making one does, and waits once for the disk. */
export const emptyPath = (): string => {
  if (empty === undefined) {
    const made = temporaryPath()
    openDatabase(made).close()
    empty = readFileSync(made)
  }
  const path = temporaryPath()
  writeFileSync(path, empty, { mode: 0o600 })
  return path
}

/** A database that is closed when the test ends. */
export const temporaryDatabase = (path: string = emptyPath(), options = {}): Database => {
  const database = openDatabase(path, options)
  onTestFinished(() => void database.close())
  return database
}

/** Cost of hashing in tests: as little as it can be. */
export const cheap = { memoryCost: 32, timeCost: 1 } as const

/** A clock that stands until it is moved. */
export const standingClock = (): { now: () => number; forward: (seconds: number) => void } => {
  let at = sampleTime
  return { now: () => at, forward: (seconds) => (at += seconds) }
}

/** Every store on a database of its own, closed when the test ends. */
export const temporaryStores = (path: string = emptyPath(), options: SqliteOptions = {}): SqliteStores => {
  const stores = sqliteStores(path, { now: () => sampleTime, hashing: cheap, ...options })
  onTestFinished(() => stores.close())
  return stores
}

/** A token store for the contract. */
export const sqliteSubject = (database: Database): TokenStoreSubject => {
  const store = sqliteTokenStore(database)
  return { store, sweep: store.sweep }
}

/** Somebody whom another provider vouches for. */
export const sampleIdentity = (told: Partial<UpstreamIdentity> = {}): UpstreamIdentity => ({
  provider: "corp",
  issuer: "https://corp.example",
  subject: "theirs-1",
  claims: {},
  authTime: undefined,
  amr: [],
  acr: undefined,
  ...told,
})

/** Signs a person in. */
export const signIn = async (
  people: People,
  username: string,
  password: string,
  address?: string,
  tenant?: string,
): Promise<Verification> => people.verify({ username, password: secretOf(password), address, tenant, acrValues: [] })
