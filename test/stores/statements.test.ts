import { type RowKind, rowKind, rowKinds, wholeRowKind } from "@postern/core/model"
import { describe, expect, test } from "vitest"
import { endings, type Kept } from "../../packages/stores/src/invalidated.ts"
import { type Dialect, compiledEvent, guardOf, kindOf, listOf, raisesOf, selectionOf } from "../../packages/stores/src/rows/statements.ts"
import { type TableDialect, kindsOfFeatures, tableStatements } from "../../packages/stores/src/rows/tables.ts"

interface Thing {
  readonly id: string
  readonly holderName: string | undefined
  readonly size: number
  readonly isOpen: boolean
  readonly tags: ReadonlyArray<string>
}

const things = rowKind<Thing>("things", { id: "text", holderName: "text?", size: "integer", isOpen: "flag", tags: "json" }, { key: ["id"] })

describe("statements", () => {
  const dialect: Dialect = {
    named: (table) => table,
    given: (name) => `:${name}`,
    insert: () => "INSERT",
    put: (column) => `new.${column}`,
    greatest: "max",
    position: "instr",
    unset: (member) => `${member} IS NULL`,
  }

  test("a guard holds where all of its conditions do; texts are quoted, numbers stand for themselves", () => {
    const guard = (when: never) => guardOf(dialect, things, undefined, { when, change: "nothing" })
    expect([guard("absent" as never), guard([] as never)]).toEqual(["true", "true"])
    const all = [
      ["holderName", "unset"],
      ["id", "set"],
      ["id", "is", "o'hara"],
      ["tags", "contains", "it's"],
      ["size", "equal", ":n"],
      ["size", "atMost", 5],
      ["size", "below", ":most?"],
      ["size", "above", 0],
    ]
    expect(guard(all as never).split(" AND ")).toEqual([
      "holderName IS NULL",
      't."id" IS NOT NULL',
      "t.\"id\" = 'o''hara'",
      `instr(t."tags", '"it''s"') > 0`,
      't."size" = :n',
      't."size" <= 5',
      't."size" < :most',
      't."size" > 0',
    ])
    expect(() => guard([["nothing", "equal", ":n"]] as never)).toThrow("things has no column for nothing")
    expect(kindOf(things, "holderName")).toBe("text?")
  })

  test("rows are selected by their key, or as an event says: by all rows where it names no column", () => {
    expect(selectionOf(dialect, things, { ways: [] })).toBe('t."id" = :id')
    const by = { isOpen: true, size: 5, id: ":id", holderName: ":who?" } as const
    expect(selectionOf(dialect, things, { by, ways: [] })).toBe(
      't."is_open" = 1 AND t."size" = 5 AND t."id" = :id AND (:who IS NULL OR t."holder_name" = :who)',
    )
    const slotted: Dialect = { ...dialect, sought: () => "slot = 7" }
    expect([selectionOf(slotted, things, { ways: [] }), selectionOf(slotted, things, { by: { size: 5 }, ways: [] })]).toEqual([
      'slot = 7 AND t."id" = :id',
      't."size" = 5',
    ])
    expect([selectionOf(dialect, things, { by: { isOpen: false }, ways: [] }), selectionOf(dialect, things, { by: {}, ways: [] })]).toEqual(
      ['t."is_open" = 0', "true"],
    )
  })

  test("an event is one statement: it inserts, inserts or changes, changes, removes or looks", () => {
    const compiled = (...ways: ReadonlyArray<unknown>) => compiledEvent(dialect, things, { ways } as never)
    const absent = { when: "absent", change: "insert" }
    expect(compiled(absent)).toEqual({ change: "INSERT ON CONFLICT DO NOTHING" })
    const open = [["isOpen", "equal", 1]]
    const add = { when: open, change: [["size", "add", 1]] }
    expect(compiled(absent, add)).toEqual({
      change: 'INSERT ON CONFLICT ("id") DO UPDATE SET "size" = t."size" + 1 WHERE t."is_open" = 1',
    })
    expect(compiled({ when: open, change: "remove" })).toEqual({ change: 'DELETE FROM things AS t WHERE t."id" = :id AND t."is_open" = 1' })
    expect(compiled({ when: [], change: "nothing" })).toEqual({ look: 'FROM things AS t WHERE t."id" = :id AND true' })
    expect(
      compiled({
        when: [],
        change: [
          ["size", "max", ":n"],
          ["holderName", "unset"],
          ["isOpen", "set", 1],
          ["tags", "setIfGiven", ":tags"],
        ],
      }),
    ).toEqual({
      change:
        'UPDATE things AS t SET "size" = max(t."size", :n), "holder_name" = NULL, "is_open" = 1, "tags" = coalesce(:tags, t."tags") WHERE t."id" = :id AND true',
    })
    expect(compiled(absent, { when: [], change: "replace" })).toEqual({
      change:
        'INSERT ON CONFLICT ("id") DO UPDATE SET "holder_name" = excluded."holder_name", "size" = excluded."size", "is_open" = excluded."is_open", "tags" = excluded."tags" WHERE true',
    })
    expect(compiled({ when: [], change: "replace" })).toEqual({
      change:
        'UPDATE things AS t SET "holder_name" = new.holder_name, "size" = new.size, "is_open" = new.is_open, "tags" = new.tags WHERE t."id" = :id AND true',
    })
    expect(
      compiled(absent, add, {
        when: [["size", "above", 3]],
        change: [
          ["size", "set", 0],
          ["isOpen", "set", 1],
        ],
      }),
    ).toEqual({
      change:
        'INSERT ON CONFLICT ("id") DO UPDATE SET "size" = CASE WHEN t."is_open" = 1 THEN t."size" + 1 WHEN t."size" > 3 THEN 0 ELSE t."size" END, ' +
        '"is_open" = CASE WHEN t."is_open" = 1 THEN t."is_open" WHEN t."size" > 3 THEN 1 ELSE t."is_open" END WHERE (t."is_open" = 1 OR t."size" > 3)',
    })
  })

  test("a list has conditions that all hold and some of which one does, and an order; without conditions it has every row", () => {
    const order = [
      ["size", "up"],
      ["id", "down"],
    ] as const
    const all = [["size", "above", 1]] as const
    const any = [
      ["holderName", "unset"],
      ["id", "is", "a"],
    ] as const
    expect(listOf(dialect, things, { all, any, order })).toEqual({
      where: 't."size" > 1 AND (holderName IS NULL OR t."id" = \'a\')',
      order: 't."size" ASC, t."id" DESC',
    })
    expect([listOf(dialect, things, { all, order }).where, listOf(dialect, things, { all: [], order }).where]).toEqual([
      't."size" > 1',
      "true",
    ])
  })

  test("rows that a raised column leaves as they are need not be written, all others must", () => {
    const raises = (change: never) => raisesOf(dialect, things, { when: [], change })
    expect(raises([["size", "max", ":n"]] as never)).toBe('t."size" < :n')
    expect(
      raises([
        ["size", "max", 5],
        ["isOpen", "set", 1],
      ] as never),
    ).toBe('t."size" < 5 OR true')
    expect(raises("replace" as never)).toBe("true")
  })
})

