import type { Listed } from "../equivalent.ts"

/** Mutants of the area memory that change nothing. */
export const memory: Listed = {
  "packages/core/src/memory/authenticator.ts": {
    "nobody is elsewhere who is not known: the check is there for the type alone": [["known !== undefined", "true"]],
  },
  "packages/core/src/memory/bucket.ts": {
    "at the border both are the same number": [["fullAt < now", "fullAt <= now"]],
  },
  "packages/core/src/memory/commands.ts": {
    "not reached: what takes nothing back has no list": [
      ["[]", '["Stryker was here"]', "for (const undo of [...(undos ?? [])].reverse()) undo()"],
    ],
    "rows that are assigned are there, and their guard is a list: the check is there for the type alone": [
      ['row !== undefined && guard !== "absent"', "true"],
      ['row !== undefined && guard !== "absent"', 'row !== undefined || guard !== "absent"'],
      ["row !== undefined", "true"],
      ['guard !== "absent"', "true"],
      [
        '"absent"',
        '""',
        'return row !== undefined && guard !== "absent" && meets(row, guard, given) ? rows.put(at, withChange(row, change, given)) : undefined',
      ],
    ],
    "a row below is looked up by its key, which a text has not": [
      ["[]", '["Stryker was here"]', "for (const row of below.get(at) ?? []) {"],
    ],
    "the loop asks only of rows that are there: the check is there for the type alone": [
      ["rows.get(at)?.[descent.from]", "rows.get(at)[descent.from]"],
    ],
    "in a circle the first row is changed once more, to the same": [["[key]", "[]", "const met = new Set([key])"]],
    "a value that is set is given, or unset is said": [
      ['how === "set"', "false"],
      ['"set"', '""'],
    ],
  },
  "packages/core/src/memory/limiter.ts": {
    "what is divided by nothing is no number, and keeps nobody waiting": [["perMinute === undefined", "false"]],
    "no sender has that name": [["[]", '["Stryker was here"]']],
    "no sender has no name: the check is there for the type alone": [["oldest !== undefined", "true"]],
  },
  "packages/core/src/memory/rows.ts": {
    "a key has a first member: the default is there for the type alone": [
      [
        '""',
        '"Stryker was here!"',
        'return others.length === 0 ? String(members[only ?? ""]) : JSON.stringify(kind.key.map((member) => members[member]))',
      ],
    ],
    "no row has that key": [
      [
        '""',
        '"Stryker was here!"',
        'for (const [member, keys] of secondary) if (members[member] !== undefined) return rows.get(keys.get(members[member]) ?? "")',
      ],
    ],
  },
  "packages/core/src/memory/sharedLimiter.ts": {
    "what is divided by nothing is no number, and keeps nobody waiting": [["perMinute === undefined", "false"]],
  },
  "packages/core/src/memory/tokenStore.ts": {
    "only tables whose rows come of a grant are found with it": [['""', '"Stryker was here!"']],
    "a grant without a name is not found": [['typeof id === "string"', "true"]],
  },
}
