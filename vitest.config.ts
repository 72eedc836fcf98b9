import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    // Two workers: the tests start servers, databases and a browser of their own, and small machines have two cores.
    pool: "forks",
    maxWorkers: 2,
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