describe("tables of features", () => {
  const dialect: TableDialect = {
    named: (table) => `s.${table}`,
    type: (kept, finds) => `${kept}${finds ? "!" : ""}`,
    ending: () => " STRICT",
    unless: " IF NOT EXISTS",
    after: (table) => [`NOTE ${table}`],
    indexed: ({ ordered }) => !ordered,
  }
  const kind = rowKind<Thing>(
    "f_things",
    { id: "text", holderName: "text?", size: "integer", isOpen: "flag", tags: "json" },
    {
      key: ["id"],
      unique: ["size"],
      keptUntil: "size",
      events: { Open: { by: { holderName: ":who" }, ways: [{ when: [], change: [["isOpen", "set", 1]] }] } },
      lists: {
        held: {
          all: [
            ["holderName", "equal", ":who"],
            ["size", "above", 0],
          ],
          order: [["size", "down"]],
        },
        all: { all: [], order: [["id", "up"]] },
      },
    },
  )

  test("a table has its columns, its key and its secondary keys, an index for each list, selection and sweep, and none for the key's order", () => {
    expect(tableStatements(dialect, kind, new Map())).toEqual([
      'CREATE TABLE IF NOT EXISTS s.f_things ("id" text! NOT NULL, "holder_name" text!, "size" integer! NOT NULL, "is_open" flag NOT NULL, "tags" json NOT NULL, PRIMARY KEY ("id"), UNIQUE ("size")) STRICT',
      'CREATE INDEX IF NOT EXISTS f_things_by_1 ON s.f_things ("holder_name", "size")',
      'CREATE INDEX IF NOT EXISTS f_things_by_2 ON s.f_things ("holder_name")',
      'CREATE INDEX IF NOT EXISTS f_things_by_3 ON s.f_things ("size")',
      "NOTE s.f_things",
    ])
    const ordered = tableStatements(dialect, { ...kind, ordered: true }, new Map())
    expect(ordered.filter((each) => each.startsWith("CREATE INDEX")).length, "zones need no index").toBe(2)
    const kept = { ...kind, keptUntil: undefined } as never as RowKind
    expect(tableStatements(dialect, kept, new Map()).length).toBe(4)
    const whole = wholeRowKind<{ readonly id: string }>("f_wholes", { id: "text" }, { key: ["id"], mayLack: [] })
    expect(tableStatements(dialect, whole, new Map())[0]).toBe(
      'CREATE TABLE IF NOT EXISTS s.f_wholes ("id" text! NOT NULL, "content" json NOT NULL, PRIMARY KEY ("id")) STRICT',
    )
  })

  test("a list is indexed by what its rows have in common and by its order, and not by what they are compared with; none repeats the key", () => {
    const listed = rowKind<Thing>(
      "f_listed",
      { id: "text", holderName: "text?", size: "integer", isOpen: "flag", tags: "json" },
      {
        key: ["id", "size"],
        events: {},
        lists: {
          large: {
            all: [
              ["size", "above", 5],
              ["isOpen", "equal", 1],
            ],
            order: [["holderName", "up"]],
          },
          all: {
            all: [],
            order: [
              ["id", "up"],
              ["size", "up"],
            ],
          },
        },
      },
    )
    expect(tableStatements(dialect, listed, new Map()).slice(1)).toEqual([
      'CREATE INDEX IF NOT EXISTS f_listed_by_1 ON s.f_listed ("is_open", "holder_name")',
      "NOTE s.f_listed",
    ])
  })

  test("a slotted table has its slot for a key where the database has slots; one that was made without is refused", () => {
    const slotted = { ...kind, slotted: true, lists: {}, events: {}, keptUntil: undefined } as never as RowKind
    const slots: TableDialect = { ...dialect, slot: "slot BIGINT PRIMARY KEY" }
    const columns = '"id" text! NOT NULL, "holder_name" text, "size" integer! NOT NULL, "is_open" flag NOT NULL, "tags" json NOT NULL'
    expect(tableStatements(slots, slotted, new Map())[0]).toBe(
      `CREATE TABLE IF NOT EXISTS s.f_things (slot BIGINT PRIMARY KEY, ${columns}, UNIQUE ("size")) STRICT`,
    )
    for (const plain of [tableStatements(dialect, slotted, new Map()), tableStatements(slots, { ...slotted, slotted: false }, new Map())])
      expect(plain[0]).toBe(`CREATE TABLE IF NOT EXISTS s.f_things (${columns}, PRIMARY KEY ("id"), UNIQUE ("size")) STRICT`)
    const there = new Map(["id", "holder_name", "size", "is_open", "tags"].map((name) => [name, name !== "holder_name"]))
    expect(() => tableStatements(slots, slotted, there)).toThrow(
      new TypeError("table f_things: its rows have no slots; name another table, or describe them without"),
    )
    expect(tableStatements(slots, slotted, new Map([["slot", false], ...there]))).toEqual([])
    expect([tableStatements(dialect, slotted, there), tableStatements(slots, { ...slotted, slotted: false }, there)]).toEqual([[], []])
  })

  test("a table that is there gets the columns that may be absent; rows that would not fit are refused", () => {
    const there = (...names: ReadonlyArray<string>) => new Map(names.map((name) => [name, name !== "holder_name" && name !== "old"]))
    const all = ["id", "holder_name", "size", "is_open", "tags"]
    expect(tableStatements(dialect, kind, there(...all))).toEqual([])
    expect(tableStatements(dialect, kind, there("id", "size", "is_open", "tags"))).toEqual([
      'ALTER TABLE s.f_things ADD COLUMN IF NOT EXISTS "holder_name" text!',
    ])
    expect(tableStatements(dialect, kind, there(...all, "old")), "a column that may be NULL may be left").toEqual([])
    expect(() => tableStatements(dialect, kind, there("id", "holder_name", "is_open", "tags"))).toThrow(
      new TypeError("table f_things: its rows lack size; describe it as one that may be absent, or name another table"),
    )
    expect(() => tableStatements(dialect, kind, there(...all, "gone"))).toThrow(
      new TypeError("table f_things: its column gone is described no longer; name another table"),
    )
  })

  test("tables are made of kinds that core does not know", () => {
    expect(kindsOfFeatures([...rowKinds, kind])).toEqual([kind])
  })
})

