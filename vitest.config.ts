import { defineConfig } from "vitest/config"
import { filesOf, tierOf } from "./test/tiers/list.ts"
import { tier } from "./test/tiers/tier.ts"

export default defineConfig({
  test: {
    // Files of the quick tier share what they import, which is half of their time; workers take them as they come, so that none can rely on another. All others
    // run apart.
    projects: [
      { extends: true, test: { name: "core", include: [...filesOf("quick")], isolate: false } },
      {
        extends: true,
        test: { name: "all", include: filesOf(tier).filter((file) => !["quick", "full"].includes(tierOf(file) ?? "standard")) },
      },
      // Those that measure come after all others, with a core for each worker.
      ...(tier === "full"
        ? [
            {
              extends: true as const,
              test: {
                name: "full",
                include: filesOf(tier).filter((file) => tierOf(file) === "full"),
                maxWorkers: 2,
                sequence: { groupOrder: 1 },
              },
            },
          ]
        : []),
    ],
    exclude: ["**/node_modules/**", "**/dist/**"],
    pool: "forks",
    // The tests start servers, databases and a browser of their own, and small machines have two cores. A third of the time is spent waiting for them,
    // so that a third worker keeps the cores busy; those of the full tier measure, and would notice it.
    maxWorkers: tier === "quick" ? 2 : 3,
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
