import type { Listed } from "../equivalent.ts"

const forTheType = "the value is never missing: the check is there for the type alone"

/** Mutants of the area clients that change nothing. */
export const clients: Listed = {
  "packages/stores/src/declared.ts": {
    "a slice beyond the end is empty": [["at < all.length", "at <= all.length"]],
  },
  "packages/stores/src/clients/clientSecrets.ts": {
    "nobody's secret has the hash of the decoy": [["kept !== hashing.decoy", "true"]],
    [forTheType]: [["kept !== undefined", "true"]],
  },
  "packages/stores/src/clients/declare.ts": {
    "the same digest is made again": [["isDigestOf(hashed, clientId, secret)", "false"]],
    [forTheType]: [["before?.secretSealed", "before.secretSealed", "const kept"]],
  },
  "packages/stores/src/clients/sealedSecrets.ts": {
    "without a key it cannot be opened either, and that is told the same": [
      ["encryption === undefined", "false", "SEALED"],
      ['throw new StoreUnavailable("open a client\'s secret", "SEALED")', ";"],
    ],
  },
}
