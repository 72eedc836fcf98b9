import { type RowKind, rowKinds } from "@postern/core/model"
import { type Database, openDatabase } from "@postern/adapter-postgres"
import { afterAll, onTestFinished } from "vitest"
import { type OwnedServer, type PostgresServer, startPostgres } from "./postgresServer.ts"

export type { PostgresServer } from "./postgresServer.ts"

/** A server that is made when a test first asks for it, and goes with the file's last test; by the programs of a folder where one is given. */
export const postgresServer = (programs?: string): (() => Promise<PostgresServer>) => {
  let made: Promise<OwnedServer> | undefined
  afterAll(async () => {
    await (await made)?.end()
  })
  return () => (made ??= startPostgres(programs))
}

/** The server of this process, for files that neither stop nor signal it; it ends with the process. */
export const serverOfProcess = (): Promise<PostgresServer> => (ofProcess ??= startPostgres())
let ofProcess: Promise<PostgresServer> | undefined

/** One database for all tests of a file, with the tables of these kinds and without a row each time it is asked for. */
export const sharedDatabase = (kinds: ReadonlyArray<RowKind> = rowKinds): (() => Promise<Database>) => {
  let opened: Promise<Database> | undefined
  const open = async (): Promise<Database> => openDatabase(await (await serverOfProcess()).database(), { patience: 10_000, kinds })
  afterAll(async () => (await opened)?.close())
  return async () => emptied(await (opened ??= open()), kinds)
}

const others = "clients users identities signing_keys trails audit_events tries request_counts".split(" ")

/** Drops every row of Postern's. */
export const emptied = async (database: Database, kinds: ReadonlyArray<RowKind> = rowKinds): Promise<Database> => {
  const drops = [...kinds.map(({ name }) => name), ...others].map((table) => `"${table}_gone" AS (DELETE FROM postern."${table}")`)
  await database.write("empty a test's database", `WITH ${drops.join(", ")} SELECT 1`)
  return database
}

/** Closes something when the test ends. */
export const closing = <A extends { readonly close: () => unknown }>(opened: A): A => {
  onTestFinished(async () => void (await opened.close()))
  return opened
}
