import { secretOf } from "@postern/core"
import { describe, expect, it } from "vitest"
import { AlreadyExists, argon2id, generateClientSecret, type Hashing, type ClientRegistry } from "@postern/stores"
import { type KeyEncryption, keyEncryption } from "@postern/core/jose"
import { type ClientMetadata, defaultLifetimes } from "@postern/core/model"
import { sampleTime } from "@postern/core/testing"
import { registeredClient } from "@postern/core/registered"
import { everyKept } from "../cases/registration.ts"
import { type Place, places } from "./places.ts"
import { cheap, standingClock, temporaryStores } from "./support.ts"

const counted = (): { readonly hashing: Hashing; readonly verified: () => number; readonly hashed: () => number } => {
  const real = argon2id(cheap)
  let [verified, hashed] = [0, 0]
  const hashing: Hashing = {
    ...real,
    verify: (...given) => (verified++, real.verify(...given)),
    hash: (...given) => (hashed++, real.hash(...given)),
  }
  return { hashing, verified: () => verified, hashed: () => hashed }
}

const web: ClientMetadata = {
  client_id: "web",
  client_name: "Web",
  redirect_uris: ["https://web.example/callback"],
  client_secret: "correct horse",
}
const open_web: ClientMetadata = { client_id: "web", client_name: "Web", redirect_uris: ["https://web.example/callback"] }
const spa: ClientMetadata = { client_id: "spa", token_endpoint_auth_method: "none" }

const formsOf = (secret: string): ReadonlyArray<string> => [
  secret,
  Buffer.from(secret).toString("base64"),
  Buffer.from(secret).toString("hex"),
]