describe("architecture law 13: a restored copy ends its rows as their kinds say", () => {
  const made = {
    dialect: {
      named: (table: string) => table,
      given: (name: string) => `:${name}`,
      insert: () => "",
      put: () => "",
      greatest: "max",
      position: "instr",
      unset: (member: string) => `${member} IS NULL`,
    } satisfies Dialect,
  }
  const spent = { ...things, name: "f_spent", restored: "removed" as const }
  const held = {
    ...things,
    name: "f_held",
    restored: { when: [["size", "above", 0]], change: [["size", "set", ":at"]] } as const,
  }
  const ended = (kept: Kept, kinds: ReadonlyArray<RowKind> = [...rowKinds, things, spent, held]) =>
    endings(() => made, kinds, kept).map(({ table, change }) => [table, change] as const)

  test("all that may have been used or revoked since ends, those of core whichever kinds are named; attempts, used values and messages stay", () => {
    const all = ended({ sessions: false, consents: false })
    expect(Object.fromEntries(all)).toEqual({
      grants: 'UPDATE grants AS t SET "revoked_at" = :at WHERE true AND revokedAt IS NULL',
      access_tokens: 'UPDATE access_tokens AS t SET "revoked_at" = :at WHERE true AND revokedAt IS NULL AND t."expires_at" > :at',
      sessions: 'UPDATE sessions AS t SET "ended_at" = :at WHERE true AND endedAt IS NULL',
      consents: "DELETE FROM consents AS t WHERE true AND true",
      codes: "DELETE FROM codes AS t WHERE true AND true",
      devices: "DELETE FROM devices AS t WHERE true AND true",
      interactions: "DELETE FROM interactions AS t WHERE true AND true",
      f_spent: "DELETE FROM f_spent AS t WHERE true AND true",
      f_held: 'UPDATE f_held AS t SET "size" = :at WHERE true AND t."size" > 0',
    })
    expect(ended({ sessions: false, consents: false }, [spent, held])).toEqual(all)
  })

  test("what an operator keeps stays; consents are kept with sessions too, and single-use rows never", () => {
    const left = (kept: Kept) =>
      ended(kept)
        .map(([table]) => table)
        .toSorted()
    const brief = ["codes", "devices", "f_spent", "interactions"]
    expect(left({ sessions: true, consents: false })).toEqual(brief)
    expect(left({ sessions: false, consents: true })).toEqual(["access_tokens", ...brief, "f_held", "grants", "sessions"].toSorted())
  })
})
