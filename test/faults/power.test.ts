import { expect, test } from "vitest"
import { Disk, type Stroke, strokeReader } from "./disk.ts"
import { power } from "./power.ts"
import { Skipped } from "./row.ts"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { full } from "../tiers/tier.ts"

const write = (began: number, ended: number, at: number, text: string): Stroke => ({
  file: "f",
  began,
  ended,
  what: { _tag: "Write", at, bytes: Buffer.from(text) },
})
const sync = (began: number, ended: number): Stroke => ({ file: "f", began, ended, what: { _tag: "Sync" } })

/** Builds the remainder of a cut: nothing that was not synced (0), or all of it (1). */
const left = (strokes: ReadonlyArray<Stroke>, moment: number, share: 0 | 1): string => {
  const folder = mkdtempSync(join(tmpdir(), "postern-disk-"))
  const disk = new Disk(new Map([["f", Buffer.from("....")]]), strokes)
  disk.until(moment)
  let drawn = 0
  // The first draw is the share, the rest are the sectors.
  disk.cut(moment, folder, () => (drawn++ === 0 ? (share === 0 ? 0 : 0.99) : 0.5))
  const text = readFileSync(join(folder, "f"), "utf8")
  rmSync(folder, { recursive: true })
  return text
}

test("a disk keeps what a finished sync covers: writes that had ended before it began", () => {
  const strokes = [write(10, 11, 0, "A"), sync(12, 15), write(13, 14, 1, "B"), write(20, 25, 2, "C")]
  expect(left(strokes, 12, 0)).toBe("....")
  expect(left(strokes, 12, 1)).toBe("A...")
  expect(left(strokes, 15, 0)).toBe("A...")
  expect(left(strokes, 15, 1)).toBe("AB..")
  expect(left(strokes, 22, 1)).toBe("ABC.")
  expect(left([...strokes, sync(26, 30)], 30, 0)).toBe("ABC.")
})

test("a trace is read with its bytes, and calls that others interrupted are put together", () => {
  const hex = (text: string): string => [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")
  const reader = strokeReader((path) => path === "/d/f")
  reader.take(`7 100.000001 pwrite64(3<${hex("/d/f")}>, "${hex("a\0")}", 2, 4096 <unfinished ...>`)
  reader.take(`8 100.000002 fsync(4<${hex("/d/other")}>) = 0 <0.000001>`)
  reader.take("7 100.000005 <... pwrite64 resumed>) = 2 <0.000004>")
  reader.take(`7 100.000006 fdatasync(3<${hex("/d/f")}>) = 0 <0.000010>`)
  reader.take(`7 100.000020 ftruncate(3<${hex("/d/f")}>, 512) = 0 <0.000001>`)
  expect(reader.strokes).toEqual([
    { file: "f", began: 100_000_001, ended: 100_000_005, what: { _tag: "Write", at: 4096, bytes: Buffer.from("a\0") } },
    { file: "f", began: 100_000_006, ended: 100_000_016, what: { _tag: "Sync" } },
    { file: "f", began: 100_000_020, ended: 100_000_021, what: { _tag: "Truncate", size: 512 } },
  ])
})

test.runIf(full)(
  "power cuts lose nothing that was acknowledged, and leave nothing half done; without syncs they would (R2)",
  async ({ skip }) => {
    const row = await power({ times: 12, seed: 17, say: () => undefined }, 4, 80).catch((error: unknown) => {
      if (error instanceof Skipped) return skip(error.message)
      throw error
    })
    expect(row.problems).toEqual([])
    expect(row.lost).toBe(0)
  },
  180_000,
)
