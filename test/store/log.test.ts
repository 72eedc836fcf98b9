import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openDatabase } from "../../packages/adapter-sqlite/src/database/open.ts"
import { logOf } from "../../packages/adapter-sqlite/src/database/log.ts"

describe("reads of one turn of the event loop", () => {
  let directory = ""
  let close: ReadonlyArray<() => void> = []
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "postern-log-"))
  })
  afterEach(() => {
    for (const each of close) each()
    rmSync(directory, { recursive: true })
  })

  const opened = () => {
    const writing = openDatabase(join(directory, "postern.sqlite"))
    const log = logOf(writing.name)
    close = [log.close, () => writing.close()]
    const value = log.database.prepare<[], number>("SELECT value FROM revisions WHERE name = 'clients'").pluck()
    const read = (): number | undefined => {
      log.reading()
      return value.get()
    }
    const change = (): unknown => writing.prepare("UPDATE revisions SET value = value + 1 WHERE name = 'clients'").run()
    return { log, read, change }
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
    const { log, read, change } = opened()
    const before = read() ?? 0
    change()
    log.renew()
    expect(read()).toBe(before + 1)
  })

  it("hold no snapshot when the turn is over, so the log can be taken back", async () => {
    const { log, read } = opened()
    read()
    expect(log.database.inTransaction).toBe(true)
    await setImmediate()
    expect(log.database.inTransaction).toBe(false)
  })

  it("can be closed while one is held", () => {
    const { log, read } = opened()
    read()
    log.close()
    expect(log.database.open).toBe(false)
  })
})
