import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type TokenStorePort, rowKinds } from "@postern/core"
import { tokenStoreContract } from "@postern/core/testing"
import { afterAll, describe, expect, test } from "vitest"
import { fileStore } from "../../examples/fileStore.ts"

const home = mkdtempSync(join(tmpdir(), "postern-file-store-"))
afterAll(() => rmSync(home, { recursive: true }))
let files = 0
const opened = () => fileStore(join(home, `${files++}.json`), rowKinds)

describe("examples/fileStore.ts, the store of an afternoon, keeps the contract", () => {
  for (const { name, run } of tokenStoreContract)
    test(name, () =>
      run(async () => {
        const store = opened()
        return { store, sweep: store.sweep }
      }),
    )
})

/** Faults that a store may have, and the words by which the contract tells them, after the title of the case. */
const faults: ReadonlyArray<readonly [string, (store: TokenStorePort) => Partial<TokenStorePort>, RegExp]> = [
  [
    "answers Committed to everything",
    ({ commit }) => ({
      commit: async (commands) => {
        await commit(commands)
        return "Committed" as const
      },
    }),
    /takes no \w+ \(architecture law 13\): the result: expected "Conflict", got "Committed"/,
  ],
  [
    "answers null for no row",
    ({ findCode }) => ({ findCode: async (code) => (await findCode(code)) ?? (null as never) }),
    /expected undefined, got null/,
  ],
  ["drops the last command", ({ commit }) => ({ commit: (all) => commit(all.slice(0, -1)) }), /expected .+, got /],
]

describe("the contract tells the fault of a store", () => {
  test.each(faults)("that %s", async (_, spoiled, words) => {
    const told: Array<string> = []
    for (const { name, run } of tokenStoreContract) {
      const store = opened()
      const wrong = { ...store, ...spoiled(store) }
      await run(async () => ({ store: wrong, sweep: store.sweep })).catch((error: Error) => told.push(`${name}: ${error.message}`))
      if (words.test(told.at(-1) ?? "")) return
    }
    expect(told).toEqual([expect.stringMatching(words)])
  })
})

describe("a file of rows", () => {
  test("has every table after a commit", async () => {
    const file = join(home, `${files++}.json`)
    expect(() => readFileSync(file)).toThrow("ENOENT")
    expect(fileStore(file).commit([])).toBe("Committed")
    expect(Object.keys(JSON.parse(readFileSync(file, "utf8")) as object)).toEqual(rowKinds.map(({ name }) => name))
  })
})
