import { type ClientRegistry, inMemory, sqliteClientStore } from "@postern/adapter-sqlite"
import { keyEncryption } from "@postern/core/jose"
import { type ClientMetadata, defaultLifetimes, secretOf } from "@postern/core/model"
import { sampleTime } from "@postern/core/testing"
import { registeredClient } from "@postern/core/registered"
import { StoreUnavailable } from "@postern/stores"
import { type CachedClient, clientRegistry, type ClientRow } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { afterEach, describe, expect, test, vi } from "vitest"
import { clientCache } from "../../packages/adapter-sqlite/src/clients/clientCache.ts"
import { clientRows } from "../../packages/adapter-sqlite/src/clients/clientRows.ts"
import { declaredAs, mapFew } from "../../packages/stores/src/declared.ts"
import { sealedSecrets } from "../../packages/stores/src/clients/sealedSecrets.ts"
import { verifiedSecrets } from "../../packages/stores/src/clients/verifiedSecrets.ts"
import { standingClock, temporaryDatabase } from "../store/support.ts"
import { standInHash, standInHashing } from "./standInHashing.ts"

// Hashing stands in for argon2id here, and the database is in memory: test/store has the same registry over real ones.

const strong = "k7Jv0b4QxZr2mWt9LpYc6HdNs1GfXuEa8BiKoTqRw5M"
const another = "Zp4XcVb8NmQw2ErTy6UiOp0AsDf3GhJk7LzXcVb1Nm5"
const weak = "correct horse"
const outdatedCost = "m=128,t=3,p=2"
const web: ClientMetadata = { client_id: "web", client_name: "Web", client_secret: weak }
const encryption = keyEncryption("A".repeat(43))

type Options = Parameters<typeof sqliteClientStore>[1]

const opened = (more: Partial<Options> = {}, database = temporaryDatabase(inMemory)) => {
  const clock = standingClock()
  const hashing = standInHashing()
  const store = sqliteClientStore(database, { lifetimes: defaultLifetimes, hashing, now: clock.now, ...more })
  const kept = (clientId: string) =>
    database
      .prepare<[string], { hash: string | null; sealed: string | null }>(
        "SELECT secret_hash AS hash, secret_sealed AS sealed FROM clients WHERE client_id = ?",
      )
      .get(clientId)
  return { store, hashing, clock, database, kept }
}

const asks = async (store: ClientRegistry, secret: string, clientId = "web"): Promise<boolean> =>
  store.verifySecret(clientId, secretOf(secret), "192.0.2.1")

