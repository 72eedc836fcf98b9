import type { Listed } from "../equivalent.ts"

/** Mutants of the area audit that change nothing. */
export const audit: Listed = {
  "packages/adapter-sqlite/src/trails/rows.ts": {
    "a maximum answers one row": [["last === undefined", "false"]],
  },
}
