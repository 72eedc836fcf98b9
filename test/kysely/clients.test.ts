import { kyselyStores } from "@postern/adapter-kysely"
import type { ClientMetadata } from "@postern/core/model"
import { insertion, putting, rowKind, secretOf } from "@postern/core/model"
import { describe, expect, it, onTestFinished } from "vitest"
import { places, sharedStores } from "./databases.ts"

const client = (id: string, told: Partial<ClientMetadata> = {}): ClientMetadata => ({
  client_id: id,
  redirect_uris: ["https://app.example.com/cb"],
  ...told,
})

for (const [name, isThere, open] of places) {
  describe.skipIf(!isThere)(`clients over Kysely on ${name}`, () => {
    const fresh = sharedStores(open)
    const strong = "p8Tq3vXk0WmZ5yLc7RbNf1HsJ2gDuEaQ9oViKxYwB4M"

    it("R5: a client is added once, shown without its secret, replaced and removed; its secret is verified", async () => {
      const { clients } = (await fresh()).stores
      await clients.add(client("one", { client_secret: strong }))
      await expect(clients.add(client("one"))).rejects.toMatchObject({ name: "AlreadyExists" })
      expect((await clients.list()).map(({ metadata, hasSecret }) => [metadata.client_id, hasSecret])).toEqual([["one", true]])
      expect(JSON.stringify(await clients.list())).not.toContain(strong)
      expect(await clients.verifySecret("one", secretOf(strong), "127.0.0.1")).toBe(true)
      expect(await clients.verifySecret("one", secretOf(`${strong}.`), "127.0.0.1")).toBe(false)
      expect([await clients.put(client("one")), await clients.put(client("two"))]).toEqual(["replaced", "added"])
      expect((await clients.find("one"))?.clientId).toBe("one")
      expect([await clients.remove("one"), await clients.remove("one")]).toEqual([true, false])
      expect(await clients.find("one")).toBeUndefined()
    })

    it("R5: what a file declares is agreed with, and what a command added stays", async () => {
      const { clients } = (await fresh()).stores
      await clients.add(client("own"))
      expect(await clients.upsertFromConfig([client("a"), client("b", { client_secret: "weak" })])).toMatchObject({ added: ["a", "b"] })
      expect(await clients.upsertFromConfig([client("a", { client_name: "A" })])).toMatchObject({ changed: ["a"], removed: ["b"] })
      expect((await clients.list()).map(({ metadata, origin }) => [metadata.client_id, origin])).toEqual([
        ["a", "config"],
        ["own", "command"],
      ])
    })

    it("R5: another process's change counts a quarter of a second later at the latest", async () => {
      const { place, stores } = await fresh()
      const other = place.connect()
      onTestFinished(() => other.destroy())
      const beside = await kyselyStores(other, { dialect: place.dialect })
      expect(await stores.clients.find("late")).toBeUndefined()
      await beside.clients.add(client("late"))
      await expect.poll(async () => (await stores.clients.find("late"))?.clientId).toBe("late")
    })

    it("law 13: a later version adds the columns that it needs, and an earlier one goes on beside it", async () => {
      const { place, kysely } = await fresh()
      const seats = (columns: object) =>
        rowKind<{ readonly seat: string; readonly note?: string }>("seats", { seat: "text", ...columns } as never, {
          key: ["seat"],
          events: { TakeSeat: insertion },
        })
      const [plain, noted] = [seats({}), seats({ note: "text?" })]
      const opened = async (kind: typeof plain) =>
        (await kyselyStores(kysely, { dialect: place.dialect, prefix: "grown_", kinds: [kind] })).tokens
      const before = await opened(plain)
      await before.commit([putting(plain, "TakeSeat", { seat: "1" })])
      const [after, beside] = await Promise.all([opened(noted), opened(noted)])
      await after.commit([putting(noted, "TakeSeat", { seat: "2", note: "window" })])
      await before.commit([putting(plain, "TakeSeat", { seat: "3" })])
      expect(await Promise.all(["1", "2", "3"].map(async (seat) => beside.find(noted, { seat })))).toEqual([
        { seat: "1", note: undefined },
        { seat: "2", note: "window" },
        { seat: "3", note: undefined },
      ])
    })

    it("R5: stores opened by many at once make the same tables", async () => {
      const { place } = await fresh()
      const pool = place.connect()
      onTestFinished(() => pool.destroy())
      const all = await Promise.all(Array.from({ length: 4 }, async () => kyselyStores(pool, { dialect: place.dialect, prefix: "other_" })))
      await all[0]?.clients.add(client("one"))
      expect(await all[3]?.clients.show("one")).toMatchObject({ origin: "command" })
      expect(await (await fresh()).stores.clients.show("one")).toBeUndefined()
    })
  })
}
