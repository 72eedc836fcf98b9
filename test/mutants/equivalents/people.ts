import type { Listed } from "../equivalent.ts"

const forTheType = "the value is never missing: the check is there for the type alone"

/** Mutants of the area people that change nothing. */
export const people: Listed = {
  "packages/stores/src/people/authenticator.ts": {
    "nobody's password has the hash of the decoy": [["hashed !== undefined", "true"]],
    [forTheType]: [
      ["before === undefined", "false"],
      ["row === undefined", "false", "matches(row, password, asker)"],
      ['""', '"Stryker was here!"'],
    ],
    "of that row the hash alone is used": [['"command"', '""', "{ username, password }"]],
  },
  "packages/stores/src/people/declare.ts": {
    "the text undefined would be a subject and a tenant": [
      ["subject !== undefined", "true", '"a subject has'],
      ["tenant !== undefined", "true"],
    ],
    "a hash that is not kept is declared for nobody": [["passwordHash !== undefined", "true", "const stored"]],
    [forTheType]: [
      ["hash !== undefined", "true"],
      ["before?.subject", "before.subject", "const believed"],
      ['""', '"Stryker was here!"'],
      ["row.passwordHash !== undefined", "true"],
    ],
  },
  "packages/stores/src/people/users.ts": {
    "there is no end of usernames": [['throw new Error("there is no end of usernames")', ";"]],
  },
  "packages/adapter-sqlite/src/people/identities.ts": {
    [forTheType]: [["row !== undefined", "true"]],
    "the link that was just made says the same": [["link !== undefined", "true"]],
  },
}
