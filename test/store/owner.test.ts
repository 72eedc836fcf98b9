import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { backUp, restore, sqliteStores } from "@postern/adapter-sqlite"
import { describe, expect, it, onTestFinished } from "vitest"

/** The user and the group of the service. */
const [uid, gid] = [65_534, 65_534]

/** A folder of the service, as `install -d -o postern` makes it. */
const place = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "postern-owner-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chownSync(folder, uid, gid)
  return folder
}

const ownerOf = (path: string): ReadonlyArray<number> => {
  const { uid, gid, mode } = statSync(path)
  return [uid, gid, mode & 0o777]
}

describe.skipIf(process.getuid?.() !== 0)("what root makes for the provider is the provider's, who could not open it otherwise:", () => {
  it("a new database, with its folders", async () => {
    const folder = place()
    const stores = sqliteStores(join(folder, "srv", "data", "postern.sqlite"))
    await stores.people.add({ username: "alice", subject: undefined, tenant: undefined, claims: {}, password: "correct horse battery" })
    expect([ownerOf(join(folder, "srv")), ownerOf(join(folder, "srv", "data"))]).toEqual([
      [uid, gid, 0o700],
      [uid, gid, 0o700],
    ])
    for (const suffix of ["", "-wal", "-shm"])
      expect(ownerOf(join(folder, "srv", "data", `postern.sqlite${suffix}`))).toEqual([uid, gid, 0o600])
    await stores.close()
  })

  it("a restored database", async () => {
    const folder = place()
    const copy = join(mkdtempSync(join(folder, "copies-")), "a.backup")
    await sqliteStores(join(folder, "from.sqlite")).close()
    await backUp(join(folder, "from.sqlite"), copy)
    await restore(copy, join(folder, "data", "postern.sqlite"))
    expect(ownerOf(join(folder, "data", "postern.sqlite"))).toEqual([uid, gid, 0o600])
  })

  it("but what is there already stays its owner's", async () => {
    const folder = place()
    const elsewhere = join(folder, "elsewhere")
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, join(folder, "data"))
    await sqliteStores(join(folder, "data", "postern.sqlite")).close()
    expect([ownerOf(elsewhere)[0], ownerOf(join(elsewhere, "postern.sqlite"))[0]]).toEqual([0, 0])
  })
})
