import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqliteStores } from "@postern/adapter-sqlite"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { posternLine as postern } from "./lines.ts"
import { folder, patience } from "./run.ts"

vi.setConfig({ testTimeout: 2 * patience })

/** Fills the disk, but for some bytes. */
const fill = (disk: string, but = 0): void => {
  const file = join(disk, "fill")
  rmSync(file, { force: true })
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(file, Buffer.alloc(bavail * bsize))
  truncateSync(file, bavail * bsize - but)
}

describe.skipIf(process.getuid?.() !== 0)(
  "R4: commands on a disk that is full say so, where it is and what to do, and leave nothing half written",
  () => {
    const disk = mkdtempSync(join(tmpdir(), "postern-full-"))
    const here = folder({ issuer: "https://id.example.com" })
    beforeAll(async () => {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk])
      await sqliteStores(join(disk, "postern.sqlite")).close()
    })
    afterAll(() => {
      execFileSync("umount", ["-l", disk])
      rmSync(disk, { recursive: true })
      here.remove()
    })
    const rotate = () => postern(["keys", "rotate", "--data", disk], here)

    it("a database with space to be opened, and none to be written", async () => {
      fill(disk, 45_056)
      const { code, err } = await rotate()
      expect([code, err]).toEqual([
        1,
        `postern: the store cannot add signing keys now (SQLITE_FULL)\n  nothing was changed: the disk of ${disk}/postern.sqlite is full; free some space and try again\n`,
      ])
    })

    it("a database without space to be opened", async () => {
      fill(disk)
      const { code, err } = await rotate()
      expect([code, err]).toEqual([1, expect.stringContaining(`${disk}/postern.sqlite: its disk is full or fails; free some space`)])
    })

    it("a new configuration: no empty file is left, which a second init would take for one", async () => {
      fill(disk)
      const before = readdirSync(disk)
      for (const more of [[], ["--force"]]) {
        const { code, err } = await postern(["init", join(disk, "new.jsonc"), "--yes", ...more], here)
        expect([code, err]).toEqual([
          1,
          expect.stringMatching(/new\.jsonc cannot be written: ENOSPC\n {2}its disk is full: free some space/),
        ])
      }
      expect(readdirSync(disk)).toEqual(before)
    })
  },
)
