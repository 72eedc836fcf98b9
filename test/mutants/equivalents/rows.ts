import type { Listed } from "../equivalent.ts"

const forTheType = "the value is never missing: the check is there for the type alone"

/** Mutants of the area rows that change nothing. */
export const rows: Listed = {
  "packages/stores/src/rows/column.ts": {
    [forTheType]: [
      ["at < entries.length", "at <= entries.length"],
      ["entry !== undefined", "true"],
    ],
  },
  "packages/stores/src/rows/events.ts": {
    "no column has that name": [["[]", '["Stryker was here"]', "descent?.[where]"]],
    "an event has a way": [["way?.change", "way.change"]],
  },
  "packages/stores/src/rows/statements.ts": {
    "an event has a way": [
      ["way?.change", "way.change", '"nothing"'],
      ["way?.change", "way.change", '"remove"'],
      ["ways[0] !== undefined", "true"],
      ["only !== undefined", "true"],
    ],
  },
  "packages/stores/src/rows/tables.ts": {
    "a table has the slot's name for a column only where rows of it are slotted": [["kind.slotted === true", "true", "const slotName"]],
  },
  "packages/stores/src/rows/binding.ts": {
    "a statement without values of a command asks for the row, in its order": [
      ["true", "false", "let isRow"],
      ["isRow", "false"],
    ],
    "whoever is sought by a slot is sought by their key too, which is asked for": [["false", "true", "isRow = false"]],
  },
  "packages/adapter-sqlite/src/tokens/commands.ts": {
    [forTheType]: [
      ["kind.descent === undefined", "false"],
      ['kind.key[0] ?? ""', 'kind.key[0] && ""'],
      ['""', '"Stryker was here!"', "const [key, from]"],
    ],
    "only a way that replaces the row asks for that, and such a way goes on nowhere": [["false", "true", "setsOf("]],
    "an event that assigns changes rows": [
      ['"look" in compiled', "false"],
      ['"look"', '""'],
      ['throw new Error("an event that assigns changes rows")', ";"],
    ],
    "some of the ways insert and some do not, or none of the ways that do not insert are some of them": [
      ['when === "absent"', 'when !== "absent"'],
    ],
    "no row has a key that is NULL": [['typeof parent === "string"', "true"]],
  },
  "packages/adapter-sqlite/src/tokens/commit.ts": {
    "every code of SQLite begins so": [
      ["/^SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG|RANGE|ERROR)/", "/SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG|RANGE|ERROR)/"],
    ],
    "the end of the transaction ends every savepoint": [["release.run()", ";"]],
    [forTheType]: [
      ["code === undefined", "false"],
      ['"Conflict"', '""', 'result ?? "Conflict"'],
    ],
  },
  "packages/adapter-sqlite/src/tokens/reads.ts": {
    [forTheType]: [['""', '"Stryker was here!"']],
    "a key of one member is followed by none": [["others.length === 0", "false"]],
    "a row that names no grant has undefined for its id": [['typeof id === "string"', "true"]],
  },
  "packages/adapter-sqlite/src/tokens/sweep.ts": {
    "slots and locators have one order; only the plan of the statements is another": [
      ["slotted === true", "false"],
      ["true", "false", "slotted === true"],
    ],
  },
  "packages/adapter-sqlite/src/tokens/table.ts": {
    "no row has that locator": [['""', '"Stryker was here!"', 'locator = ""']],
  },
  "packages/adapter-sqlite/src/tokens/tokenStore.ts": {
    "no grant has undefined for its id": [["id === undefined", "false", "const grant"]],
  },
  "packages/adapter-sqlite/src/tokens/zones.ts": {
    "a count and a maximum answer one row": [
      ["[0, null]", "[]", "let [rows, first]"],
      ["[0, null]", "[]", ";[rows, first]"],
      ["upTo === undefined", "false"],
    ],
  },
}
