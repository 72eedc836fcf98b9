import Sqlite from "better-sqlite3"
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { migrate } from "../../packages/adapter-sqlite/src/database/migrate.ts"
import { migrations } from "../../packages/adapter-sqlite/src/database/schema.ts"
import { contentOf, upgrade } from "./upgrade.ts"

const schemaOf = (database: Sqlite.Database): ReadonlyArray<unknown> =>
  database
    .prepare(
      "SELECT name, replace(replace(sql, char(10), ''), ' ', '') FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .raw()
    .all()

test.each(migrations.map((_, before) => before + 1))(
  "a database of version %i as it was released has the newest schema after its upgrade, and its rows (for one that is not released yet: node test/faults/schemas/write.ts)",
  (version) => {
    const old = new Sqlite(":memory:")
    old.exec(readFileSync(new URL(`schemas/${version}.sql`, import.meta.url), "utf8"))
    const content = contentOf(old, version)
    migrate(old, migrations)
    const fresh = new Sqlite(":memory:")
    migrate(fresh, migrations)
    expect(schemaOf(old)).toEqual(schemaOf(fresh))
    expect(contentOf(old, version)).toBe(content)
    expect(old.prepare("SELECT count(*) FROM access_tokens").pluck().get()).toBe(12)
  },
)

test("kill -9 in the middle of an upgrade: the old schema or the new, never half, every row kept; an older version refuses the newer file (R14)", async () => {
  const { lost, problems } = await upgrade({ times: 4, seed: 15, say: () => undefined }, 6_000)
  expect(problems).toEqual([])
  expect(lost).toBe(0)
}, 300_000)