describe("rows of clients", () => {
  const row = (clientId: string, more: Partial<ClientRow> = {}): ClientRow => ({
    clientId,
    metadata: { client_id: clientId },
    secretHash: undefined,
    secretSealed: undefined,
    origin: "command",
    createdAt: 1,
    updatedAt: 1,
    ...more,
  })
  const open = () => {
    const database = temporaryDatabase(inMemory)
    const changed = vi.fn()
    const rows = clientRows(database, changed)
    const revision = () => database.prepare("SELECT value FROM revisions WHERE name = 'clients'").pluck().get()
    return { database, rows, changed, revision }
  }

  test("are inserted once, put as often as one likes, and listed by client_id; a put keeps who made a row, and when", async () => {
    const { rows } = open()
    const first = row("b", { origin: "config", secretHash: "h" })
    expect([await rows.insert(first), await rows.insert(first)]).toEqual([true, false])
    const put = row("b", { metadata: { client_id: "b", client_name: "B" }, secretSealed: "s", createdAt: 9, updatedAt: 9 })
    expect([await rows.put(put), await rows.put(row("a"))]).toEqual([true, false])
    expect(await rows.all()).toEqual([row("a"), { ...put, origin: "config", createdAt: 1 }])
    expect([rows.find("b")?.updatedAt, rows.find("c")]).toEqual([9, undefined])
  })

  test("count up the clients' revision with every change, and tell of each", async () => {
    const { rows, changed, revision } = open()
    await rows.insert(row("a", { secretHash: "old" }))
    await rows.put(row("a", { secretHash: "old" }))
    await rows.rehash("a", "other", "new")
    expect(rows.find("a")?.secretHash, "changed meanwhile").toBe("old")
    await rows.rehash("a", "old", "new")
    expect(rows.find("a")?.secretHash).toBe("new")
    await rows.agree([row("b"), row("a", { metadata: { client_id: "a", client_name: "A" } })], ["c"])
    expect((await rows.all()).map(({ clientId, origin, metadata }) => [clientId, origin, metadata.client_name])).toEqual([
      ["a", "config", "A"],
      ["b", "command", undefined],
    ])
    expect(await rows.remove(["a", "b", "c"])).toBe(2)
    expect([revision(), changed.mock.calls.length]).toEqual([6, 6])
    await rows.agree([], [])
    await rows.insert(row("a"))
    await rows.agree([], ["a"])
    expect(await rows.all()).toEqual([])
  })

  test("say what was asked where the database cannot do it", () => {
    const { database, rows } = open()
    database.close()
    const asked = [
      () => rows.find("a"),
      () => rows.all(),
      () => rows.page?.("", 9),
      () => rows.insert(row("a")),
      () => rows.put(row("a")),
      () => rows.rehash("a", "b", "c"),
      () => rows.anySlow(),
      () => rows.anyUnsigned(),
      () => rows.remove(["a"]),
      () => rows.agree([], []),
    ].map((run) => {
      try {
        run()
      } catch (error) {
        return error instanceof StoreUnavailable ? `${error.operation} ${error.code} ${error.uncertain}` : String(error)
      }
      return "nothing failed"
    })
    expect(asked).toEqual([
      "read a client CLOSED false",
      "list clients CLOSED false",
      "list clients CLOSED false",
      "add a client CLOSED false",
      "replace a client CLOSED false",
      "renew a secret's hash CLOSED false",
      "read a client CLOSED false",
      "read a client CLOSED false",
      "remove a client CLOSED false",
      "write declared clients CLOSED false",
    ])
  })
})

describe("clients that were read lately", () => {
  afterEach(() => void vi.useRealTimers())

  const cached = (noticeEvery?: number) => {
    const seen = { version: 1, revision: 1, looks: 0 }
    const get = (sql: string) => () => (sql.startsWith("PRAGMA") ? (seen.looks++, seen.version) : seen.revision)
    const database = { prepare: (sql: string) => ({ pluck: () => ({ get: get(sql) }) }) } as unknown as Database
    const find = vi.fn((clientId: string) =>
      clientId.startsWith("no") ? undefined : ({ clientId, metadata: { client_id: clientId } } as ClientRow),
    )
    const rows = { find, anySlow: vi.fn(() => false), anyUnsigned: vi.fn(() => true) }
    const cache = clientCache(database, (metadata) => ({ clientId: metadata.client_id }) as never, rows, noticeEvery)
    return { seen, rows, cache }
  }

  test("are read once, and so are ids that are nobody's, and what is true of any", () => {
    const { rows, cache } = cached()
    for (let each = 0; each < 3; each++)
      expect([
        (cache.find("web") as CachedClient | undefined)?.client.clientId,
        cache.find("nobody"),
        cache.anySlow(),
        cache.anyUnsigned(),
      ]).toEqual(["web", undefined, false, true])
    expect([rows.find.mock.calls, rows.anySlow.mock.calls.length, rows.anyUnsigned.mock.calls.length]).toEqual([
      [["web"], ["nobody"]],
      1,
      1,
    ])
  })

  test("are forgotten when asked, and when another changed a client, but not for what else others commit", () => {
    const { seen, rows, cache } = cached()
    const all = () => [cache.find("web"), cache.find("nobody"), cache.anySlow(), cache.anyUnsigned()]
    const reads = () => [rows.find, rows.anySlow, rows.anyUnsigned].map(({ mock }) => mock.calls.length)
    all()
    seen.version = 2
    all()
    expect(reads()).toEqual([2, 1, 1])
    seen.revision = 2
    all()
    expect(reads(), "nobody has committed anything").toEqual([2, 1, 1])
    seen.version = 3
    all()
    all()
    expect(reads()).toEqual([4, 2, 2])
    cache.forget()
    all()
    expect(reads()).toEqual([6, 3, 3])
  })

  test.each([
    (cache: ReturnType<typeof cached>["cache"]) => cache.anySlow(),
    (cache: ReturnType<typeof cached>["cache"]) => cache.anyUnsigned(),
  ])("what is true of any client is looked up again once one has changed (%#)", (ask) => {
    const { seen, rows, cache } = cached()
    ask(cache)
    seen.version = seen.revision = 2
    ask(cache)
    expect(rows.anySlow.mock.calls.length + rows.anyUnsigned.mock.calls.length).toBe(2)
  })

  test("are looked after with every question, or as often as is said", () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    const always = cached()
    for (let each = 0; each < 3; each++) always.cache.find("web")
    expect(always.seen.looks).toBe(3)
    const seldom = cached(250)
    const looks = (after: number): number => {
      vi.advanceTimersByTime(after)
      seldom.cache.find("web")
      return seldom.seen.looks
    }
    expect([looks(0), looks(0), looks(249), looks(1), looks(0), looks(250)]).toEqual([1, 1, 1, 2, 2, 3])
  })

  test("are ten thousand at most", () => {
    const { rows, cache } = cached()
    for (let each = 0; each < 10_000; each++) cache.find(`client ${each}`)
    cache.find("client 0")
    expect(rows.find.mock.calls.length).toBe(10_000)
    cache.find("one more")
    cache.find("client 0")
    expect(rows.find.mock.calls.length).toBe(10_002)
  })
})

