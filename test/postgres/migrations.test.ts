import { openDatabase } from "@postern/adapter-postgres"
import { describe, expect, it } from "vitest"
import { connect } from "../../packages/adapter-postgres/src/database/connect.ts"
import { closing, postgresServer } from "../support/postgres.ts"
import { full, sample } from "../tiers/tier.ts"
import { looked, pointLock, points, steps, versionBefore } from "./steps.ts"
import { startMigrator, upgrades } from "./upgrades.ts"

const server = postgresServer()
const patient = 60_000

/** Holds a point, so that nobody passes it, until told to let go; tells when somebody stands before it. */
const holding = async (url: string, point: number) => {
  const holder = await connect(url, { connections: 1, patience: patient })
  const looker = closing(await connect(url, { connections: 1 }))
  await holder.read("hold", "SELECT pg_advisory_lock($1::bigint)::text", [pointLock(point)])
  const waiting = async (): Promise<number> => {
    const sql = "SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1::bigint"
    return Number((await looker.read("look", sql, [pointLock(point)]))[0]?.[0])
  }
  return { somebody: () => expect.poll(waiting, { timeout: patient, interval: 5 }).toBe(1), letGo: () => holder.close() }
}

describe("migrations of PostgreSQL", () => {
  it.each(
    sample(
      Array.from({ length: points }, (_, each) => each + 1),
      4,
    ),
  )(
    "killed at point %i of 9, a database is at the old schema or the new, whole, and the next start brings it to the last",
    async (point) => {
      const url = await (await server()).database()
      const { somebody, letGo } = await holding(url, point)
      const migrator = startMigrator(url)
      await somebody()
      migrator.kill("SIGKILL")
      expect(await migrator.ended).toBe("SIGKILL")
      // The connection of the killed one finds out only now.
      await letGo()
      const database = closing(await connect(url, { patience: 10_000 }))
      expect(await looked(database)).toEqual({ version: versionBefore(point), wrong: undefined })
      closing(await openDatabase(url, { steps, patience: 10_000 }))
      expect(await looked(database)).toEqual({ version: steps.length, wrong: undefined })
    },
    patient,
  )

  it("the server crashed at a point leaves the old schema, and the next start brings it to the last", async () => {
    const { database, stop, start } = await server()
    const url = await database()
    const { somebody, letGo } = await holding(url, 6)
    const opening = openDatabase(url, { steps }).catch((error: unknown) => error)
    await somebody()
    await stop("SIGQUIT")
    expect(await opening).toMatchObject({ name: "DatabaseRefused", reason: "inaccessible" })
    await letGo()
    await start()
    expect(await looked(closing(await connect(url)))).toEqual({ version: 1, wrong: undefined })
    expect(await looked(closing(await openDatabase(url, { steps })))).toEqual({ version: 3, wrong: undefined })
  }, 60_000)

  it.runIf(full)(
    "two that migrate at once and are killed at random leave it whole, and an older version refuses what is newer (R14)",
    async () => {
      const { lost, problems } = await upgrades({ times: 4, seed: 5, say: () => undefined })
      expect([lost, problems]).toEqual([0, []])
    },
    180_000,
  )
})