describe.each(places())("clients in $name", ({ place }) => {
  const open = async (at?: Place, hashing: Hashing = argon2id(cheap), time = () => sampleTime): Promise<ClientRegistry> =>
    (at ?? (await place())).clients({ lifetimes: defaultLifetimes, hashing, now: time })

  describe("registered clients", () => {
    it("a client is found as its metadata describes it, and unknown ones are not", async () => {
      const store = await open()
      await store.add(web)
      expect(await store.find("web")).toEqual(registeredClient(web, defaultLifetimes))
      expect(await store.find("nobody")).toBeUndefined()
    })

    it("tells whether any may send unsigned request objects, as clients come, change and go (OpenID Connect Discovery §3)", async () => {
      const store = await open()
      const told = async () => store.unsignedRequestObjects?.()
      const unsigned = { ...spa, request_object_signing_alg: "none" } as const
      await store.add({ ...web, client_name: 'is "request_object_signing_alg":"none" a name?', request_object_signing_alg: "ES256" })
      expect(await told()).toBe(false)
      await store.add(unsigned)
      expect(await told()).toBe(true)
      await store.put({ ...unsigned, disabled: true })
      expect(await told()).toBe(false)
      await store.put(unsigned)
      expect(await told()).toBe(true)
      await store.remove("spa")
      expect(await told()).toBe(false)
    })

    it("metadata that IANA registers and that decides nothing is kept as it was given (RFC 7591 §2)", async () => {
      const at = await place()
      const given = { ...everyKept, client_id: "kept", contacts: ["ü@app.example", "ops\u0000"] }
      await (await open(at)).add(given)
      expect((await (await open(at)).show("kept"))?.metadata).toEqual(given)
      // Features read them by name; core itself reads none.
      expect(await (await open(at)).find("kept")).toEqual({ ...registeredClient({ client_id: "kept" }, defaultLifetimes), members: given })
    })

    it("a secret is stored as an argon2id hash alone, and shown nowhere", async () => {
      const at = await place()
      const store = await open(at, argon2id())
      await store.add(web)
      const row = JSON.stringify(await at.ask("SELECT metadata, secret_hash, secret_sealed FROM clients"))
      expect(row).toMatch(/\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      expect(row).not.toContain("correct horse")
      expect(JSON.stringify([await store.list(), await store.show("web")])).not.toMatch(/argon2id|correct horse/)
      expect(await store.show("web")).toEqual({
        metadata: open_web,
        origin: "command",
        hasSecret: true,
        createdAt: sampleTime,
        updatedAt: sampleTime,
      })
    })

    it("adding a client twice fails, putting it replaces it whole, removing it removes it once", async () => {
      const store = await open()
      await store.add(web)
      await expect(store.add(spa)).resolves.toBeUndefined()
      await expect(store.add(web)).rejects.toThrow(AlreadyExists)
      expect(await store.put({ ...open_web, client_name: "Other", client_secret: "another" })).toBe("replaced")
      expect(await store.put({ client_id: "third" })).toBe("added")
      expect((await store.list()).map(({ metadata }) => metadata.client_name ?? metadata.client_id)).toEqual(["spa", "third", "Other"])
      expect([await store.verifySecret("web", secretOf("correct horse")), await store.verifySecret("web", secretOf("another"))]).toEqual([
        false,
        true,
      ])
      expect([await store.remove("web"), await store.remove("web"), await store.find("web")]).toEqual([true, false, undefined])
    })

    it("what another process changes is noticed by the next request, or a moment later", async () => {
      const at = await place()
      const [here, there] = [await open(at), await open(at)]
      await here.add(web)
      expect(await there.find("web")).toMatchObject({ clientName: "Web" })
      await here.put({ ...web, client_name: "Renamed" })
      await at.noticed(async () => (await there.find("web"))?.clientName).toEqual("Renamed")
      await there.put({ ...web, disabled: true })
      await at.noticed(async () => (await here.find("web"))?.disabled).toEqual(true)
      await here.remove("web")
      await at.noticed(async () => there.find("web")).toEqual(undefined)
    })
  })

  describe("client secrets", () => {
    it("the right secret verifies; a wrong one, an unknown client and a client without a secret do not", async () => {
      const store = await open()
      await store.add(web)
      await store.add(spa)
      const answers = await Promise.all(
        ["correct horse", "wrong", "", "correct horse ", "x".repeat(2000)].map(async (secret) =>
          store.verifySecret("web", secretOf(secret)),
        ),
      )
      expect(answers).toEqual([true, false, false, false, false])
      expect([await store.verifySecret("nobody", secretOf("correct horse")), await store.verifySecret("spa", secretOf(""))]).toEqual([
        false,
        false,
      ])
    })

    it("a right secret is hashed once in a while, not with every request; a wrong one every time", async () => {
      const { hashing, verified } = counted()
      const clock = standingClock()
      const store = await open(await place(), hashing, clock.now)
      await store.add(web)
      for (let each = 0; each < 5; each++) expect(await store.verifySecret("web", secretOf("correct horse"))).toBe(true)
      expect(verified()).toBe(1)
      for (let each = 0; each < 3; each++) expect(await store.verifySecret("web", secretOf("wrong"))).toBe(false)
      expect(verified()).toBe(4)
      clock.forward(600)
      expect(await store.verifySecret("web", secretOf("correct horse"))).toBe(true)
      expect(verified()).toBe(5)
    })

    it("the same secret checked many times at once is hashed once", async () => {
      const { hashing, verified } = counted()
      const store = await open(await place(), hashing)
      await store.add(web)
      const answers = await Promise.all(Array.from({ length: 50 }, async () => store.verifySecret("web", secretOf("correct horse"))))
      expect([new Set(answers).size, answers[0], verified()]).toEqual([1, true, 1])
    })

    it("a secret that was changed, here or by another process, stops working, remembered or not", async () => {
      const at = await place()
      const [here, there] = [await open(at), await open(at)]
      await here.add(web)
      expect([
        await here.verifySecret("web", secretOf("correct horse")),
        await there.verifySecret("web", secretOf("correct horse")),
      ]).toEqual([true, true])
      await there.put({ ...web, client_secret: "another" })
      const verified = async (secret: string) => [
        await here.verifySecret("web", secretOf(secret)),
        await there.verifySecret("web", secretOf(secret)),
      ]
      await at.noticed(() => verified("correct horse")).toEqual([false, false])
      expect(await verified("another")).toEqual([true, true])
    })

    it("one client's remembered secret is not another's", async () => {
      const store = await open()
      await store.add(web)
      await store.add({ ...web, client_id: "web2", client_secret: "its own" })
      expect(await store.verifySecret("web", secretOf("correct horse"))).toBe(true)
      expect(await store.verifySecret("web2", secretOf("correct horse"))).toBe(false)
    })

    it("a generated secret has 256 bits and is never the same", () => {
      const secrets = Array.from({ length: 100 }, generateClientSecret)
      expect(new Set(secrets).size).toBe(100)
      expect(secrets.every((secret) => /^[A-Za-z0-9_-]{43}$/.test(secret))).toBe(true)
    })

    it("too many different secrets at once are overload, not a queue without end", async () => {
      const store = await open()
      await store.add(web)
      // Known clients need no query, and so all of them arrive together.
      expect(await store.find("web")).toBeDefined()
      const answers = await Promise.allSettled(
        Array.from({ length: 400 }, async (_, each) => store.verifySecret("web", secretOf(`guess ${each}`))),
      )
      const overloaded = answers.filter(({ status }) => status === "rejected")
      expect(overloaded.length).toBeGreaterThan(100)
      expect(overloaded[0]).toMatchObject({ reason: { name: "StoreUnavailable", code: "OVERLOADED" } })
      expect(await store.verifySecret("web", secretOf("correct horse"))).toBe(true)
    })
  })

  describe("clients that the configuration file declares", () => {
    it("are added, changed and removed with the file; what the command line added stays", async () => {
      const store = await open()
      await store.add({ client_id: "by hand" })
      expect(await store.upsertFromConfig([web, spa])).toEqual({ added: ["web", "spa"], changed: [], removed: [], unchanged: [] })
      expect(await store.upsertFromConfig([web, { ...spa, client_name: "Page" }])).toEqual({
        added: [],
        changed: ["spa"],
        removed: [],
        unchanged: ["web"],
      })
      expect(await store.upsertFromConfig([spa])).toMatchObject({ removed: ["web"] })
      expect((await store.list()).map(({ metadata, origin }) => [metadata.client_id, origin])).toEqual([
        ["by hand", "command"],
        ["spa", "config"],
      ])
    })

    it("win over one that the command line added under the same id", async () => {
      const store = await open()
      await store.add({ ...web, client_name: "By hand" })
      expect(await store.upsertFromConfig([web])).toMatchObject({ changed: ["web"] })
      expect(await store.show("web")).toMatchObject({ origin: "config", metadata: { client_name: "Web" } })
    })

    it("a secret that did not change is not hashed again, and works at once without a hash; one that changed is", async () => {
      const at = await place()
      await (await open(at)).upsertFromConfig([web])
      const { hashing, hashed, verified } = counted()
      const store = await open(at, hashing)
      expect(await store.upsertFromConfig([web])).toMatchObject({ unchanged: ["web"] })
      expect([hashed(), verified(), await store.verifySecret("web", secretOf("correct horse")), verified()]).toEqual([0, 1, true, 1])
      expect(await store.upsertFromConfig([{ ...web, client_secret: "another" }])).toMatchObject({ changed: ["web"] })
      expect([
        hashed(),
        await store.verifySecret("web", secretOf("another")),
        await store.verifySecret("web", secretOf("correct horse")),
      ]).toEqual([1, true, false])
    })

    it("a secret taken out of the file stops working", async () => {
      const store = await open()
      await store.upsertFromConfig([web])
      await store.upsertFromConfig([open_web])
      expect([await store.verifySecret("web", secretOf("correct horse")), (await store.show("web"))?.hasSecret]).toEqual([false, false])
    })

    it("a file with hundreds of secrets is taken over whole", async () => {
      const store = await open()
      const many = Array.from({ length: 600 }, (_, each) => ({ client_id: `client ${each}`, client_secret: `secret ${each}` }))
      expect((await store.upsertFromConfig(many)).added.length).toBe(600)
      expect(await store.verifySecret("client 599", secretOf("secret 599"))).toBe(true)
    })
  })

  describe("secrets that clients sign with (OpenID Connect Core §9)", () => {
    const secret = "a secret of more than thirty-two bytes"
    const hmac: ClientMetadata = { client_id: "hmac", token_endpoint_auth_method: "client_secret_jwt", client_secret: secret }
    const encryption = keyEncryption("A".repeat(43))
    const sealingWith = (at: Place, key: KeyEncryption | undefined): Promise<ClientRegistry> =>
      at.clients({ lifetimes: defaultLifetimes, hashing: argon2id(cheap), now: () => sampleTime, encryption: key })
    const sealing = async (given?: Place, key: KeyEncryption = encryption) => {
      const at = given ?? (await place())
      return { at, clients: await sealingWith(at, key) }
    }
    const sealedOf = async (at: Place, clientId = "hmac"): Promise<unknown> =>
      (await at.ask(`SELECT secret_sealed FROM clients WHERE client_id = '${clientId}'`))[0]?.[0]

    it("are given back, to this process and the next, and after a change the new one", async () => {
      const at = await place()
      const here = await sealing(at)
      await here.clients.add(hmac)
      const there = await sealing(at)
      expect([await here.clients.secretOf("hmac"), await there.clients.secretOf("hmac")].map((each) => each?.reveal())).toEqual([
        secret,
        secret,
      ])
      expect((await here.clients.show("hmac"))?.hasSecret).toBe(true)
      await here.clients.put({ ...hmac, client_secret: `another ${secret}` })
      await at.noticed(async () => (await there.clients.secretOf("hmac"))?.reveal()).toEqual(`another ${secret}`)
      await here.clients.put({ client_id: "hmac", token_endpoint_auth_method: "private_key_jwt" })
      await at.noticed(async () => there.clients.secretOf("hmac")).toEqual(undefined)
      expect((await here.clients.show("hmac"))?.hasSecret).toBe(false)
    })

    it("architecture law 9: are in no row in the clear, and not as a hash either", async () => {
      const { at, clients } = await sealing()
      await clients.add(hmac)
      await clients.upsertFromConfig([{ ...hmac, client_id: "declared" }])
      for (const clientId of ["hmac", "declared"]) expect(await sealedOf(at, clientId)).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/)
      const rows = JSON.stringify(await at.ask("SELECT metadata, secret_hash, secret_sealed FROM clients"))
      expect(rows).not.toMatch(/argon2id/)
      for (const form of formsOf(secret)) expect(rows).not.toContain(form)
      expect(JSON.stringify([await clients.list(), await clients.show("hmac"), await clients.secretOf("hmac")])).not.toContain(secret)
    })

    it("verify nothing that is sent in the clear; hashed ones are never given back", async () => {
      const { clients } = await sealing()
      await clients.add(hmac)
      await clients.add(web)
      expect([
        await clients.verifySecret("hmac", secretOf(secret)),
        await clients.secretOf("web"),
        await clients.secretOf("nobody"),
      ]).toEqual([false, undefined, undefined])
    })

    it("cannot be kept without a key to seal them with", async () => {
      const clients = await sealingWith(await place(), undefined)
      await expect(clients.add(hmac)).rejects.toThrow(RangeError)
      await expect(clients.put(hmac)).rejects.toThrow(RangeError)
      await expect(clients.upsertFromConfig([hmac])).rejects.toThrow(RangeError)
      expect(await clients.list()).toEqual([])
      await clients.add({ client_id: "hmac", token_endpoint_auth_method: "private_key_jwt" })
    })

    it("are out of reach, and no defect, without the key they were sealed with or in another client's row", async () => {
      const at = await place()
      const { clients } = await sealing(at)
      await clients.add(hmac)
      await clients.add({ ...hmac, client_id: "other" })
      const secretFrom = async (key: KeyEncryption | undefined) => (await sealingWith(at, key)).secretOf("hmac")
      for (const key of [undefined, keyEncryption("B".repeat(43))])
        await expect(secretFrom(key)).rejects.toMatchObject({ name: "StoreUnavailable", code: "SEALED" })
      await at.ask(
        "UPDATE clients SET secret_sealed = (SELECT secret_sealed FROM clients WHERE client_id = 'other') WHERE client_id = 'hmac'",
      )
      await expect(secretFrom(encryption)).rejects.toMatchObject({ code: "SEALED" })
    })

    it("that a file declares are sealed again only when they changed, or when the key did", async () => {
      const at = await place()
      const stores = await sealing(at)
      expect(await stores.clients.upsertFromConfig([hmac])).toMatchObject({ added: ["hmac"] })
      const first = await sealedOf(at)
      expect(await stores.clients.upsertFromConfig([hmac])).toMatchObject({ unchanged: ["hmac"] })
      expect(await sealedOf(at)).toBe(first)
      expect(await stores.clients.upsertFromConfig([{ ...hmac, client_secret: `another ${secret}` }])).toMatchObject({ changed: ["hmac"] })
      expect(await sealedOf(at)).not.toBe(first)
      const rekeyed = await sealing(at, keyEncryption("B".repeat(43)))
      expect(await rekeyed.clients.upsertFromConfig([hmac])).toMatchObject({ changed: ["hmac"] })
      expect((await rekeyed.clients.secretOf("hmac"))?.reveal()).toBe(secret)
    })

    it("a client whose method changes has its secret kept as the new method needs it, and no other way", async () => {
      const { at, clients } = await sealing()
      const kept = async () => {
        const [row = []] = await at.ask("SELECT secret_hash, secret_sealed FROM clients")
        return row.map((each) => typeof each)
      }
      await clients.upsertFromConfig([hmac])
      expect(await kept()).toEqual(["object", "string"])
      await clients.upsertFromConfig([{ ...hmac, token_endpoint_auth_method: "client_secret_basic" }])
      expect([await kept(), await clients.verifySecret("hmac", secretOf(secret)), await clients.secretOf("hmac")]).toEqual([
        ["string", "object"],
        true,
        undefined,
      ])
      await clients.upsertFromConfig([hmac])
      expect([await kept(), await clients.verifySecret("hmac", secretOf(secret))]).toEqual([["object", "string"], false])
    })
  })
})

it("architecture law 9: a secret that a client signs with is in no file of SQLite in the clear", async () => {
  const secret = "a secret of more than thirty-two bytes"
  const { clients, database } = temporaryStores(undefined, { encryption: keyEncryption("A".repeat(43)) })
  await clients.add({ client_id: "hmac", token_endpoint_auth_method: "client_secret_jwt", client_secret: secret })
  database.pragma("wal_checkpoint(TRUNCATE)")
  for (const form of formsOf(secret)) expect(database.serialize().toString("latin1")).not.toContain(form)
})
