import { existsSync, renameSync, writeFileSync } from "node:fs"
import { StoreUnavailable } from "@postern/adapter-sqlite"
import { type Command, saveAccessToken } from "@postern/core/model"
import { sampleAccessToken, sampleLocator } from "@postern/core/testing"
import { expect, test, vi } from "vitest"
import { stayingFile } from "../../packages/adapter-sqlite/src/database/files.ts"
import { emptyPath, temporaryDatabase, temporaryPath, temporaryStores } from "./support.ts"

const save = (order: number): Command => saveAccessToken(sampleAccessToken(order))
const codeOf = async (work: unknown): Promise<unknown> =>
  Promise.resolve(work).catch((error: unknown) => (error instanceof StoreUnavailable ? error.code : error))

/** Longer than it takes on a busy machine. */
const soon = { timeout: 20_000 }

const companions = ["", "-wal", "-shm"]
const moveAll = (from: string, to: string): void => {
  for (const suffix of companions) if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix)
}

test.each([
  ["removed", () => undefined],
  ["replaced by another database", (path: string) => void temporaryDatabase(path)],
  ["replaced by a folder's worth of rubbish", (path: string) => writeFileSync(path, "rubbish")],
])(
  "R6: nothing is acknowledged that would be lost with a file that was %s under a running server; no empty one is made, and it heals",
  { timeout: 60_000 },
  async (_, replace) => {
    const path = emptyPath()
    const stores = temporaryStores(path, { thread: true })
    const { tokens } = stores
    expect(await tokens.commit([save(1)])).toBe("Committed")
    const aside = temporaryPath()
    moveAll(path, aside)
    replace(path)
    // Until the place of the file is looked at again, a tenth of a second at most, what is saved goes into the file that moved: row 4 may be in it.
    await vi.waitFor(async () => expect(await codeOf(tokens.commit([save(4)]))).toBe("REPLACED"), soon)
    expect(await codeOf(tokens.commit([save(2)]))).toBe("REPLACED")
    expect(stores.failing()).toMatchObject({ code: "REPLACED", uncertain: false })
    expect(await codeOf(stores.sweep())).toBe("REPLACED")
    expect(await tokens.findAccessToken(sampleLocator(1))).toBeDefined()
    expect(await tokens.findAccessToken(sampleLocator(2))).toBeUndefined()
    moveAll(path, temporaryPath())
    expect(existsSync(path)).toBe(false)
    moveAll(aside, path)
    await vi.waitFor(async () => expect(await codeOf(tokens.commit([save(3)]))).toBe("Committed"), soon)
    expect(stores.failing()).toBeUndefined()
  },
)

test("the place of a file is looked at ten times a second at most, and a path without a file is none that could go", () => {
  let at = 0
  const path = emptyPath()
  const stays = stayingFile(path, () => at)
  renameSync(path, `${path}.aside`)
  expect(stays()).toBe(true)
  at = 100
  expect(stays()).toBe(false)
  renameSync(`${path}.aside`, path)
  expect(stays()).toBe(false)
  at = 200
  expect(stays()).toBe(true)
  const nowhere = stayingFile("", () => at)
  at = 300
  expect(nowhere()).toBe(true)
})
