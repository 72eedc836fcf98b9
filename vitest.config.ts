import { defineConfig } from "vitest/config"
import { filesOf, wayOf } from "./test/tiers/list.ts"
import { diskFolder } from "./test/tiers/memoryFolder.ts"
import { LongestFirst } from "./test/tiers/longestFirst.ts"
import { nodePool } from "./test/tiers/nodePool.ts"
import { tier } from "./test/tiers/tier.ts"

const files = Map.groupBy(filesOf(tier), wayOf)

/** The project of one way to run files. */
const project = (
  name: ReturnType<typeof wayOf>,
  more: {
    readonly isolate?: boolean
    readonly pool?: "forks"
    readonly experimental?: { readonly viteModuleRunner: boolean }
    readonly env?: Readonly<Record<string, string>>
    readonly maxWorkers?: number
    readonly sequence?: { readonly groupOrder: number }
  } = {},
) => ({ extends: true, test: { name, include: files.get(name) ?? [], ...more } }) as const

export default defineConfig({
  test: {
    projects: [
      project("alone"),
      project("jsx", { pool: "forks", experimental: { viteModuleRunner: true } }),
      // Workers take these files as they come, so that none can rely on another.
      project("core", { isolate: false }),
      project("shared", { isolate: false }),
      ...(files.has("measuring")
        ? [project("measuring", { maxWorkers: 2, sequence: { groupOrder: 1 }, env: { TMPDIR: diskFolder() } })]
        : []),
    ].filter(({ test: { include } }) => include.length > 0),
    sequence: { sequencer: LongestFirst },
    exclude: ["**/node_modules/**", "**/dist/**"],
    // Node loads the modules: it strips their types, keeps them compiled, and binds imports directly.
    pool: nodePool,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The tests start servers, databases and a browser of their own, and small machines have two cores. A worker waits for them for more than half of its
    // time, so that four keep the cores busy; those that measure would notice it.
    maxWorkers: tier === "quick" ? 2 : 4,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    // A poll waits as long as a busy machine needs.
    expect: { poll: { timeout: 10_000 } },
    // A failing test shows what it printed; a passing one stays quiet.
    silent: "passed-only",
    // In CI a forgotten `.only` fails the run instead of hiding the rest.
    allowOnly: !process.env["CI"],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
})
