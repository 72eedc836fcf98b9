import { openDatabase, postgresStores, postgresTokenStore } from "@postern/adapter-postgres"
import { rowKinds, saveAccessToken } from "@postern/core/model"
import { sampleAccessToken } from "@postern/core/testing"
import { expect, test } from "vitest"
import { commitFunctionsOf } from "../../packages/adapter-postgres/src/tokens/commitFunction.ts"
import type { Database } from "../../packages/adapter-postgres/src/database/connect.ts"
import { cheap } from "../store/support.ts"
import { closing, postgresServer } from "../support/postgres.ts"
import { kinds as others } from "../support/rowsOfFeatures.ts"

const server = postgresServer()
const day = 86_400
const ours = commitFunctionsOf(rowKinds).digest
const theirs = commitFunctionsOf(others).digest

/** A database on which servers of two versions start, told apart by the kinds of row they know. */
const world = async () => {
  const url = await (await server()).database()
  const open = async (kinds = rowKinds) => closing(await postgresStores(url, { kinds, hashing: cheap }))
  const [here, there] = [await open(), await open(others)]
  const digests = async (): Promise<ReadonlyArray<unknown>> => {
    const rows = await here.database.read(
      "look",
      "SELECT DISTINCT right(proname, 12) FROM pg_proc WHERE proname ~ '^commit_.*[0-9a-f]{12}$' ORDER BY 1",
    )
    return rows.flat()
  }
  /** Lets days go by: what was noted lies so far back then. A server does nothing twice in a day. */
  let now = 0
  const pass = async (days: number): Promise<number> => {
    await here.database.write("pass", "UPDATE postern.revisions SET value = value - $1::bigint WHERE name LIKE 'commits %'", [days * day])
    return (now += days * day)
  }
  return { url, open, here, there, digests, pass }
}

const commits = async (database: Database, kinds = rowKinds, serial = 1) =>
  postgresTokenStore(database, kinds).commit([saveAccessToken(sampleAccessToken(serial))])

const both = [ours, theirs].toSorted()

test("functions that no server has used for 30 days are dropped, all three and their row; those in use stay", async () => {
  const { here, digests, pass } = await world()
  await here.sweep(await pass(29))
  expect(await digests()).toEqual(both)
  await here.sweep(await pass(2))
  expect(await digests()).toEqual([ours])
  const functions = await here.database.read(
    "look",
    "SELECT count(*)::int FROM pg_proc WHERE proname LIKE 'commit_%' AND pronamespace = 'postern'::regnamespace",
  )
  expect(functions).toEqual([[3]])
  expect(await here.database.read("look", "SELECT name FROM postern.revisions WHERE name LIKE 'commits %'")).toEqual([[`commits ${ours}`]])
  expect(await commits(here.database)).toBe("Committed")
})

test("a rolling upgrade: a server of the other version that sweeps keeps its functions, however long", async () => {
  const { here, there, digests, pass } = await world()
  for (const serial of [1, 2, 3]) {
    const now = await pass(20)
    await there.sweep(now)
    await here.sweep(now)
    expect(await digests()).toEqual(both)
    expect(await commits(there.database, others, serial)).toBe("Committed")
  }
})

test("a server that starts again after its functions were dropped makes them anew", async () => {
  const { open, here, digests, pass } = await world()
  await here.sweep(await pass(31))
  expect(await digests()).toEqual([ours])
  const again = await open(others)
  expect(await digests()).toEqual(both)
  expect(await commits(again.database, others)).toBe("Committed")
})

test("functions of a version that notes nothing are dropped 30 days after they were found", async () => {
  const { here, digests, pass } = await world()
  await here.database.write("forget", "DELETE FROM postern.revisions WHERE name = $1", [`commits ${theirs}`])
  await here.sweep(await pass(1))
  await here.sweep(await pass(29))
  expect(await digests()).toEqual(both)
  await here.sweep(await pass(2))
  expect(await digests()).toEqual([ours])
})

test("of a server that starts while its functions are being dropped, either they stay or it makes them", async () => {
  const url = await (await server()).database()
  const here = closing(await postgresStores(url, { hashing: cheap }))
  closing(await openDatabase(url, { kinds: others }))
  for (let turn = 1; turn <= 10; turn++) {
    await here.database.write("pass", "UPDATE postern.revisions SET value = value - $1::bigint WHERE name LIKE 'commits %'", [31 * day])
    const [database] = await Promise.all([openDatabase(url, { kinds: others }), here.sweep(turn * day)])
    expect(await commits(database, others, turn)).toBe("Committed")
    expect(await commits(here.database, rowKinds, 100 + turn)).toBe("Committed")
    await database.close()
  }
})

test("functions of another user, which this one may not drop, are left alone", async () => {
  const { url, here, digests, pass } = await world()
  for (const sql of [
    "CREATE ROLE guest LOGIN PASSWORD 'guest'",
    "GRANT ALL ON SCHEMA postern TO guest",
    "GRANT ALL ON ALL TABLES IN SCHEMA postern TO guest",
  ])
    await here.database.write("own", sql)
  const guest = closing(
    await postgresStores(Object.assign(new URL(url), { username: "guest", password: "guest" }).href, { hashing: cheap }),
  )
  await guest.sweep(await pass(31))
  expect(await digests()).toEqual(both)
  expect(await commits(guest.database)).toBe("Committed")
})
