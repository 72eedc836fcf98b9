import { saveAccessToken, saveGrant } from "@postern/core/model"
import { createHash } from "node:crypto"
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { dirname } from "node:path"
import Sqlite from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { DatabaseRefused, openDatabase, sqliteTokenStore } from "@postern/adapter-sqlite"
import { sampleAccessToken, sampleGrant, sampleLocator } from "@postern/core/testing"
import { temporaryDatabase, temporaryPath } from "./support.ts"

/** A closed database with 2,000 tokens in it. */
const madePath = (): string => {
  const path = temporaryPath()
  const database = openDatabase(path)
  void sqliteTokenStore(database).commit(Array.from({ length: 2000 }, (_, order) => saveAccessToken(sampleAccessToken(order))))
  database.close()
  return path
}

const digestOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex")

const refusal = (path: string, options = {}): DatabaseRefused => {
  try {
    openDatabase(path, options).close()
  } catch (error) {
    if (error instanceof DatabaseRefused) return error
    throw error
  }
  throw new Error("the database was opened")
}

/** Damages a file, and expects it to be refused for that reason, named in the message, and left byte for byte as it was. */
const refused = (path: string, reason: DatabaseRefused["reason"], options = {}): DatabaseRefused => {
  const before = digestOf(path)
  const error = refusal(path, options)
  expect(error.reason).toBe(reason)
  expect(error.message.startsWith(`${path}: `)).toBe(true)
  expect(error.message).not.toMatch(/\n|SELECT|CREATE/)
  expect(digestOf(path)).toBe(before)
  return error
}

