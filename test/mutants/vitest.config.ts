import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { areas, filesOf, root } from "./areas.ts"
import type { Instrumented } from "./instrument.ts"

// The tests of one area over its instrumented sources, in one process. `main.ts` names the area and the shard.
const work = process.env["POSTERN_MUTANTS"] ?? ""
const { sources } = JSON.parse(readFileSync(join(work, "instrumented.json"), "utf8")) as Instrumented
const area = areas.find(({ name }) => name === process.env["POSTERN_MUTANTS_AREA"])
const tests = filesOf(area?.tests ?? [])
const without = area?.without ?? []
const orderOf = (path: string): number => tests.findIndex((test) => join(root, test) === path)
const itself = createRequire(import.meta.url)
  .resolve("fast-check")
  .replace("/cjs/", "/")

export default defineConfig({
  root,
  plugins: [
    {
      name: "mutants",
      enforce: "pre",
      load: (id: string) => sources[id],
    },
  ],
  resolve: {
    alias: [
      { find: /^fast-check$/, replacement: join(root, "test/mutants/fastCheck.ts") },
      { find: /^fast-check-itself$/, replacement: itself },
    ],
  },
  test: {
    include: [...tests],
    ...(without.length > 0 && { testNamePattern: new RegExp(`^(?!.*(?:${without.join("|")}))`) }),
    runner: join(root, "test/mutants/runner.ts"),
    pool: "forks",
    isolate: false,
    // Sources differ from run to run under one name.
    fsModuleCache: false,
    maxWorkers: 1,
    fileParallelism: false,
    // One test may stand for a thousand runs of it.
    testTimeout: 0,
    hookTimeout: 30_000,
    silent: true,
    reporters: ["dot"],
    dangerouslyIgnoreUnhandledErrors: true,
    sequence: {
      sequencer: class {
        shard = <A>(files: A): A => files
        sort = <A extends { readonly moduleId: string }>(files: Array<A>): Array<A> =>
          files.toSorted((one, other) => orderOf(one.moduleId) - orderOf(other.moduleId))
      },
    },
  },
})
