import { type Equivalent, equivalentIn } from "../equivalent.ts"

/** Mutants of the area memory that change nothing. */
export const memory: ReadonlyArray<Equivalent> = [
  ...equivalentIn("packages/core/src/memory/authenticator.ts", [
    {
      original: "known !== undefined",
      replacement: "true",
      because: "nobody is elsewhere who is not known: the check is there for the type alone",
    },
  ]),
  ...equivalentIn("packages/core/src/memory/bucket.ts", [
    { original: "fullAt < now", replacement: "fullAt <= now", because: "at the border both are the same number" },
  ]),
  ...equivalentIn("packages/core/src/memory/commands.ts", [
    {
      on: "for (const undo of [...(undos ?? [])].reverse()) undo()",
      original: "[]",
      replacement: '["Stryker was here"]',
      because: "not reached: what takes nothing back has no list",
    },
    {
      original: 'row !== undefined && guard !== "absent"',
      replacement: "true",
      because: "rows that are assigned are there, and their guard is a list: the check is there for the type alone",
    },
    {
      original: 'row !== undefined && guard !== "absent"',
      replacement: 'row !== undefined || guard !== "absent"',
      because: "rows that are assigned are there, and their guard is a list: the check is there for the type alone",
    },
    {
      original: "row !== undefined",
      replacement: "true",
      because: "rows that are assigned are there, and their guard is a list: the check is there for the type alone",
    },
    {
      original: 'guard !== "absent"',
      replacement: "true",
      because: "rows that are assigned are there, and their guard is a list: the check is there for the type alone",
    },
    {
      on: 'return row !== undefined && guard !== "absent" && meets(row, guard, given) ? rows.put(at, withChange(row, change, given)) : undefined',
      original: '"absent"',
      replacement: '""',
      because: "rows that are assigned are there, and their guard is a list: the check is there for the type alone",
    },
    {
      on: "for (const row of below.get(at) ?? []) {",
      original: "[]",
      replacement: '["Stryker was here"]',
      because: "a row below is looked up by its key, which a text has not",
    },
    {
      original: "rows.get(at)?.[descent.from]",
      replacement: "rows.get(at)[descent.from]",
      because: "the loop asks only of rows that are there: the check is there for the type alone",
    },
    {
      on: "const met = new Set([key])",
      original: "[key]",
      replacement: "[]",
      because: "in a circle the first row is changed once more, to the same",
    },
    { original: 'how === "set"', replacement: "false", because: "a value that is set is given, or unset is said" },
    { original: '"set"', replacement: '""', because: "a value that is set is given, or unset is said" },
  ]),
  ...equivalentIn("packages/core/src/memory/limiter.ts", [
    {
      original: "perMinute === undefined",
      replacement: "false",
      because: "what is divided by nothing is no number, and keeps nobody waiting",
    },
    { original: "[]", replacement: '["Stryker was here"]', because: "no sender has that name" },
    { original: "oldest !== undefined", replacement: "true", because: "no sender has no name: the check is there for the type alone" },
  ]),
  ...equivalentIn("packages/core/src/memory/rows.ts", [
    {
      on: 'return others.length === 0 ? String(members[only ?? ""]) : JSON.stringify(kind.key.map((member) => members[member]))',
      original: '""',
      replacement: '"Stryker was here!"',
      because: "a key has a first member: the default is there for the type alone",
    },
    {
      on: 'for (const [member, keys] of secondary) if (members[member] !== undefined) return rows.get(keys.get(members[member]) ?? "")',
      original: '""',
      replacement: '"Stryker was here!"',
      because: "no row has that key",
    },
  ]),
  ...equivalentIn("packages/core/src/memory/sharedLimiter.ts", [
    {
      original: "perMinute === undefined",
      replacement: "false",
      because: "what is divided by nothing is no number, and keeps nobody waiting",
    },
  ]),
  ...equivalentIn("packages/core/src/memory/tokenStore.ts", [
    { original: '""', replacement: '"Stryker was here!"', because: "only tables whose rows come of a grant are found with it" },
    { original: 'typeof id === "string"', replacement: "true", because: "a grant without a name is not found" },
    { original: "a < Number(b)", replacement: "a <= Number(b)", because: "equal ones were passed over" },
    { original: "String(a) < String(b)", replacement: "String(a) <= String(b)", because: "equal ones were passed over" },
  ]),
]
