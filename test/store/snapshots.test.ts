import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openDatabase } from "../../packages/adapter-sqlite/src/database/open.ts"
import { snapshotsOf } from "../../packages/adapter-sqlite/src/database/snapshots.ts"

describe("reads of one turn of the event loop", () => {
  let directory = ""
  let close: ReadonlyArray<() => void> = []
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "postern-snapshots-"))
  })
  afterEach(() => {
    for (const each of close) each()
    rmSync(directory, { recursive: true })
  })

  const opened = () => {
    const writing = openDatabase(join(directory, "postern.sqlite"))
    const snapshots = snapshotsOf(writing.name, 20)
    close = [snapshots.close, () => writing.close()]
    const value = snapshots.database.prepare<[], number>("SELECT value FROM revisions WHERE name = 'clients'").pluck()
    const read = (): number | undefined => {
      snapshots.reading()
      return value.get()
    }
    const change = (): unknown => writing.prepare("UPDATE revisions SET value = value + 1 WHERE name = 'clients'").run()
    return { snapshots, read, change }
  }

  it("share a snapshot: what is committed meanwhile is seen from the next turn on", async () => {
    const { read, change } = opened()
    const before = read() ?? 0
    change()
    expect(read()).toBe(before)
    await setImmediate()
    expect(read()).toBe(before + 1)
  })

  it("see what was committed once the snapshot is renewed, in the same turn", () => {
    const { snapshots, read, change } = opened()
    const before = read() ?? 0
    change()
    snapshots.renew()
    expect(read()).toBe(before + 1)
  })

  it("hold no snapshot when the turn is over, so the log can be taken back", async () => {
    const { snapshots, read } = opened()
    read()
    expect(snapshots.database.inTransaction).toBe(true)
    await setImmediate()
    expect(snapshots.database.inTransaction).toBe(false)
  })

  it("can be closed while one is held", () => {
    const { snapshots, read } = opened()
    read()
    snapshots.close()
    expect(snapshots.database.open).toBe(false)
  })
})
