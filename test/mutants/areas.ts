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
  /** Files and patterns of tests, the cheapest first: a mutant that one of them notices costs the others nothing. */
  readonly tests: ReadonlyArray<string>
}

const cases = ["test/cases/*.test.ts"]

/** Every area, by name. The tests of an area run in one process and are repeated for each mutant, so those that start servers are not among them. */
export const areas: ReadonlyArray<Area> = [
  {
    name: "wire",
    sources: ["packages/core/src/wire/*.ts"],
    tests: ["test/wire/*.test.ts", "test/properties/wire.test.ts", ...cases, "test/core/fetch.test.ts", "test/core/hybrid.test.ts"],
  },
  {
    name: "settle",
    sources: ["packages/core/src/settle/*.ts"],
    tests: [...cases, "test/core/*.test.ts", "test/faults/core.test.ts"],
  },
  {
    name: "issuance",
    sources: [
      "packages/core/src/rules/{firstTokens,tokens,claims,sector,session,pkce}.ts",
      "packages/core/src/features/authorize/grant.ts",
      "packages/core/src/features/token/extensionAnswer.ts",
    ],
    tests: [...cases, "test/core/*.test.ts", "test/properties/{tokens,codes,proofs,tokenExchange}.test.ts"],
  },
  {
    name: "jose",
    sources: ["packages/core/src/jose/*.ts"],
    tests: [...cases, "test/signer/*.test.ts", "test/core/*.test.ts"],
  },
  {
    name: "memory",
    sources: ["packages/core/src/memory/*.ts"],
    tests: [...cases, "test/store/memory.test.ts", "test/store/requestCounts.test.ts", "test/core/*.test.ts"],
  },
  {
    name: "stores",
    sources: [
      "packages/stores/src/**/*.ts",
      "packages/adapter-sqlite/src/tokens/{commands,commit,devices,interactions,sweep,table,tables,tokenStore}.ts",
      "packages/adapter-sqlite/src/{clients,people,audit,trails}/*.ts",
    ],
    tests: ["test/store/{sqlite,clients,people,identities,audit,trails,turns,requestCounts,exchanging,near}.test.ts"],
  },
]

/** The files that patterns name, each once, in their order. */
export const filesOf = (patterns: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted())),
]

/** Where a run keeps what it made. */
export const workOf = (area: string): string => join(root, "node_modules", ".cache", "mutants", area)