const overwrite = (path: string, at: number, bytes: Uint8Array): void => {
  const file = openSync(path, "r+")
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

describe("a new database", () => {
  it("is made with its directory, readable by its owner alone, log and index too", () => {
    const path = temporaryPath("data/deep/postern.db")
    const database = temporaryDatabase(path)
    void sqliteTokenStore(database).commit([saveGrant(sampleGrant(1))])
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    expect(readdirSync(dirname(path)).sort()).toEqual(["postern.db", "postern.db-shm", "postern.db-wal"])
  })

  it("is the owner's alone again when it comes back from a copy that everybody may read, and after VACUUM", () => {
    const path = temporaryPath("postern.db")
    temporaryDatabase(path).close()
    chmodSync(path, 0o666)
    const database = temporaryDatabase(path)
    void sqliteTokenStore(database).commit([saveGrant(sampleGrant(1))])
    database.exec("VACUUM")
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it("may be reached through a link, and its log is looked at where SQLite keeps it", () => {
    const path = temporaryPath("real/postern.db")
    temporaryDatabase(path).close()
    const link = temporaryPath("link.db")
    symlinkSync(path, link)
    const database = temporaryDatabase(link)
    void sqliteTokenStore(database).commit([saveGrant(sampleGrant(1))])
    expect(existsSync(`${path}-wal`)).toBe(true)
    database.close()
    writeFileSync(`${path}-wal`, "this is no log")
    expect(() => openDatabase(link)).toThrow("its write-ahead log")
  })

  it("keeps a write-ahead log and syncs every commit", () => {
    const database = temporaryDatabase()
    expect(database.pragma("journal_mode", { simple: true })).toBe("wal")
    expect(database.pragma("synchronous", { simple: true })).toBe(2)
    expect(temporaryDatabase(temporaryPath(), { synchronous: "NORMAL" }).pragma("synchronous", { simple: true })).toBe(1)
  })

  it("leaves nothing behind where it cannot be made, and says so", () => {
    const path = temporaryPath("file/postern.db")
    writeFileSync(dirname(path), "a file where the directory should be")
    const error = refusal(path)
    expect(error.reason).toBe("inaccessible")
    expect(existsSync(path)).toBe(false)
  })
})

describe("a database that is not sound is refused and left as it is", () => {
  it("an empty file is damage, never a new database", () => {
    const path = madePath()
    truncateSync(path, 0)
    refused(path, "damaged")
  })

  it.each([16, 100, 4096, 10_000, 100_000])("a file cut to %i bytes", (size) => {
    const path = madePath()
    truncateSync(path, size)
    refused(path, "damaged")
  })

  it("a file of another kind", () => {
    const path = temporaryPath()
    writeFileSync(path, "issuer: https://example.com\n".repeat(500))
    refused(path, "damaged")
  })

  it("a header overwritten", () => {
    const path = madePath()
    overwrite(path, 0, new Uint8Array(16).fill(120))
    refused(path, "damaged")
  })

  it.each([1, 2, 5, 20])("page %i zeroed", (page) => {
    const path = madePath()
    overwrite(path, page * 4096, new Uint8Array(4096))
    refused(path, "damaged")
  })

  it.each([
    ["DROP TABLE consents", "table consents"],
    ["DROP INDEX grants_of_parent", "index grants_of_parent"],
    ["ALTER TABLE users DROP COLUMN tenant", "column tenant of table users"],
  ])("whose schema somebody has changed: %s", (sql, part) => {
    const path = madePath()
    const database = new Sqlite(path)
    database.exec(sql)
    database.close()
    expect(refused(path, "damaged").message).toMatch(new RegExp(`its ${part} is missing; restore it from a backup$`))
  })

  it("a database of another program", () => {
    const path = temporaryPath()
    const other = new Sqlite(path)
    other.exec("CREATE TABLE theirs (id INTEGER PRIMARY KEY)")
    other.close()
    refused(path, "foreign")
  })

  it("a schema newer than this version knows", () => {
    const path = madePath()
    const database = new Sqlite(path)
    database.pragma("user_version = 99")
    database.close()
    expect(refused(path, "newer").message).toMatch(/version 99/)
  })

  it("a directory in the file's place", () => {
    const path = temporaryPath()
    mkdirSync(path)
    expect(refusal(path).reason).toBe("inaccessible")
  })

  it("a write-ahead log full of rubbish, which SQLite alone would drop without a word", () => {
    const path = madePath()
    writeFileSync(`${path}-wal`, Buffer.alloc(20_000, "rubbish"))
    refused(path, "damaged")
    expect(statSync(`${path}-wal`).size).toBe(20_000)
  })

  it("a write-ahead log whose database is gone, which SQLite would play into a new one", () => {
    const path = temporaryPath()
    const database = temporaryDatabase(path)
    void sqliteTokenStore(database).commit([saveGrant(sampleGrant(1))])
    const log = readFileSync(`${path}-wal`)
    database.close()
    rmSync(path)
    writeFileSync(`${path}-wal`, log)
    const { reason, message } = refusal(path)
    expect([reason, message]).toEqual(["damaged", expect.stringContaining("the file is gone and its write-ahead log")])
    expect(existsSync(path)).toBe(false)
    expect(readFileSync(`${path}-wal`).equals(log)).toBe(true)
  })

  // Root may write to everything.
  it.skipIf(process.getuid?.() === 0)("a file, a log or a directory that this user may not write to", () => {
    const path = madePath()
    for (const [closed, mode] of [
      [path, 0o400],
      [dirname(path), 0o500],
    ] as const) {
      chmodSync(closed, mode)
      expect(refusal(path).message).toContain("cannot write to it")
      expect(refusal(path).reason).toBe("inaccessible")
      chmodSync(closed, 0o700)
    }
  })

  it("a file that cannot be reached is not taken for a missing one", () => {
    const path = temporaryPath()
    mkdirSync(dirname(path), { recursive: true })
    // A link to itself stops root too; a folder that may not be searched gives EACCES in the same place.
    symlinkSync(path, path)
    const { reason, message } = refusal(path)
    expect([reason, message]).toEqual([
      "inaccessible",
      `${path}: the file cannot be reached; check its path and the permissions of its directory (ELOOP)`,
    ])
  })

  it("a file that another process keeps locked", () => {
    const path = madePath()
    const other = new Sqlite(path)
    other.pragma("locking_mode = EXCLUSIVE")
    other.exec("BEGIN EXCLUSIVE")
    try {
      expect(refusal(path, { busyTimeout: 20 }).reason).toBe("locked")
    } finally {
      other.close()
    }
  })
})

describe("a database after a crash", () => {
  it("starts with a log that was torn at its end, and has every commit before it", async () => {
    const path = temporaryPath()
    const copy = temporaryPath()
    const store = sqliteTokenStore(temporaryDatabase(path))
    for (const order of [1, 2, 3]) void store.commit([saveGrant(sampleGrant(order))])
    for (const suffix of ["", "-wal"]) writeFileSync(copy + suffix, readFileSync(path + suffix))
    truncateSync(`${copy}-wal`, statSync(`${copy}-wal`).size - 1000)
    const after = sqliteTokenStore(temporaryDatabase(copy))
    const found = await Promise.all([1, 2, 3].map(async (order) => after.findGrant(sampleLocator(order))))
    expect(found).toEqual([sampleGrant(1), sampleGrant(2), undefined])
  })

  it("starts with a log of zeros, as a power cut leaves one that nothing was synced to", async () => {
    const path = madePath()
    writeFileSync(`${path}-wal`, Buffer.alloc(8192))
    const store = sqliteTokenStore(temporaryDatabase(path))
    expect(await store.findAccessToken(sampleLocator(1999))).toEqual({ token: sampleAccessToken(1999), grant: undefined })
  })

  it("starts without the log's index", () => {
    const path = temporaryPath()
    const copy = temporaryPath()
    void sqliteTokenStore(temporaryDatabase(path)).commit([saveGrant(sampleGrant(1))])
    for (const suffix of ["", "-wal"]) writeFileSync(copy + suffix, readFileSync(path + suffix))
    rmSync(`${copy}-shm`, { force: true })
    expect(sqliteTokenStore(temporaryDatabase(copy)).findGrant(sampleLocator(1))).toEqual(sampleGrant(1))
  })
})
