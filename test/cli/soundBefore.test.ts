import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { soundConfig } from "../../packages/cli/src/config/check.ts"
import { type SoundBefore, soundBeforeIn } from "../../packages/cli/src/config/soundBefore.ts"
import { command } from "../support/server.ts"
import { client, sound, world } from "./config.ts"

let home: string
beforeEach(() => (home = mkdtempSync(join(tmpdir(), "postern-sound-"))))
afterEach(() => rmSync(home, { recursive: true, force: true }))

const code = "serve-ABCD2345.js"

const clientsOf = (count: number, more: object = {}): ReadonlyArray<object> =>
  Array.from({ length: count }, (_, at) => client({ client_id: `client-${at}`, ...more }))

/** The text of a configuration that declares clients. */
const textOf = (clients: ReadonlyArray<object>, more: object = {}): string => JSON.stringify(sound({ clients, ...more }))

/** A memory that says of each text whether it had it, and what it was given to keep. */
const memory = (...known: ReadonlyArray<string>) => {
  const kept: Array<string> = []
  return { before: { has: (text) => known.includes(text), keep: (text) => kept.push(text) } satisfies SoundBefore, kept }
}

const read = (text: string, { before }: { readonly before: SoundBefore }, around = world()) =>
  soundConfig("postern.json", text, around, before)

describe("a file of many clients that was found sound", () => {
  it("is known again by its text, to the same code alone", () => {
    soundBeforeIn(home, code)?.keep("a")
    expect(soundBeforeIn(home, code)?.has("a")).toBe(true)
    expect([soundBeforeIn(home, code)?.has("b"), soundBeforeIn(home, "serve-ABCD2346.js")?.has("a")]).toEqual([false, false])
  })

  it("is not remembered without a place of one's own, nor by code that its name does not tell", () => {
    for (const [own, place] of [
      [code, undefined],
      ["soundBefore.ts", home],
      ["main.js", home],
    ] as const)
      expect(soundBeforeIn(place, own)).toBeUndefined()
  })

  it("is remembered among the last twenty, and nothing else of the place is touched", () => {
    writeFileSync(join(home, "other"), "")
    for (let at = 0; at < 25; at++) {
      const before = readdirSync(home)
      soundBeforeIn(home, code)?.keep(`text ${at}`)
      for (const name of readdirSync(home).filter((each) => !before.includes(each))) utimesSync(join(home, name), at, at)
    }
    expect(readdirSync(home)).toHaveLength(21)
    expect(["text 0", "text 4", "text 5", "text 24"].map((text) => soundBeforeIn(home, code)?.has(text))).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(readdirSync(home)).toContain("other")
  })

  it("starts all the same where nothing can be written", () => {
    const before = soundBeforeIn(join(home, "none"), code)
    before?.keep("a")
    expect(before?.has("a")).toBe(false)
  })

  it("is kept once it is sound, and is read as before", () => {
    const text = textOf(clientsOf(100))
    const [first, second] = [memory(), memory(text)]
    expect(read(text, first)).toEqual(JSON.parse(text))
    expect(first.kept).toEqual([text])
    expect(read(text, second)).toEqual(JSON.parse(text))
    expect(second.kept).toEqual([])
  })

  it("has its clients judged once: they depend on the file alone", () => {
    const faulty = textOf(clientsOf(100, { scope: "unknown" }))
    expect(read(faulty, memory())).toBeUndefined()
    expect(read(faulty, memory(faulty))?.clients).toHaveLength(100)
  })

  it("has everything else judged at every start: other files change", () => {
    const text = textOf(clientsOf(100), { pairwise_salt: { env: "SALT" } })
    expect(read(text, memory(text))).toBeUndefined()
    expect(read(text, memory(text), world({ env: { SALT: "s".repeat(32) } }))?.clients).toHaveLength(100)
  })

  it.each([
    ["few clients", clientsOf(99), {}],
    ["a client whose secret lies elsewhere", [...clientsOf(100), client({ client_secret: { env: "SECRET" } })], {}],
    ["a fault", clientsOf(100, { scope: "unknown" }), {}],
  ])("is not kept with %s", (_, clients, more) => {
    const first = memory()
    void read(textOf(clients, more), first, world({ env: { SECRET: "s3cret" } }))
    expect(first.kept).toEqual([])
  })

  it("is kept by the command, beside its compiled code", () => {
    const config = join(home, "postern.json")
    writeFileSync(config, JSON.stringify({ ...JSON.parse(textOf(clientsOf(100))), data: join(home, "data") }))
    const { NODE_COMPILE_CACHE: _, CACHE_DIRECTORY: __, XDG_CACHE_HOME: ___, ...others } = process.env
    const list = () =>
      spawnSync(process.execPath, [command, "keys", "list", "--config", config], { env: { ...others, HOME: home }, encoding: "utf8" })
    const [one, two] = [list(), list()]
    // Both have read the file, and find no database yet.
    expect([one.stderr, two.stderr]).toEqual([expect.stringContaining("there is no database"), one.stderr])
    const kept = readdirSync(join(home, ".cache", "postern"), { recursive: true }).filter((name) => String(name).includes("sound-"))
    expect(kept).toHaveLength(1)
  })
})
