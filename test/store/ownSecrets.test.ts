import { postgresStores } from "@postern/adapter-postgres"
import { sqliteStores } from "@postern/adapter-sqlite"
import { type KeyEncryption, keyEncryption } from "@postern/core/jose"
import type { Stores } from "@postern/stores"
import { describe, expect, it } from "vitest"
import { closing, postgresServer } from "../support/postgres.ts"
import { cheap, temporaryPath } from "./support.ts"

const encryptionBy = (byte: number): KeyEncryption => keyEncryption(Buffer.alloc(32, byte).toString("base64url"))

/** A database that can be opened again and again. */
type Place = (encryption?: KeyEncryption) => Promise<Stores>

const server = postgresServer()
const kinds: ReadonlyArray<readonly [name: string, place: () => Promise<Place>]> = [
  [
    "SQLite",
    async () => {
      const path = temporaryPath()
      return async (encryption) => closing(sqliteStores(path, { hashing: cheap, encryption }))
    },
  ],
  [
    "PostgreSQL",
    async () => {
      const url = await (await server()).database()
      return async (encryption) => closing(await postgresStores(url, { hashing: cheap, encryption }))
    },
  ],
]

const keyOf = async (stores: Stores): Promise<string> => (await stores.accountKey()).reveal()

describe.each(kinds)("the key that accounts are hashed with, on %s", (_, place) => {
  it("is drawn once for a database, whoever starts first, and the same after a restart", async () => {
    const open = await place()
    const several = await Promise.all([1, 2, 3].map(() => open()))
    const keys = await Promise.all(several.map(keyOf))
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]?.length).toBeGreaterThanOrEqual(43)
    expect(await keyOf(await open())).toBe(keys[0])
    expect(await keyOf(await (await place())())).not.toBe(keys[0])
  })

  it("is kept sealed where there is a key-encryption key, and opened by no other", async () => {
    const open = await place()
    const key = await keyOf(await open(encryptionBy(1)))
    expect(await keyOf(await open(encryptionBy(1)))).toBe(key)
    await expect((await open()).accountKey()).rejects.toMatchObject({ name: "KeyUnreadable" })
    await expect((await open(encryptionBy(2))).accountKey()).rejects.toMatchObject({ name: "KeyUnreadable" })
  })

  it("that was drawn without one is read as it is when one is configured later", async () => {
    const open = await place()
    const key = await keyOf(await open())
    expect(await keyOf(await open(encryptionBy(1)))).toBe(key)
  })
})
