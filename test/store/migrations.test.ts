import { spawnSync } from "node:child_process"
import Sqlite from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { migrate, schemaVersion } from "../../packages/adapter-sqlite/src/database/migrate.ts"
import { migrations } from "../../packages/adapter-sqlite/src/database/schema.ts"
import { points, steps, tablesAt } from "./steps.ts"
import { temporaryDatabase, temporaryPath } from "./support.ts"

const run = (path: string, deadly: number): NodeJS.Signals | number | null => {
  const { signal, status, stderr } = spawnSync(process.execPath, [new URL("migrator.ts", import.meta.url).pathname, path, String(deadly)])
  if (signal === null && status !== 0) throw new Error(String(stderr))
  return signal ?? status
}

const tables = (database: Sqlite.Database): ReadonlyArray<unknown> =>
  database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all()

describe("migrations", () => {
  it.each(Array.from({ length: points }, (_, each) => each + 1))(
    "killed at point %i of 9, a file is at the old schema or the new, whole, and the next start brings it to the last",
    (deadly) => {
      const path = temporaryPath()
      expect(run(path, deadly)).toBe("SIGKILL")
      const after = new Sqlite(path)
      expect(after.pragma("integrity_check", { simple: true })).toBe("ok")
      expect(tables(after)).toEqual(tablesAt[schemaVersion(after)])
      // Three points in the first step, four in the second, two in the third.
      expect(schemaVersion(after)).toBe(deadly <= 3 ? 0 : deadly <= 7 ? 1 : 2)
      after.close()
      expect(run(path, 0)).toBe(0)
      const whole = new Sqlite(path)
      expect(schemaVersion(whole)).toBe(steps.length)
      expect(whole.prepare("SELECT count(*), sum(square), min(note) FROM squares").raw().get()).toEqual([2000, 2668667000, "square"])
      whole.close()
    },
  )

  it("a step that fails changes nothing, not even the version", () => {
    const database = new Sqlite(":memory:")
    const bad = [{ name: "bad", sql: "CREATE TABLE one (a); CREATE TABLE one (a);" }]
    expect(() => migrate(database, bad)).toThrow(/already exists/)
    expect([schemaVersion(database), tables(database)]).toEqual([0, []])
  })

  it("a database of an earlier version keeps its rows and gets the steps it lacks", () => {
    const path = temporaryPath()
    temporaryDatabase(path).exec("UPDATE revisions SET value = 41")
    const next = { name: "next", sql: "UPDATE revisions SET value = value + 1" }
    const database = temporaryDatabase(path, { steps: [...migrations, next] })
    expect(schemaVersion(database)).toBe(migrations.length + 1)
    expect(database.prepare("SELECT value FROM revisions").pluck().get()).toBe(42)
    expect(() => temporaryDatabase(path)).toThrow(
      `its schema is version ${migrations.length + 1} and this Postern knows versions up to ${migrations.length}`,
    )
  })

  it("what other providers said to be verified is believed no longer, and every row is kept (OpenID Connect Core §5.7)", () => {
    const path = temporaryPath()
    const doubting = migrations.findIndex(({ name }) => name.includes("verified claims"))
    expect(doubting).toBeGreaterThan(0)
    const told = '{"name":"\\u0000 \\"email_verified\\":true","email_verified":true,"phone_number_verified":true}'
    const before = temporaryDatabase(path, { steps: migrations.slice(0, doubting) })
    const add = before.prepare(
      "INSERT INTO users (subject, username, username_key, claims, disabled, origin, created_at, updated_at) VALUES (?, ?, ?, ?, 0, ?, 1, 1)",
    )
    for (const origin of ["upstream", "config", "command"]) add.run(origin, origin, origin, told, origin)
    before.close()
    const rows = temporaryDatabase(path).prepare("SELECT subject, claims FROM users ORDER BY subject").raw().all()
    const doubted = told
      .replace('_verified":true,', '_verified":false,')
      .replace('phone_number_verified":true', 'phone_number_verified":false')
    expect(rows).toEqual([
      ["command", told],
      ["config", told],
      ["upstream", doubted],
    ])
  })
})
