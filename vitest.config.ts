import { defineConfig } from "vitest/config"
import { filesOf } from "./test/tiers/list.ts"
import { tier } from "./test/tiers/tier.ts"

export default defineConfig({
  test: {
    include: [...filesOf(tier)],
    exclude: ["**/node_modules/**", "**/dist/**"],
    pool: "forks",
    // In the quick tier files share what they import, which takes half of their time. In the other tiers the same files run apart.
    isolate: tier !== "quick",
    // The tests start servers, databases and a browser of their own, and small machines have two cores. In the standard tier a third of the time is
    // spent waiting for them, so that a third worker keeps the cores busy; the full tier has tests that measure, which would notice it.
    maxWorkers: tier === "standard" ? 3 : 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    // What is waited for comes when the machine gets to it.
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
