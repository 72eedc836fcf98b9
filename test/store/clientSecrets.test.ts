import { secretOf } from "@postern/core"
import { describe, expect, it } from "vitest"
import { argon2id, type ClientRegistry, type Hashing } from "@postern/stores"
import { type ClientMetadata, defaultLifetimes } from "@postern/core/model"
import { sampleTime } from "@postern/core/testing"
import { type Place, places } from "./places.ts"
import { cheap } from "./support.ts"

const strong = "k7Jv0b4QxZr2mWt9LpYc6HdNs1GfXuEa8BiKoTqRw5M"
const another = "Zp4XcVb8NmQw2ErTy6UiOp0AsDf3GhJk7LzXcVb1Nm5"
const weak = "correct horse"
const web: ClientMetadata = { client_id: "web", client_secret: strong }

/** Hashing that counts, and that never ends where it is held up. */
const watched = (heldUp = false): Hashing & { readonly count: () => number } => {
  const real = argon2id(cheap)
  let count = 0
  return {
    ...real,
    verify: (...given) => (count++, heldUp ? new Promise(() => undefined) : real.verify(...given)),
    hash: (...given) => (count++, real.hash(...given)),
    count: () => count,
  }
}

describe.each(places())("secrets of clients in $name", ({ place }) => {
  const open = async (at: Place, hashing: Hashing = argon2id(cheap)): Promise<ClientRegistry> =>
    at.clients({ lifetimes: defaultLifetimes, hashing, now: () => sampleTime })
  const keptOf = async (at: Place, clientId = "web"): Promise<string> =>
    String((await at.ask(`SELECT secret_hash FROM clients WHERE client_id = '${clientId}'`))[0]?.[0])
  const matches = async (store: ClientRegistry, secret: string, clientId = "web"): Promise<boolean> =>
    store.verifySecret(clientId, secretOf(secret), "192.0.2.1")

  it("one of 128 bits is kept as a digest, and takes no slow hash, right or wrong (NIST SP 800-63B §3.1.2.2)", async () => {
    const at = await place()
    const hashing = watched()
    const store = await open(at, hashing)
    await store.add(web)
    expect([await matches(store, strong), await matches(store, another), await matches(store, "")]).toEqual([true, false, false])
    expect(hashing.count()).toBe(0)
    expect(await keptOf(at)).toMatch(/^\$sha256\$[A-Za-z0-9_-]{43}$/)
    await store.put({ ...web, client_secret: another })
    expect([await matches(store, strong), await matches(store, another)]).toEqual([false, true])
  })

  it("a process that recalls a declared weak one takes no slow hash for it and writes nothing; a row that was changed since is judged by its hash", async () => {
    const at = await place()
    const declared = { ...web, client_secret: weak }
    const main = await open(at)
    await main.upsertFromConfig([declared])
    const hashing = watched()
    const store = await open(at, hashing)
    store.recallFromConfig([declared, { ...declared, client_id: "other" }], main.declaredHashes())
    expect([await matches(store, weak), hashing.count()]).toEqual([true, 0])
    expect((await store.list()).map(({ metadata }) => metadata.client_id)).toEqual(["web"])
    await (await open(at)).put({ ...declared, client_secret: "battery staple" })
    const later = await open(at)
    later.recallFromConfig([declared], main.declaredHashes())
    expect([await matches(later, weak), await matches(later, "battery staple")]).toEqual([false, true])
  })

  it("one client's digest is not another's, though their secrets are the same", async () => {
    const at = await place()
    const store = await open(at)
    await store.add(web)
    await store.add({ ...web, client_id: "other" })
    expect(await keptOf(at)).not.toBe(await keptOf(at, "other"))
    const [moved] = [await keptOf(at, "other")]
    await at.ask(`UPDATE clients SET secret_hash = '${moved}' WHERE client_id = 'web'`)
    expect(await matches(await open(at), strong)).toBe(false)
  })

  it("a slow hash of a strong one, as was kept before, becomes a digest at its first right use and at no wrong one", async () => {
    const at = await place()
    await (await open(at)).add(web)
    const before = await argon2id(cheap).hash(strong)
    await at.ask(`UPDATE clients SET secret_hash = '${before}' WHERE client_id = 'web'`)
    const hashing = watched()
    const store = await open(at, hashing)
    expect(await matches(store, another)).toBe(false)
    expect(await keptOf(at)).toBe(before)
    expect(await matches(store, strong)).toBe(true)
    await expect.poll(() => keptOf(at)).toMatch(/^\$sha256\$/)
    const spent = hashing.count()
    await at.noticed(() => matches(store, strong)).toEqual(true)
    expect([await matches(store, another), hashing.count() - spent]).toEqual([false, 0])
  })

  it("a slow hash of a weak one stays slow, and is made anew where the cost was another", async () => {
    const at = await place()
    await (await open(at, argon2id({ memoryCost: 64, timeCost: 3 }))).add({ ...web, client_secret: weak })
    const before = await keptOf(at)
    const store = await open(at)
    expect(await matches(store, weak)).toBe(true)
    await expect.poll(() => keptOf(at)).not.toBe(before)
    expect(await keptOf(at)).toContain(`m=${cheap.memoryCost},t=${cheap.timeCost}`)
    expect([await matches(store, weak), await matches(await open(at), weak)]).toEqual([true, true])
  })

  it("nobody can tell by what a refusal costs which clients there are, and how strong their secrets (RFC 6749 §10.10)", async () => {
    const at = await place()
    const hashing = watched()
    const store = await open(at, hashing)
    await store.add({ ...web, client_id: "strong" })
    await store.add({ client_id: "public", token_endpoint_auth_method: "none" })
    const costs = async (): Promise<ReadonlyArray<number>> => {
      const all: Array<number> = []
      for (const clientId of ["nobody", "strong", "weak", "public", "nobody"]) {
        const before = hashing.count()
        expect(await matches(store, `${another} ${all.length}`, clientId)).toBe(false)
        all.push(hashing.count() - before)
      }
      return all
    }
    expect(await costs()).toEqual([0, 0, 0, 0, 0])
    await store.add({ ...web, client_id: "weak", client_secret: weak })
    expect(await costs()).toEqual([1, 1, 1, 1, 1])
    // The same guess sent many times at once is hashed once, whoever it is for.
    for (const clientId of ["nobody", "strong", "weak"]) {
      const before = hashing.count()
      await Promise.all(Array.from({ length: 20 }, () => matches(store, "the same guess", clientId)))
      expect(hashing.count() - before).toBe(1)
    }
    await store.remove("weak")
    expect(await costs()).toEqual([0, 0, 0, 0, 0])
    expect(await matches(store, "x".repeat(1_025), "strong")).toBe(false)
  })

  it("what the file declares is compared at a start without a slow hash, weak or strong, and used at once", async () => {
    const at = await place()
    const declared = [web, { ...web, client_id: "weak", client_secret: weak }]
    await (await open(at)).upsertFromConfig(declared)
    const store = await open(at, watched(true))
    expect((await store.upsertFromConfig(declared)).unchanged).toEqual(["web", "weak"])
    expect([await matches(store, strong), await matches(store, weak, "weak")]).toEqual([true, true])
  })

  it("a weak one that the file changed counts at once, and reaches the row after that", async () => {
    const at = await place()
    const declared = { ...web, client_secret: weak }
    await (await open(at)).upsertFromConfig([declared])
    const [there, store] = [await open(at), await open(at)]
    await store.upsertFromConfig([{ ...declared, client_secret: "battery staple" }])
    expect(await matches(store, "battery staple")).toBe(true)
    await expect.poll(() => matches(there, "battery staple")).toBe(true)
    expect([await matches(there, weak), await matches(store, weak), await matches(store, "battery staple")]).toEqual([false, false, true])
  })

  it("a weak one that the file declared does not outlive its change by a command", async () => {
    const at = await place()
    const [store, command] = [await open(at), await open(at)]
    await store.upsertFromConfig([{ ...web, client_secret: weak }])
    await command.put({ ...web, client_secret: another })
    await at.noticed(() => matches(store, weak)).toEqual(false)
    expect(await matches(store, another)).toBe(true)
  })
})