describe("the registry of clients", () => {
  test("adds, puts, shows, lists and removes; nothing it shows has a secret", async () => {
    const { store, clock } = opened()
    await store.add(web)
    await expect(store.add(web)).rejects.toMatchObject({ name: "AlreadyExists", message: "there is a client web already" })
    clock.forward(5)
    expect([await store.put({ client_id: "spa" }), await store.put({ client_id: "web" })]).toEqual(["added", "replaced"])
    expect(await store.list()).toEqual([
      { metadata: { client_id: "spa" }, origin: "command", hasSecret: false, createdAt: sampleTime + 5, updatedAt: sampleTime + 5 },
      { metadata: { client_id: "web" }, origin: "command", hasSecret: false, createdAt: sampleTime, updatedAt: sampleTime + 5 },
    ])
    await store.put(web)
    expect(await store.show("web")).toMatchObject({ metadata: { client_id: "web", client_name: "Web" }, hasSecret: true })
    expect(JSON.stringify(await store.list())).not.toMatch(/correct|argon2/)
    expect([await store.show("nobody"), await store.find("nobody"), (await store.find("web"))?.clientId]).toEqual([
      undefined,
      undefined,
      "web",
    ])
    expect([await store.remove("web"), await store.remove("web"), await store.find("web")]).toEqual([true, false, undefined])
  })

  test("OpenID Connect Discovery §3: tells whether any client may send unsigned request objects", async () => {
    const { store } = opened()
    const unsigned = { client_id: "unsigned", request_object_signing_alg: "none" } as const
    expect(await store.unsignedRequestObjects?.()).toBe(false)
    await store.add(unsigned)
    expect(await store.unsignedRequestObjects?.()).toBe(true)
    await store.put({ ...unsigned, disabled: true })
    expect(await store.unsignedRequestObjects?.()).toBe(false)
  })

  test("NIST SP 800-63B §3.1.2.2: keeps a digest of a strong secret, a slow hash of a weak one, and judges each by what it keeps", async () => {
    const { store, hashing, kept } = opened()
    await store.add({ ...web, client_secret: strong })
    expect([kept("web")?.hash, kept("web")?.sealed]).toEqual([expect.stringMatching(/^\$sha256\$[\w-]{43}$/), null])
    expect([await asks(store, strong), await asks(store, another), await asks(store, `${strong}x`), await asks(store, "")]).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect([hashing.hashed, hashing.verified]).toEqual([[], []])
    await store.put(web)
    expect(kept("web")?.hash).toMatch(/^\$argon2id\$/)
    expect([await asks(store, weak), await asks(store, "wrong"), await asks(store, strong)]).toEqual([true, false, false])
    expect(hashing.verified[0]).toBe(`${weak} client_secret 192.0.2.1`)
    expect([await asks(store, "x".repeat(1025)), hashing.verified.length]).toEqual([false, 3])
    expect([await asks(store, "x".repeat(1024)), hashing.verified.length]).toEqual([false, 4])
  })

  test("RFC 6749 §10.10: every refusal costs a slow hash where any client has one, and else none", async () => {
    const { store, hashing } = opened()
    await store.add({ ...web, client_secret: strong })
    await store.add({ client_id: "public" })
    const costs = async () => {
      const before = hashing.verified.length
      for (const clientId of ["web", "public", "nobody"])
        expect(await asks(store, `guess ${hashing.verified.length}`, clientId)).toBe(false)
      return hashing.verified.length - before
    }
    expect(await costs()).toBe(0)
    await store.add({ ...web, client_id: "weak" })
    expect(await costs()).toBe(3)
    expect([await asks(store, strong), hashing.verified.length]).toEqual([true, 3])
    await store.remove("weak")
    expect(await costs()).toBe(0)
  })

  test("renews a slow hash at a right use alone: to a digest where the secret is strong, at today's cost where it is weak", async () => {
    const { store, hashing, database, kept } = opened()
    const set = (hash: string) => database.prepare("UPDATE clients SET secret_hash = ? WHERE client_id = 'web'").run(hash)
    await store.add(web)
    const outdated = async (secret: string): Promise<string> => {
      const hash = standInHash(secret, outdatedCost)
      set(hash)
      await store.put({ client_id: "other" })
      return hash
    }
    let before = await outdated(strong)
    expect([await asks(store, "wrong"), kept("web")?.hash]).toEqual([false, before])
    expect(await asks(store, strong)).toBe(true)
    expect(kept("web")?.hash).toMatch(/^\$sha256\$/)
    before = await outdated(weak)
    expect(await asks(store, weak)).toBe(true)
    await vi.waitFor(() => expect(kept("web")?.hash).toBe(standInHash(weak)), { timeout: 10_000 })
    const [spent, made] = [hashing.verified.length, hashing.hashed.length]
    expect([await asks(store, weak), await asks(store, weak)]).toEqual([true, true])
    expect([hashing.verified.length - spent, hashing.hashed.length - made], "a hash of today's cost stays").toEqual([1, 0])
  })

  test("writes no hash itself where another process writes for it", async () => {
    const rehash = vi.fn()
    const { store, database, kept } = opened({ rehash })
    await store.add(web)
    const before = standInHash(weak, outdatedCost)
    database.prepare("UPDATE clients SET secret_hash = ?").run(before)
    await store.put({ client_id: "other" })
    expect(await asks(store, weak)).toBe(true)
    await vi.waitFor(() => expect(rehash.mock.calls).toEqual([["web", before, standInHash(weak)]]), { timeout: 10_000 })
    expect(kept("web")?.hash).toBe(before)
  })

  test("OpenID Connect Core §9: seals a secret that its client signs with, gives it back, and keeps none where there is no key", async () => {
    const hmac: ClientMetadata = { client_id: "hmac", token_endpoint_auth_method: "client_secret_jwt", client_secret: strong }
    const { store, kept } = opened({ encryption })
    await store.add(hmac)
    expect([kept("hmac")?.hash, kept("hmac")?.sealed?.includes(strong)]).toEqual([null, false])
    expect([(await store.secretOf("hmac"))?.reveal(), await store.secretOf("nobody"), await asks(store, strong, "hmac")]).toEqual([
      strong,
      undefined,
      false,
    ])
    expect((await store.show("hmac"))?.hasSecret).toBe(true)
    await expect(opened().store.add(hmac)).rejects.toThrow(
      new RangeError("client hmac signs with its secret, which cannot be kept without a key-encryption key"),
    )
    const { client_secret: _secret, ...without } = hmac
    await store.put(without)
    expect([await store.secretOf("hmac"), (await store.show("hmac"))?.hasSecret]).toEqual([undefined, false])
  })

  test("a secret is opened by the key it was sealed with, in its own row", async () => {
    const sealed = await sealedSecrets(encryption).seal("web", strong)
    expect((await sealedSecrets(encryption).open("web", sealed)).reveal()).toBe(strong)
    for (const [key, clientId] of [
      [undefined, "web"],
      [keyEncryption("B".repeat(43)), "web"],
      [encryption, "other"],
    ] as const)
      await expect(sealedSecrets(key).open(clientId, sealed)).rejects.toMatchObject({ operation: "open a client's secret", code: "SEALED" })
  })
})

