import { rm } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Bundle, bundle } from "./bundle.ts"
import { expected } from "./expected.ts"
import { longest, runtimes } from "./runtimes.ts"

let made: Bundle

beforeAll(async () => {
  made = await bundle()
}, longest)

afterAll(() => rm(made.directory, { recursive: true, force: true }))

describe("runtimes", () => {
  test("architecture, framework-free: core, its signer and its stores in memory bundle into one file that imports nothing", () => {
    expect(made.imports).toEqual([])
    expect(made.inputs).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/core\/src\/provider\/provider\.ts$/),
        expect.stringMatching(/core\/src\/jose\/signer\.ts$/),
      ]),
    )
    expect(made.inputs.filter((file) => /^node:|platform-node|better-sqlite3/.test(file))).toEqual([])
  })

  for (const { name, agent, tell } of runtimes) {
    test(
      `architecture, framework-free: ${name} runs that file, and the flow comes to what it comes to everywhere, by each algorithm`,
      { timeout: longest },
      async () => {
        const { agent: said, ...told } = await tell(made)
        expect(said).toBe(agent)
        expect(told).toEqual(expected)
      },
    )
  }
})
