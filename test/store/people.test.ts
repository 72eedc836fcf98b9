import { describe, expect, it, vi } from "vitest"
import { AlreadyExists, argon2id, type Hashing, isPasswordHash, NotFound, type People } from "@postern/stores"
import { sampleTime } from "@postern/core/testing"
import { type Place, places } from "./places.ts"
import { cheap, signIn } from "./support.ts"

const now = () => sampleTime

describe.each(places())("people in $name", ({ place }) => {
  const open = async ({ at, hashing = argon2id(cheap) }: { at?: Place; hashing?: Hashing } = {}): Promise<People> =>
    (at ?? (await place())).people({ hashing, now })

  describe("people", () => {
    it("the right password signs in, by any spelling of the username", async () => {
      const people = await open()
      const alice = await people.add({ username: " Alice ", password: "wonderland", claims: { name: "Alice Liddell" } })
      expect(alice).toMatchObject({ username: "Alice", active: true, claims: { name: "Alice Liddell" } })
      for (const spelled of ["Alice", "alice", "ALICE ", "ａｌｉｃｅ"]) {
        expect(await signIn(people, spelled, "wonderland")).toEqual({ _tag: "Verified", person: alice, amr: ["pwd"], acr: undefined })
      }
      expect(await people.find(alice.subject)).toEqual(alice)
      expect(await people.find("nobody")).toBeUndefined()
    })

    it("a password counts by its characters, however they are composed (RFC 8265 §4.2.2), and by case", async () => {
      const people = await open()
      await people.add({ username: "rené", password: "ﬁancé" })
      expect(await signIn(people, "rene\u0301", "ﬁance\u0301")).toMatchObject({ _tag: "Verified" })
      expect(await signIn(people, "rené", "Fiancé")).toMatchObject({ _tag: "Rejected" })
    })

    it("a wrong password, an unknown user and one without a password are rejected, with reasons for the operator alone", async () => {
      const people = await open()
      await people.add({ username: "alice", password: "wonderland" })
      await people.add({ username: "upstream" })
      expect(await signIn(people, "alice", "looking glass")).toEqual({ _tag: "Rejected", reason: "wrong password" })
      expect(await signIn(people, "nobody", "wonderland")).toEqual({ _tag: "Rejected", reason: "no such user" })
      expect(await signIn(people, "upstream", "")).toEqual({ _tag: "Rejected", reason: "wrong password" })
    })

    it("an unknown user costs a hash at the same parameters as a known one (CWE-208)", async () => {
      const real = argon2id()
      const verified: Array<string> = []
      const hashing: Hashing = { ...real, verify: (hashed, secret) => (verified.push(hashed), real.verify(hashed, secret)) }
      const people = await open({ hashing })
      await people.add({ username: "alice", password: "wonderland" })
      await people.add({ username: "upstream" })
      for (const username of ["alice", "nobody", "upstream"]) await signIn(people, username, "wrong")
      expect(verified.map((hashed) => hashed.split("$").slice(0, 4).join("$"))).toEqual(Array(3).fill("$argon2id$v=19$m=19456,t=2,p=1"))
      expect(verified.map((hashed) => hashed.length)).toEqual(Array(3).fill(verified[0]?.length))
    })

    it("a password of more than 1024 characters is refused before it is hashed", async () => {
      const people = await open()
      await people.add({ username: "alice", password: "x".repeat(1024) })
      expect(await signIn(people, "alice", "x".repeat(1024))).toMatchObject({ _tag: "Verified" })
      expect(await signIn(people, "alice", "x".repeat(1025))).toMatchObject({ _tag: "Rejected" })
      await expect(people.add({ username: "bob", password: "x".repeat(1025) })).rejects.toThrow(RangeError)
    })

    it("a disabled person is rejected, and told so only with the right password; enabling lets them in again", async () => {
      const people = await open()
      const { subject } = await people.add({ username: "alice", password: "wonderland" })
      await people.disable("ALICE")
      expect(await signIn(people, "alice", "wonderland")).toEqual({ _tag: "Rejected", reason: "the user is disabled" })
      expect(await signIn(people, "alice", "wrong")).toEqual({ _tag: "Rejected", reason: "wrong password" })
      expect(await people.find(subject)).toMatchObject({ active: false })
      await people.enable("alice")
      expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Verified" })
      await expect(people.disable("nobody")).rejects.toThrow(NotFound)
    })

    it("a person of one tenant does not sign in to another", async () => {
      const people = await open()
      await people.add({ username: "alice", password: "wonderland", tenant: "acme" })
      expect(await signIn(people, "alice", "wonderland", undefined, "acme")).toMatchObject({ _tag: "Verified" })
      expect(await signIn(people, "alice", "wonderland", undefined, "other")).toMatchObject({ _tag: "Rejected" })
    })

    it("a changed password takes the place of the old one", async () => {
      const people = await open()
      await people.add({ username: "alice", password: "wonderland" })
      await people.setPassword("Alice", "looking glass")
      expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Rejected" })
      expect(await signIn(people, "alice", "looking glass")).toMatchObject({ _tag: "Verified" })
      await expect(people.setPassword("nobody", "x")).rejects.toThrow(NotFound)
      await expect(people.setPassword("alice", "")).rejects.toThrow(RangeError)
    })

    it("a hash at outdated parameters is renewed when its person signs in, and not when a guess fails", async () => {
      const at = await place()
      await (await open({ at })).add({ username: "alice", password: "wonderland" })
      const hashOf = async () => String((await at.ask("SELECT password_hash FROM users"))[0]?.[0])
      const before = await hashOf()
      const people = await open({ at, hashing: argon2id({ memoryCost: 64, timeCost: 1 }) })
      await signIn(people, "alice", "wrong")
      expect(await hashOf()).toBe(before)
      expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Verified" })
      expect(await hashOf()).toMatch(/m=64,t=1,p=1/)
      expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Verified" })
    })

    it("a username is nobody else's in any spelling, a subject is nobody else's either", async () => {
      const people = await open()
      await people.add({ username: "alice", subject: "s-1" })
      await expect(people.add({ username: "Alice " })).rejects.toThrow(AlreadyExists)
      await expect(people.add({ username: "bob", subject: "s-1" })).rejects.toThrow(AlreadyExists)
      await people.remove("alice")
      expect((await people.add({ username: "alice" })).subject).not.toBe("s-1")
    })

    it.each([
      ["an empty username", { username: " " }],
      ["a username of 201 characters", { username: "x".repeat(201) }],
      ["a control character", { username: "al\u0007ice" }],
      ["an empty password", { username: "alice", password: "" }],
      ["a hash that is none", { username: "alice", passwordHash: "wonderland" }],
      ["a bcrypt hash", { username: "alice", passwordHash: "$2b$12$abcdefghijklmnopqrstuv" }],
      ["a hash that costs a gibibyte", { username: "alice", passwordHash: "$argon2id$v=19$m=1048576,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g" }],
      ["a password and a hash", { username: "alice", password: "x", passwordHash: "$argon2id$v=19$m=32,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g" }],
      ["a subject with a space (OpenID Connect Core §2: ASCII)", { username: "alice", subject: "a b" }],
      ["a subject of 256 characters", { username: "alice", subject: "x".repeat(256) }],
    ])("%s is refused", async (_what, user) => {
      await expect((await open()).add(user)).rejects.toThrow(RangeError)
    })

    it("a hash made elsewhere is taken over as it is", async () => {
      const passwordHash = await argon2id({ memoryCost: 64, timeCost: 2 }).hash("wonderland")
      expect(isPasswordHash(passwordHash)).toBe(true)
      const people = await open()
      await people.add({ username: "alice", passwordHash })
      expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Verified" })
    })

    it("lists show who there is and no hash", async () => {
      const people = await open()
      await people.add({ username: "bob" })
      await people.add({ username: "Alice", password: "wonderland" })
      expect((await people.list()).map(({ username, hasPassword, origin }) => [username, hasPassword, origin])).toEqual([
        ["Alice", true, "command"],
        ["bob", false, "command"],
      ])
      expect(JSON.stringify([await people.list(), await people.show("alice")])).not.toContain("argon2")
      expect(await people.show("nobody")).toBeUndefined()
    })
  })

  describe("people that the configuration file declares", () => {
    it("are added, changed and removed with the file and keep their subject; what the command line added stays", async () => {
      const people = await open()
      await people.add({ username: "by hand" })
      expect(await people.upsertFromConfig([{ username: "alice", password: "wonderland" }, { username: "bob" }])).toMatchObject({
        added: ["alice", "bob"],
      })
      const subject = (await people.show("alice"))?.subject
      const changed = await people.upsertFromConfig([{ username: "alice", password: "wonderland", claims: { name: "Alice" } }])
      expect(changed).toEqual({ added: [], changed: ["alice"], removed: ["bob"], unchanged: [] })
      expect(await people.show("alice")).toMatchObject({ subject, origin: "config", claims: { name: "Alice" } })
      expect((await people.list()).map(({ username }) => username)).toEqual(["alice", "by hand"])
    })

    it("a password that did not change is not hashed again; one that is not declared stays; one that changed counts", async () => {
      const at = await place()
      const hash = vi.fn(argon2id(cheap).hash)
      const people = await open({ at, hashing: { ...argon2id(cheap), hash } })
      await people.upsertFromConfig([{ username: "alice", password: "wonderland" }])
      expect(await people.upsertFromConfig([{ username: "alice", password: "wonderland" }])).toMatchObject({ unchanged: ["alice"] })
      expect(await people.upsertFromConfig([{ username: "alice" }])).toMatchObject({ unchanged: ["alice"] })
      expect(hash).toHaveBeenCalledTimes(1)
      expect(await people.upsertFromConfig([{ username: "alice", password: "looking glass" }])).toMatchObject({ changed: ["alice"] })
      expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Rejected" })
      expect(await signIn(people, "alice", "looking glass")).toMatchObject({ _tag: "Verified" })
    })

    it("a password is compared at a start without a hash, and counts at once; one that the file changed reaches the row after that", async () => {
      const at = await place()
      await (await open({ at })).upsertFromConfig([{ username: "alice", password: "wonderland" }])
      const heldUp = { ...argon2id(cheap), verify: () => new Promise<boolean>(() => undefined) }
      const held = await open({ at, hashing: heldUp })
      expect(await held.upsertFromConfig([{ username: "alice", password: "wonderland" }])).toMatchObject({ unchanged: ["alice"] })
      const [there, people] = [await open({ at }), await open({ at })]
      await people.upsertFromConfig([{ username: "alice", password: "looking glass" }])
      expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Rejected" })
      expect(await signIn(people, "alice", "looking glass")).toMatchObject({ _tag: "Verified" })
      await expect.poll(async () => (await signIn(there, "alice", "looking glass"))._tag).toBe("Verified")
      expect(await signIn(there, "alice", "wonderland")).toMatchObject({ _tag: "Rejected" })
      await there.setPassword("alice", "by hand")
      expect(await signIn(people, "alice", "by hand")).toMatchObject({ _tag: "Verified" })
      expect(await signIn(people, "alice", "looking glass")).toMatchObject({ _tag: "Rejected" })
    })

    it("a process that recalls declared passwords judges by them and writes nothing; a row that was changed since is judged by its hash", async () => {
      const at = await place()
      await (await open({ at })).upsertFromConfig([{ username: "alice", password: "wonderland" }])
      const main = await open({ at, hashing: { ...argon2id(cheap), verify: () => new Promise<boolean>(() => undefined) } })
      const declared = [{ username: "alice", password: "looking glass" }]
      await main.upsertFromConfig(declared)
      const people = await open({ at })
      await people.disable("alice")
      await people.recallFromConfig([...declared, { username: "bob", password: "wonderland" }], main.declaredHashes())
      expect((await people.list()).map(({ username, disabled }) => [username, disabled])).toEqual([["alice", true]])
      await people.enable("alice")
      expect(await signIn(people, "alice", "looking glass")).toMatchObject({ _tag: "Verified" })
      expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Rejected" })
      await people.setPassword("alice", "by hand")
      await people.recallFromConfig(declared, main.declaredHashes())
      expect(await signIn(people, "alice", "looking glass")).toMatchObject({ _tag: "Rejected" })
      expect(await signIn(people, "alice", "by hand")).toMatchObject({ _tag: "Verified" })
    })

    it("a subject that belongs to somebody else is refused, and nothing of the file is taken over", async () => {
      const people = await open()
      await people.add({ username: "carol", subject: "s-1" })
      await expect(people.upsertFromConfig([{ username: "alice" }, { username: "bob", subject: "s-1" }])).rejects.toThrow(AlreadyExists)
      expect((await people.list()).map(({ username }) => username)).toEqual(["carol"])
    })
  })
})
