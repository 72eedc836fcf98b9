import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { backUp, restore } from "@postern/adapter-sqlite"
import { emptyPath } from "./support.ts"

const files = join(import.meta.dirname, "../../packages/adapter-sqlite/src/copies")

/** Programs that exit in the middle of a copy, as a command does at Ctrl-C. */
const programs = (path: string) => ({
  backup: `const { backUp } = await import(${JSON.stringify(join(files, "backup.ts"))})
    await backUp(${JSON.stringify(path)}, ${JSON.stringify(join(dirname(path), "copy.backup"))}, { progress: () => process.exit(130) })`,
  restore: `const { restore } = await import(${JSON.stringify(join(files, "restore.ts"))})
    await restore(${JSON.stringify(path)}, ${JSON.stringify(join(dirname(path), "other.db"))}, { also: () => process.exit(130) })`,
})

test.each(["backup", "restore"] as const)(
  "a %s that is interrupted leaves no draft, which would have the secrets of the database",
  async (name) => {
    const path = emptyPath()
    writeFileSync(join(dirname(path), "other"), "")
    const before = readdirSync(dirname(path))
    const child = spawn(process.execPath, ["--input-type=module", "-e", programs(path)[name]], { stdio: ["ignore", "ignore", "inherit"] })
    const [code] = (await once(child, "exit")) as [number]
    // SQLite's own files of an open database stay when a process exits.
    const left = readdirSync(dirname(path)).filter((file) => !/-(?:wal|shm)$/.test(file))
    expect([code, left]).toEqual([130, before])
  },
)

test("a backup or a restore to a place below a file is refused by name", async () => {
  const path = emptyPath()
  const below = join(path, "postern.db")
  await expect(restore(path, below)).rejects.toMatchObject({
    name: "DatabaseRefused",
    message: `${below}: nothing was restored; check that its folder can be written to (EEXIST)`,
  })
  await expect(backUp(path, below)).rejects.toMatchObject({ name: "DatabaseRefused", message: expect.stringMatching(/ENOTDIR/) as unknown })
})