describe("secrets that were verified", () => {
  const verifying = (most?: number) => {
    const clock = standingClock()
    const hashing = standInHashing()
    const verified = vi.fn()
    const verify = verifiedSecrets({ hashing, now: clock.now, verified, ...(most === undefined ? {} : { most, life: 60 }) })
    const kept = (secret: string) => hashing.hash(secret)
    return { clock, hashing, verified, verify, kept, asker: { kind: "client_secret" } as const }
  }

  test("are remembered for ten minutes, each for its client and its hash", async () => {
    const { clock, hashing, verified, verify, kept, asker } = verifying()
    const hash = await kept(weak)
    expect([await verify("web", hash, weak, asker), await verify("web", hash, weak, asker), hashing.verified.length]).toEqual([
      true,
      true,
      1,
    ])
    expect(verified.mock.calls).toEqual([["web", hash, weak]])
    expect([await verify("other", hash, weak, asker), await verify("web", `other ${hash}`, weak, asker), hashing.verified.length]).toEqual([
      true,
      true,
      3,
    ])
    clock.forward(599)
    expect([await verify("web", hash, weak, asker), hashing.verified.length]).toEqual([true, 3])
    clock.forward(1)
    expect([await verify("web", hash, weak, asker), hashing.verified.length]).toEqual([true, 4])
    expect([await verify("web", hash, "wrong", asker), await verify("web", hash, "wrong", asker), hashing.verified.length]).toEqual([
      false,
      false,
      6,
    ])
    expect(verified.mock.calls.length).toBe(4)
  })

  test("are the last ones used, as many as are to be remembered", async () => {
    const { clock, hashing, verify, kept, asker } = verifying(2)
    const hash = await kept(weak)
    const use = async (clientId: string): Promise<number> => {
      const before = hashing.verified.length
      expect(await verify(clientId, hash, weak, asker)).toBe(true)
      return hashing.verified.length - before
    }
    expect([
      await use("a"),
      await use("b"),
      await use("a"),
      await use("b"),
      await use("c"),
      await use("b"),
      await use("c"),
      await use("a"),
    ]).toEqual([1, 1, 0, 0, 1, 0, 0, 1])
    // It was remembered anew, and so is the youngest.
    clock.forward(60)
    expect([await use("c"), await use("a"), await use("b"), await use("a"), await use("c")]).toEqual([1, 1, 1, 0, 1])
  })

  test("are hashed once where they are sent at the same time, and again after a failure", async () => {
    const { hashing, verify, kept, asker } = verifying()
    const hash = await kept(weak)
    expect(await Promise.all([verify("a", hash, weak, asker), verify("a", hash, weak, asker), verify("b", hash, weak, asker)])).toEqual([
      true,
      true,
      true,
    ])
    expect(hashing.verified.length).toBe(2)
    const failing = verifiedSecrets({
      hashing: { ...hashing, verify: () => Promise.reject(new Error("overload")) },
      now: () => sampleTime,
      verified: () => undefined,
    })
    for (let each = 0; each < 2; each++) await expect(failing("a", hash, weak, asker)).rejects.toThrow("overload")
  })
})

