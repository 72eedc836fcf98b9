import { globSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The workspace. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

/** A part of the sources that is mutated together, and the tests that have to notice. */
export interface Area {
  readonly name: string
  /** Files and patterns of sources, from the workspace's root. Rule tables are left to the knock-out. */
  readonly sources: ReadonlyArray<string>
  /** Files and patterns of tests, those of the sources themselves first: a mutant that one of them notices costs the others nothing. */
  readonly tests: ReadonlyArray<string>
  /** Words of titles of tests that are left out: too dear to be repeated for each mutant, or not repeatable. */
  readonly without?: ReadonlyArray<string>
}

const cases = ["test/cases/*.test.ts"]

/** They count how often a property has met something, or let a million pass; one has a badge that works once. */
const dear = [
  "a value fits where the schema that is made of them takes it",
  "in no minute more pass than the limit allows one",
  "at a million a minute every one of a million is let through",
  "an hour without the store is not held against senders",
  "a badge is exchanged for an access token of whoever wears it, once",
]

/** Every area, by name. The tests of an area run in one process and are repeated for each mutant, so those that start servers are not among them. */
export const areas: ReadonlyArray<Area> = [
  {
    name: "wire",
    without: ["whatever the header says", "a server takes the fields from every request"],
    sources: ["packages/core/src/wire/*.ts"],
    tests: [
      "test/wire/*.test.ts",
      "test/properties/wire.test.ts",
      "test/http/certificates.test.ts",
      "test/core/pages.test.ts",
      ...cases,
      "test/core/fetch.test.ts",
      "test/core/hybrid.test.ts",
    ],
  },
  {
    name: "settle",
    without: dear,
    sources: ["packages/core/src/settle/*.ts"],
    tests: [
      "test/settle/*.test.ts",
      "test/core/guesses.test.ts",
      "test/core/guessReturned.test.ts",
      "test/core/remote.test.ts",
      "test/core/stage*.test.ts",
      "test/core/ways.test.ts",
      "test/core/upstream.test.ts",
      "test/core/outbox.test.ts",
      "test/core/boundTokens.test.ts",
      "test/core/protectedResources.test.ts",
      ...cases,
      "test/core/*.test.ts",
    ],
  },
  {
    name: "issuance",
    without: dear,
    sources: [
      "packages/core/src/issuance/*.ts",
      "packages/core/src/rules/tokens.ts",
      "packages/core/src/rules/claims.ts",
      "packages/core/src/rules/sector.ts",
      "packages/core/src/rules/session.ts",
      "packages/core/src/rules/pkce.ts",
    ],
    tests: [
      "test/core/issuance.test.ts",
      "test/core/tokens.test.ts",
      "test/core/extensionGrants.test.ts",
      "test/core/races.test.ts",
      ...cases,
      "test/core/*.test.ts",
    ],
  },
  {
    name: "jose",
    without: dear,
    sources: ["packages/core/src/jose/*.ts"],
    tests: ["test/signer/*.test.ts", "test/store/partitionedKeys.test.ts", ...cases, "test/core/*.test.ts"],
  },
  {
    name: "memory",
    without: dear,
    sources: ["packages/core/src/memory/*.ts"],
    tests: [
      "test/store/memoryRows.test.ts",
      "test/core/memoryAuthenticator.test.ts",
      "test/core/limiter.test.ts",
      "test/core/sharedLimiter.test.ts",
      "test/store/requestCounts.test.ts",
      "test/store/memory.test.ts",
      ...cases,
    ],
  },
  {
    name: "rows",
    // One process, in memory: a thread, a file or a server is not instrumented, or too dear.
    without: [
      "on a file",
      "with a writing thread",
      "signing key store contract",
      "tables of features on SQLite",
      "law 4: of two requests",
      "law 10: a provider",
      "a sweep by zones finds each row",
      "the store of slots answers as the one in memory",
      "an upgrade",
      "exist for every text",
    ],
    sources: ["packages/stores/src/rows/*.ts", "packages/adapter-sqlite/src/tokens/*.ts"],
    tests: [
      "test/stores/columns.test.ts",
      "test/stores/statements.test.ts",
      "test/stores/sqliteRows.test.ts",
      "test/store/slots.test.ts",
      "test/store/spent.test.ts",
      "test/store/spentElsewhere.test.ts",
      "test/store/recentAttempts.test.ts",
      "test/stores/sqliteTokens.test.ts",
      "test/store/sqlite.test.ts",
      "test/store/rowsOfFeatures.test.ts",
    ],
  },
  {
    name: "delivery",
    sources: [
      "packages/stores/src/destinations.ts",
      "packages/stores/src/delivering.ts",
      "packages/stores/src/exchanging.ts",
      "packages/stores/src/sweeping.ts",
      "packages/stores/src/secrets/turns.ts",
      "packages/stores/src/trails/batches.ts",
    ],
    tests: [
      "test/stores/destinations.test.ts",
      "test/stores/delivering.test.ts",
      "test/stores/background.test.ts",
      "test/store/exchanging.test.ts",
      "test/store/trails.test.ts",
      "test/store/turns.test.ts",
    ],
  },
  {
    name: "clients",
    // Thousands of texts made of chance; each rule of the estimate is shown by a few of its own.
    without: [
      "the longest that is accepted is estimated",
      "drawn by chance, ",
      "whatever its length",
      "made of ",
      "each that we make is strong",
    ],
    sources: [
      "packages/stores/src/declared.ts",
      "packages/stores/src/clients/*.ts",
      "packages/stores/src/secrets/{declaredSecrets,hashing,secretDigest}.ts",
      "packages/adapter-sqlite/src/clients/*.ts",
    ],
    tests: [
      "test/stores/clientRegistry.test.ts",
      "test/stores/hashing.test.ts",
      "test/store/unknownIds.test.ts",
      "test/store/turns.test.ts",
      "test/store/strength.test.ts",
    ],
  },
  {
    name: "people",
    sources: ["packages/stores/src/people/*.ts", "packages/adapter-sqlite/src/people/*.ts"],
    tests: ["test/stores/peopleIn.test.ts", "test/stores/tableAuthenticator.test.ts", "test/store/absentPeople.test.ts"],
  },
  {
    name: "audit",
    sources: [
      "packages/stores/src/{errors,ownSecrets}.ts",
      "packages/stores/src/audit/*.ts",
      "packages/stores/src/trails/trails.ts",
      "packages/adapter-sqlite/src/audit/*.ts",
      "packages/adapter-sqlite/src/trails/*.ts",
    ],
    tests: ["test/stores/auditTrails.test.ts"],
  },
]

/** The files that patterns name, each once, in their order. A pattern that names none has lost its file. */
export const filesOf = (patterns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = patterns.map((pattern) => globSync(pattern, { cwd: root }).toSorted())
  const lost = patterns.filter((_pattern, at) => found[at]?.length === 0)
  if (lost.length > 0) throw new Error(`test/mutants/areas.ts names files that are not there: ${lost.join(", ")}`)
  return [...new Set(found.flat())]
}

/** Names the folder in which a run keeps its files. */
export const workOf = (area: string): string => join(root, "node_modules", ".cache", "mutants", area)