describe("clients that a file declares", () => {
  test("are added, changed and removed with it; others stay, and a declared one takes the place of a command's", async () => {
    const { store, clock } = opened()
    await store.add({ client_id: "by hand" })
    await store.add({ ...web, client_name: "By hand" })
    clock.forward(9)
    expect(await store.upsertFromConfig([web, { client_id: "spa" }])).toEqual({
      added: ["spa"],
      changed: ["web"],
      removed: [],
      unchanged: [],
    })
    expect(await store.show("web")).toEqual({
      metadata: { client_id: "web", client_name: "Web" },
      origin: "config",
      hasSecret: true,
      createdAt: sampleTime,
      updatedAt: sampleTime + 9,
    })
    expect(await store.upsertFromConfig([web, { client_id: "spa" }])).toEqual({
      added: [],
      changed: [],
      removed: [],
      unchanged: ["web", "spa"],
    })
    expect(await store.upsertFromConfig([{ client_id: "spa", client_name: "Page" }])).toEqual({
      added: [],
      changed: ["spa"],
      removed: ["web"],
      unchanged: [],
    })
    expect((await store.list()).map(({ metadata, origin }) => [metadata.client_id, origin])).toEqual([
      ["by hand", "command"],
      ["spa", "config"],
    ])
    expect(await store.upsertFromConfig([])).toMatchObject({ removed: ["spa"] })
    expect((await store.list()).map(({ metadata }) => metadata.client_id)).toEqual(["by hand"])
    expect(await store.upsertFromConfig([{ client_id: "by hand" }]), "it is the file's from now on").toMatchObject({ changed: ["by hand"] })
  })

  test("an agreement with what is stored writes nothing", async () => {
    const { store, database } = opened({ encryption })
    const declared = [web, { ...web, client_id: "strong", client_secret: strong }, { client_id: "spa" }]
    const hmac = { client_id: "hmac", token_endpoint_auth_method: "client_secret_jwt", client_secret: strong } as const
    await store.upsertFromConfig([...declared, hmac])
    database.pragma("query_only = ON")
    expect((await store.upsertFromConfig([...declared, hmac])).unchanged).toEqual(["web", "strong", "spa", "hmac"])
  })

  test("each tells whether it agrees already, where that takes no slow hash; one that nobody declares does unless a file once declared it", async () => {
    const { store } = opened({ encryption })
    const { client_secret: _secret, ...open } = { ...web, client_id: "open" }
    const digested = { ...web, client_id: "strong", client_secret: strong }
    const hmac = { client_id: "hmac", token_endpoint_auth_method: "client_secret_jwt", client_secret: strong } as const
    await store.upsertFromConfig([web, open, digested, hmac, { client_id: "gone" }])
    await store.add({ client_id: "by hand", client_name: "By hand" })
    const agrees = (...declared: ReadonlyArray<ClientMetadata>) =>
      Promise.all(declared.map(async (each) => store.agrees(each.client_id, each)))
    expect(await agrees(open, digested), "without a secret, and by its digest").toEqual([true, true])
    expect(await agrees(web, hmac), "a slow hash, and a sealed secret").toEqual([false, false])
    expect(
      await agrees(
        { ...digested, client_secret: another },
        { ...digested, client_name: "Other" },
        { ...open, client_secret: strong },
        { client_id: "strong", client_name: "Web" },
        { ...digested, token_endpoint_auth_method: "client_secret_jwt" },
        { client_id: "hmac", token_endpoint_auth_method: "client_secret_jwt" },
        { client_id: "by hand", client_name: "By hand" },
        { client_id: "new" },
      ),
      "everything else has to be written first",
    ).toEqual([false, false, false, false, false, false, false, false])
    const undeclared = ["by hand", "nobody", "gone", "strong"].map(async (clientId) => store.agrees(clientId, undefined))
    expect(await Promise.all(undeclared)).toEqual([true, true, false, false])
  })

  test("thousands are compared in turns of the event loop of their own, and each is found, whatever became of it", async () => {
    const { store, database } = opened()
    const all = Array.from({ length: 999 }, (_, at): ClientMetadata => ({
      client_id: at === 0 ? "0" : `many-${at}`,
      client_secret: strong,
    }))
    await store.upsertFromConfig(all)
    await store.add({ client_id: "by hand" })
    let turns = 0
    const counting = (): void => void ((turns += 1), (timer = setImmediate(counting)))
    let timer = setImmediate(counting)
    database.pragma("query_only = ON")
    const unchanged = await store.upsertFromConfig(all)
    clearImmediate(timer)
    expect(unchanged).toEqual({ added: [], changed: [], removed: [], unchanged: all.map((each) => each.client_id) })
    expect(turns).toBeGreaterThanOrEqual(5)
    database.pragma("query_only = OFF")
    const [first, second, ...rest] = all
    const next = [...rest.slice(0, -1), { ...second, client_id: "many-1", client_name: "Second" }, { client_id: "by hand" }]
    const last = `many-${all.length - 1}`
    expect(await store.upsertFromConfig(next)).toEqual({
      added: [],
      changed: ["many-1", "by hand"],
      removed: [first?.client_id, last],
      unchanged: rest.slice(0, -1).map((each) => each.client_id),
    })
    expect([(await store.list()).length, await store.show(last)]).toEqual([next.length, undefined])
  })

  test("a database that leaves the event loop free has no pages, and is read whole", async () => {
    const database = temporaryDatabase(inMemory)
    const { page: _page, ...whole } = clientRows(database, () => undefined)
    const store = clientRegistry(
      whole,
      clientCache(database, (metadata) => registeredClient(metadata, defaultLifetimes), whole),
      {
        hashing: standInHashing(),
        now: () => sampleTime,
      },
    )
    const all = Array.from({ length: 450 }, (_, at): ClientMetadata => ({ client_id: `many-${at}`, client_secret: strong }))
    expect((await store.upsertFromConfig(all)).added.length).toBe(450)
    expect(await store.upsertFromConfig(all.slice(1))).toEqual({
      added: [],
      changed: [],
      removed: ["many-0"],
      unchanged: all.slice(1).map((each) => each.client_id),
    })
  })

  test("a weak secret counts at once as the file has it; its row is compared afterwards, once, and written where it was another's", async () => {
    const { store, hashing, kept, database } = opened()
    await store.upsertFromConfig([web])
    expect([await asks(store, weak), hashing.verified, hashing.hashed]).toEqual([true, [], [weak]])
    const fresh = opened({}, database)
    expect(await fresh.store.upsertFromConfig([{ ...web, client_secret: "battery staple" }])).toMatchObject({ unchanged: ["web"] })
    expect([await asks(fresh.store, "battery staple"), await asks(fresh.store, weak)]).toEqual([true, false])
    await vi.waitFor(() => expect(kept("web")?.hash).toBe(standInHash("battery staple")), { timeout: 10_000 })
    expect(fresh.hashing.hashed).toEqual(["battery staple"])
  })

  test("a secret that changed in the file is kept anew, and one that is gone from it is gone", async () => {
    const { store, hashing, kept } = opened()
    await store.upsertFromConfig([web])
    expect(await store.upsertFromConfig([{ ...web, client_secret: "battery staple" }])).toMatchObject({ changed: ["web"] })
    expect([await asks(store, "battery staple"), await asks(store, weak), hashing.hashed.length]).toEqual([true, false, 2])
    expect(await store.upsertFromConfig([{ ...web, client_secret: strong }])).toMatchObject({ changed: ["web"] })
    expect([await asks(store, strong), kept("web")?.hash?.startsWith("$sha256$")]).toEqual([true, true])
    expect(await store.upsertFromConfig([{ ...web, client_secret: another }])).toMatchObject({ changed: ["web"] })
    expect([await asks(store, another), await asks(store, strong)]).toEqual([true, false])
    expect(await store.upsertFromConfig([web])).toMatchObject({ changed: ["web"] })
    expect([await asks(store, weak), kept("web")?.hash?.startsWith("$argon2id$")]).toEqual([true, true])
    const { client_secret: _secret, ...open } = web
    expect(await store.upsertFromConfig([open])).toMatchObject({ changed: ["web"] })
    expect(kept("web")).toEqual({ hash: null, sealed: null })
  })

  test("a sealed secret is sealed again only when it changed, or its key did; a method that changed keeps it another way", async () => {
    const hmac: ClientMetadata = { client_id: "web", token_endpoint_auth_method: "client_secret_jwt", client_secret: strong }
    const { store, database, kept } = opened({ encryption })
    await store.upsertFromConfig([hmac])
    const sealed = kept("web")?.sealed
    expect(await store.upsertFromConfig([hmac])).toMatchObject({ unchanged: ["web"] })
    expect(kept("web")?.sealed).toBe(sealed)
    expect(await store.upsertFromConfig([{ ...hmac, client_secret: another }])).toMatchObject({ changed: ["web"] })
    expect((await store.secretOf("web"))?.reveal()).toBe(another)
    const rekeyed = opened({ encryption: keyEncryption("B".repeat(43)) }, database).store
    expect(await rekeyed.upsertFromConfig([{ ...hmac, client_secret: another }])).toMatchObject({ changed: ["web"] })
    expect((await rekeyed.secretOf("web"))?.reveal()).toBe(another)
    await rekeyed.upsertFromConfig([{ ...hmac, token_endpoint_auth_method: "client_secret_post" }])
    expect([kept("web")?.sealed, await asks(rekeyed, strong)]).toEqual([null, true])
  })

  test("weak secrets are told to other processes by their hashes, and recalled without writing; each counts while its row keeps the hash", async () => {
    const { store, database } = opened()
    const declared = [web, { ...web, client_id: "other" }, { client_id: "spa" }, { ...web, client_id: "strong", client_secret: strong }]
    await store.upsertFromConfig(declared)
    expect(store.declaredHashes().map(([id]) => id)).toEqual(["web", "other"])
    const { store: recalling, hashing } = opened({}, database)
    database.pragma("query_only = ON")
    recalling.recallFromConfig([...declared, { ...web, client_id: "unknown" }], store.declaredHashes().slice(0, 1))
    expect(recalling.declaredHashes()).toEqual(store.declaredHashes().slice(0, 1))
    const { store: silent } = opened({}, database)
    silent.recallFromConfig([{ client_id: "web" }], store.declaredHashes())
    expect(silent.declaredHashes()).toEqual([])
    expect([await asks(recalling, weak), await asks(recalling, "wrong"), hashing.verified.length]).toEqual([true, false, 1])
    expect([await asks(recalling, weak, "other"), hashing.verified.length], "it was not recalled").toEqual([true, 2])
    database.pragma("query_only = OFF")
    await recalling.put({ ...web, client_secret: "battery staple" })
    expect([await asks(recalling, weak), await asks(recalling, "battery staple")]).toEqual([false, true])
  })

  test("a row that cannot be compared now does not keep the file from counting", async () => {
    const { store, database, hashing } = opened()
    await store.upsertFromConfig([web])
    const heldUp = { ...hashing, verify: () => Promise.reject(new Error("overload")) }
    const { store: later } = opened({ hashing: heldUp }, database)
    expect(await later.upsertFromConfig([web])).toMatchObject({ unchanged: ["web"] })
    expect(await asks(later, weak)).toBe(true)
    const never = vi.fn(() => Promise.reject(new Error("not here")))
    const { store: elsewhere } = opened({ hashing: { ...hashing, verify: never }, confirms: false }, database)
    await elsewhere.upsertFromConfig([web])
    expect([never.mock.calls.length, await asks(elsewhere, weak)], "another process compares the rows").toEqual([0, true])
  })

  test("are judged eight at a time, in their order, and named under what became of them", async () => {
    let [running, most] = [0, 0]
    const done = await mapFew(
      Array.from({ length: 20 }, (_, at) => at),
      async (each) => {
        most = Math.max(most, ++running)
        await Promise.resolve()
        running--
        return each * 2
      },
    )
    expect([done, most]).toEqual([Array.from({ length: 20 }, (_, at) => at * 2), 8])
    expect(
      declaredAs(
        [
          ["a", "added"],
          ["b", "changed"],
          ["c", "unchanged"],
          ["d", "added"],
        ],
        ["e"],
      ),
    ).toEqual({
      added: ["a", "d"],
      changed: ["b"],
      removed: ["e"],
      unchanged: ["c"],
    })
  })
})
