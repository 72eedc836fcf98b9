import { inMemory, type People, sqliteAuthenticator } from "@postern/adapter-sqlite"
import { secretOf, type UpstreamIdentity, type Verification } from "@postern/core/model"
import { sampleTime } from "@postern/core/testing"
import { StoreUnavailable } from "@postern/stores"
import type { UserRow, Users } from "@postern/stores/rows"
import { describe, expect, test, vi } from "vitest"
import { identitiesOf } from "../../packages/adapter-sqlite/src/people/identities.ts"
import { usersOf, usersRead } from "../../packages/adapter-sqlite/src/people/users.ts"
import { declareUsers, type NewUser } from "../../packages/stores/src/people/declare.ts"
import { freeUsername, usernamesFor } from "../../packages/stores/src/people/users.ts"
import { declaredSecrets } from "../../packages/stores/src/secrets/declaredSecrets.ts"
import { sampleIdentity, signIn, standingClock, temporaryDatabase } from "../store/support.ts"
import { standInHash, standInHashing } from "./standInHashing.ts"

// Hashing stands in for argon2id here, and the database is in memory: test/store has the same people over real ones.

const outdatedCost = "m=128,t=3,p=2"

type Options = Parameters<typeof sqliteAuthenticator>[1]

const opened = (
  more: Partial<Options> = {},
  database = temporaryDatabase(inMemory),
  ...others: readonly [undefined, never] | readonly []
) => {
  const clock = standingClock()
  const hashing = standInHashing()
  const people = sqliteAuthenticator(database, { hashing, now: clock.now, ...more }, ...others)
  const hashOf = (username: string) =>
    database.prepare<[string], string | null>("SELECT password_hash FROM users WHERE username = ?").pluck().get(username)
  return { people, hashing, clock, database, hashOf }
}

const rejected = (reason: string): Verification => ({ _tag: "Rejected", reason })

const admitted = async (people: People, told: Partial<UpstreamIdentity> = {}) => {
  const verification = await people.admit(sampleIdentity(told), undefined)
  if (verification._tag !== "Verified") throw new Error("not admitted")
  return verification.person
}

describe("people", () => {
  test("are added as they are described, found by subject and shown by any spelling of their username, without a hash", async () => {
    const { people, clock } = opened()
    const alice = await people.add({ username: " Alice ", password: "wonderland", claims: { name: "Alice" }, subject: "s-1" })
    expect(alice).toEqual({ subject: "s-1", username: "Alice", active: true, claims: { name: "Alice" }, tenant: null })
    clock.forward(5)
    const bob = await people.add({ username: "bob", disabled: true, tenant: "acme" })
    expect(bob).toEqual({ subject: expect.stringMatching(/^[\da-f-]{36}$/), username: "bob", active: false, claims: {}, tenant: "acme" })
    const shown = {
      subject: "s-1",
      username: "Alice",
      claims: { name: "Alice" },
      disabled: false,
      tenant: undefined,
      origin: "command",
      createdAt: sampleTime,
      updatedAt: sampleTime,
      hasPassword: true,
      provider: undefined,
    }
    expect(await people.show("ＡLICE")).toEqual(shown)
    expect(await people.list()).toEqual([
      shown,
      expect.objectContaining({ username: "bob", hasPassword: false, createdAt: sampleTime + 5 }),
    ])
    expect([await people.find("s-1"), await people.find("nobody"), await people.show("nobody")]).toEqual([alice, undefined, undefined])
    for (const taken of [{ username: "ALICE" }, { username: "carol", subject: "s-1" }])
      await expect(people.add(taken)).rejects.toMatchObject({
        name: "AlreadyExists",
        message: `there is a user ${taken.username} or of that subject already`,
      })
  })

  test("sign in with their password, and are told no reason that a guesser could use", async () => {
    const { people, hashing } = opened()
    const alice = await people.add({ username: "alice", password: "wonderland" })
    await people.add({ username: "upstream" })
    expect(await signIn(people, "ALICE", "wonderland")).toEqual({ _tag: "Verified", person: alice, amr: ["pwd"], acr: undefined })
    expect(await signIn(people, "alice", "wrong")).toEqual(rejected("wrong password"))
    expect(await signIn(people, "nobody", "wonderland")).toEqual(rejected("no such user"))
    expect(await signIn(people, "upstream", "")).toEqual(rejected("wrong password"))
    expect(hashing.verified, "each costs a hash").toEqual(["wonderland", "wrong", "wonderland", ""].map((each) => `${each} sign_in -`))
    await people.verify({
      username: "alice",
      password: secretOf("x"),
      address: "192.0.2.1",
      tenant: undefined,
      acrValues: [],
      sentBy: "client",
    })
    expect(hashing.verified.at(-1)).toBe("x password_grant 192.0.2.1")
  })

  test("a username or password of more than 1024 characters is refused before it is hashed", async () => {
    const { people, hashing } = opened()
    await people.add({ username: "alice", password: "x".repeat(1024) })
    const long = rejected("a username or password of more than 1024 characters")
    expect(await signIn(people, "alice", "x".repeat(1025))).toEqual(long)
    expect(await signIn(people, "a".repeat(1025), "x")).toEqual(long)
    expect(hashing.verified).toEqual([])
    expect((await signIn(people, "alice", "x".repeat(1024)))._tag).toBe("Verified")
    expect(await signIn(people, "a".repeat(1024), "x")).toEqual(rejected("no such user"))
  })

  test("who is disabled, or belongs to another tenant, is told so with the right password alone", async () => {
    const { people, clock } = opened()
    const { subject } = await people.add({ username: "alice", password: "wonderland", tenant: "acme" })
    clock.forward(7)
    await people.disable("ALICE")
    expect(await signIn(people, "alice", "wonderland")).toEqual(rejected("the user is disabled"))
    expect(await signIn(people, "alice", "wrong")).toEqual(rejected("wrong password"))
    expect([await people.find(subject), (await people.show("alice"))?.updatedAt]).toMatchObject([{ active: false }, sampleTime + 7])
    await people.enable("alice")
    expect([(await signIn(people, "alice", "wonderland"))._tag, (await people.show("alice"))?.disabled]).toEqual(["Verified", false])
    expect((await signIn(people, "alice", "wonderland", undefined, "acme"))._tag).toBe("Verified")
    expect(await signIn(people, "alice", "wonderland", undefined, "other")).toEqual(rejected("the user belongs to another tenant"))
    await people.add({ username: "bob", password: "wonderland" })
    expect((await signIn(people, "bob", "wonderland", undefined, "other"))._tag).toBe("Verified")
  })

  test("a changed password takes the place of the old one, and who is not there cannot be changed", async () => {
    const { people, clock } = opened()
    await people.add({ username: "alice", password: "wonderland" })
    clock.forward(3)
    await people.setPassword("Alice", "looking glass")
    expect((await people.show("alice"))?.updatedAt).toBe(sampleTime + 3)
    expect([(await signIn(people, "alice", "wonderland"))._tag, (await signIn(people, "alice", "looking glass"))._tag]).toEqual([
      "Rejected",
      "Verified",
    ])
    await expect(people.setPassword("alice", "")).rejects.toThrow(RangeError)
    const nobody = { name: "NotFound", message: "there is no user nobody" }
    for (const change of [people.disable("nobody"), people.enable("nobody"), people.setPassword("nobody", "x"), people.remove("nobody")])
      await expect(change).rejects.toMatchObject(nobody)
    await people.remove("ALICE")
    expect(await people.list()).toEqual([])
  })

  test("a hash of another cost is made anew at a right sign-in, unless the password was changed meanwhile", async () => {
    const { people, hashing, database, hashOf } = opened()
    const before = standInHash("wonderland", outdatedCost)
    await people.add({ username: "alice", passwordHash: `$argon2id$v=19$m=64,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g` })
    database.prepare("UPDATE users SET password_hash = ?").run(before)
    await signIn(people, "alice", "wrong")
    expect(hashOf("alice")).toBe(before)
    expect((await signIn(people, "alice", "wonderland"))._tag).toBe("Verified")
    expect(hashOf("alice")).toBe(standInHash("wonderland"))
    const made = hashing.hashed.length
    expect([(await signIn(people, "alice", "wonderland"))._tag, hashing.hashed.length]).toEqual(["Verified", made])
    database.prepare("UPDATE users SET password_hash = ?").run(before)
    database.pragma("query_only = ON")
    expect((await signIn(people, "alice", "wonderland"))._tag, "it cannot be stored").toBe("Verified")
  })

  const hash = "$argon2id$v=19$m=262144,t=10,p=8$c2FsdHNhbHQ$aGFzaGhhc2g"

  test.each<readonly [string, NewUser]>([
    ["a username has 1 to 200 characters and no control characters", { username: " " }],
    ["a username has 1 to 200 characters and no control characters", { username: "x".repeat(201) }],
    ["a username has 1 to 200 characters and no control characters", { username: "al\u0007ice" }],
    ["a password has 1 to 1024 characters", { username: "a", password: "" }],
    ["a password has 1 to 1024 characters", { username: "a", password: "x".repeat(1025) }],
    ["give a password or its hash, not both", { username: "a", password: "x", passwordHash: hash }],
    ["a password hash is an argon2id hash in PHC form", { username: "a", passwordHash: "wonderland" }],
    ["a password hash is an argon2id hash in PHC form", { username: "a", passwordHash: hash.replace("m=262144", "m=262145") }],
    ["a password hash is an argon2id hash in PHC form", { username: "a", passwordHash: hash.replace("t=10", "t=11") }],
    ["a password hash is an argon2id hash in PHC form", { username: "a", passwordHash: hash.replace("p=8", "p=9") }],
    ["a subject has 1 to 255 printable ASCII characters", { username: "a", subject: "" }],
    ["a subject has 1 to 255 printable ASCII characters", { username: "a", subject: "a b" }],
    ["a subject has 1 to 255 printable ASCII characters", { username: "a", subject: "é" }],
    ["a subject has 1 to 255 printable ASCII characters", { username: "a", subject: "x".repeat(256) }],
    ["a tenant has 1 to 200 printable ASCII characters", { username: "a", tenant: "" }],
    ["a tenant has 1 to 200 printable ASCII characters", { username: "a", tenant: "a b" }],
    ["a tenant has 1 to 200 printable ASCII characters", { username: "a", tenant: "x".repeat(201) }],
  ])("%s (%#)", async (reason, user) => {
    const { people } = opened()
    const refusal = people.add(user)
    await expect(refusal).rejects.toThrow(RangeError)
    await expect(refusal).rejects.toThrow(reason)
    expect(await people.list()).toEqual([])
  })

  test("what is as long as it may be is kept", async () => {
    const { people } = opened()
    const user = { username: "x".repeat(200), subject: "s".repeat(255), tenant: "t".repeat(200), passwordHash: hash }
    expect(await people.add(user)).toMatchObject({ subject: user.subject, tenant: user.tenant })
    expect((await people.show(user.username))?.hasPassword).toBe(true)
    expect((await people.add({ username: "y", password: "x".repeat(1024), subject: "!~" })).subject).toBe("!~")
  })
})

describe("people of other providers", () => {
  test("OpenID Connect Core §5.7: are known by issuer and subject alone, and told anew at each sign-in", async () => {
    const { people, clock, database } = opened()
    const ann = await admitted(people, { claims: { preferred_username: "ann", name: "Ann" } })
    expect(ann).toMatchObject({ username: "ann", active: true, claims: { preferred_username: "ann", name: "Ann" }, tenant: null })
    clock.forward(60)
    const again = await people.admit(
      sampleIdentity({ provider: "renamed", claims: { name: "Ann Smith" }, acr: "silver", amr: ["otp"] }),
      undefined,
    )
    expect(again).toEqual({ _tag: "Verified", person: { ...ann, claims: { name: "Ann Smith" } }, amr: ["otp"], acr: "silver" })
    expect(await people.show("ann")).toEqual({
      subject: ann.subject,
      username: "ann",
      claims: { name: "Ann Smith" },
      disabled: false,
      tenant: undefined,
      origin: "upstream",
      createdAt: sampleTime,
      updatedAt: sampleTime + 60,
      hasPassword: false,
      provider: "renamed",
    })
    clock.forward(60)
    await people.admit(sampleIdentity({ claims: { name: "Ann Smith" } }), undefined)
    expect((await people.show("ann"))?.updatedAt, "nothing new was told").toBe(sampleTime + 60)
    expect(database.prepare("SELECT created_at, last_seen FROM identities").raw().all()).toEqual([[sampleTime, sampleTime + 120]])
    for (const other of [{ subject: "theirs-2" }, { issuer: "https://other.example" }])
      expect((await admitted(people, other)).subject).not.toBe(ann.subject)
  })

  test("are named after what they are called, or how they are written to, or where they come from; and by no name that is taken", async () => {
    const { people } = opened()
    await people.add({ username: "alice" })
    const named = async (subject: string, claims: UpstreamIdentity["claims"]) => (await admitted(people, { subject, claims })).username
    expect([
      await named("1", { preferred_username: " Al\u0007an ", email: "alan@example.com" }),
      await named("2", { preferred_username: " \u0000 ", email: "bea@example.com" }),
      await named("3", { preferred_username: 7, email: [] }),
      await named("4", {}),
      await named("5", { preferred_username: "ＡLICE" }),
      await named("6", { preferred_username: "alice" }),
      await named("7", { preferred_username: "x".repeat(300) }),
      await named("8", { preferred_username: "x".repeat(300) }),
    ]).toEqual([
      "Alan",
      "bea@example.com",
      "somebody (corp)",
      "somebody (corp) (corp)",
      "ＡLICE (corp)",
      "alice (corp 2)",
      "x".repeat(120),
      `${"x".repeat(120)} (corp)`,
    ])
    const names = usernamesFor("a", "corp")
    expect([1, 2, 3, 4].map(() => names.next().value)).toEqual(["a", "a (corp)", "a (corp 2)", "a (corp 3)"])
    expect(freeUsername("A", "corp", (key) => key === "a")).toBe("A (corp)")
  })

  test("are rejected where they are disabled, gone, of another tenant, or too long to keep, and nothing of theirs is changed", async () => {
    const { people, database } = opened()
    await admitted(people, { claims: { preferred_username: "ann" } })
    await people.disable("ann")
    expect(await people.admit(sampleIdentity({ claims: { name: "x" } }), undefined)).toEqual(rejected("the user is disabled"))
    expect((await people.show("ann"))?.claims).toEqual({ preferred_username: "ann" })
    await people.enable("ann")
    database.prepare("UPDATE users SET tenant = 'acme'").run()
    const identity = sampleIdentity({ claims: { preferred_username: "ann" } })
    await admitted(people, { subject: "2", claims: { preferred_username: "bea" } })
    database.prepare("UPDATE users SET tenant = NULL WHERE username = 'bea'").run()
    expect((await people.admit(sampleIdentity({ subject: "2" }), "other"))._tag, "who belongs to none").toBe("Verified")
    expect(await people.admit(identity, "other")).toEqual(rejected("the user belongs to another tenant"))
    expect([(await people.admit(identity, "acme"))._tag, (await people.admit(identity, undefined))._tag]).toEqual(["Verified", "Verified"])
    const long = rejected("its issuer or subject is too long to keep")
    for (const told of [{ subject: "x".repeat(256) }, { issuer: `https://${"x".repeat(1017)}` }])
      expect(await people.admit(sampleIdentity(told), undefined)).toEqual(long)
    expect((await admitted(people, { subject: "x".repeat(255), issuer: "y".repeat(1024) })).username).toBe("somebody (corp)")
    database.exec("PRAGMA foreign_keys = OFF; DELETE FROM users")
    expect(await people.admit(sampleIdentity(), undefined)).toEqual(rejected("the user is gone"))
  })

  test("are somebody new after they were removed, and the link goes with them", async () => {
    const { people, database } = opened()
    const ann = await admitted(people, { claims: { preferred_username: "ann" } })
    await people.remove("ann")
    expect(database.prepare("SELECT count(*) FROM identities").pluck().get()).toBe(0)
    expect((await admitted(people)).subject).not.toBe(ann.subject)
  })

  test("RFC 9700 §4.15: of a person that the file or a command made, the provider's claims take no place", async () => {
    const { people, database } = opened()
    const ann = await admitted(people, { claims: { preferred_username: "ann" } })
    database.prepare("UPDATE users SET origin = 'command', claims = '{\"name\":\"ours\"}'").run()
    expect(await admitted(people, { claims: { name: "theirs" } })).toEqual({ ...ann, claims: { name: "ours" } })
    expect((await people.find(ann.subject))?.claims).toEqual({ name: "ours" })
  })

  test("a person who cannot be added is a defect, and nothing of them is kept", () => {
    const database = temporaryDatabase(inMemory)
    const users = usersOf(database)
    const refusing = identitiesOf(database, { ...users, insert: () => false })
    expect(() => refusing.admit(sampleIdentity(), undefined, sampleTime)).toThrow("a person from another provider could not be added")
    const losing = identitiesOf(database, { ...users, findUsername: () => undefined })
    void losing.admit(sampleIdentity({ subject: "1" }), undefined, sampleTime)
    expect(() => losing.admit(sampleIdentity({ subject: "2" }), undefined, sampleTime)).toThrow(
      "a person from another provider could not be added",
    )
    expect(database.prepare("SELECT count(*) FROM identities").pluck().get()).toBe(1)
  })

  test("other processes' writers admit and rehash in the place of this one", async () => {
    const admit = vi.fn((): Verification => rejected("elsewhere"))
    const rehash = vi.fn()
    const { people, database } = opened({}, undefined, undefined, { admit, rehash } as never)
    expect(await people.admit(sampleIdentity(), "acme")).toEqual(rejected("elsewhere"))
    expect(admit.mock.calls).toEqual([[sampleIdentity(), "acme", sampleTime]])
    const { subject } = await people.add({ username: "alice", password: "wonderland" })
    const before = standInHash("wonderland", outdatedCost)
    database.prepare("UPDATE users SET password_hash = ?").run(before)
    await signIn(people, "alice", "wonderland")
    expect(rehash.mock.calls).toEqual([[subject, before, standInHash("wonderland")]])
  })
})

describe("people that a file declares", () => {
  test("are added, changed and removed with it, keep their subject, and others stay", async () => {
    const { people, clock } = opened()
    await people.add({ username: "by hand" })
    expect(
      await people.upsertFromConfig([
        { username: "Alice", password: "wonderland" },
        { username: "bob", subject: "s-bob" },
      ]),
    ).toEqual({
      added: ["Alice", "bob"],
      changed: [],
      removed: [],
      unchanged: [],
    })
    const alice = await people.show("alice")
    clock.forward(9)
    expect(await people.upsertFromConfig([{ username: "alice", password: "wonderland", claims: { name: "A" } }])).toEqual({
      added: [],
      changed: ["alice"],
      removed: ["bob"],
      unchanged: [],
    })
    expect(await people.show("alice")).toEqual({
      ...alice,
      username: "alice",
      claims: { name: "A" },
      origin: "config",
      createdAt: sampleTime,
      updatedAt: sampleTime + 9,
    })
    expect((await people.list()).map(({ username }) => username)).toEqual(["alice", "by hand"])
    expect(await people.upsertFromConfig([{ username: "by hand" }])).toMatchObject({ changed: ["by hand"], removed: ["alice"] })
    expect(await people.show("by hand")).toMatchObject({ origin: "config", createdAt: sampleTime })
  })

  test("an agreement with what is stored writes nothing, and hashes nothing again", async () => {
    const { people, hashing, database } = opened()
    const declared = [{ username: "alice", password: "wonderland" }, { username: "bob" }]
    await people.upsertFromConfig(declared)
    database.pragma("query_only = ON")
    expect((await people.upsertFromConfig(declared)).unchanged).toEqual(["alice", "bob"])
    expect((await people.upsertFromConfig([{ username: "alice" }, { username: "bob" }])).unchanged).toEqual(["alice", "bob"])
    expect(hashing.hashed).toEqual(["wonderland"])
  })

  test("a password counts at once as the file has it, and its row is compared afterwards", async () => {
    const { people, database } = opened()
    await people.upsertFromConfig([{ username: "alice", password: "wonderland" }])
    expect(await people.upsertFromConfig([{ username: "alice", password: "looking glass" }])).toMatchObject({ changed: ["alice"] })
    expect([(await signIn(people, "alice", "wonderland"))._tag, (await signIn(people, "alice", "looking glass"))._tag]).toEqual([
      "Rejected",
      "Verified",
    ])
    const fresh = opened({}, database)
    expect(await fresh.people.upsertFromConfig([{ username: "alice", password: "third" }])).toMatchObject({ unchanged: ["alice"] })
    expect([(await signIn(fresh.people, "alice", "third"))._tag, (await signIn(fresh.people, "alice", "looking glass"))._tag]).toEqual([
      "Verified",
      "Rejected",
    ])
    await vi.waitFor(async () => expect(fresh.hashOf("alice")).toBe(standInHash("third")), { timeout: 10_000 })
    expect(fresh.hashing.hashed).toEqual(["third"])
    expect(await fresh.people.upsertFromConfig([{ username: "alice", passwordHash: standInHash("by hash") }])).toMatchObject({
      changed: ["alice"],
    })
    expect((await signIn(fresh.people, "alice", "by hash"))._tag).toBe("Verified")
  })

  test("a row that cannot be compared now does not keep the file from counting; another process may compare it", async () => {
    const { people, database, hashing } = opened()
    const declared = [{ username: "alice", password: "wonderland" }]
    await people.upsertFromConfig(declared)
    const failing = opened({ hashing: { ...hashing, verify: () => Promise.reject(new Error("overload")) } }, database)
    expect(await failing.people.upsertFromConfig(declared)).toMatchObject({ unchanged: ["alice"] })
    const elsewhere = opened({ confirms: false }, database)
    await elsewhere.people.upsertFromConfig(declared)
    expect(elsewhere.hashing.verified).toEqual([])
  })

  test("passwords are told to other processes by their hashes, and recalled without writing while their rows keep them", async () => {
    const { people, database } = opened()
    const declared = [{ username: "alice", password: "wonderland" }, { username: "bob" }]
    await people.upsertFromConfig(declared)
    const hashes = people.declaredHashes()
    const alice = (await people.show("alice"))?.subject ?? ""
    expect(hashes.map(([subject]) => subject)).toEqual([alice])
    const recall = async (users: ReadonlyArray<NewUser>, known = hashes) => {
      const { people: recalling } = opened({ hashing: { ...standInHashing(), verify: async () => false } }, database)
      await recalling.recallFromConfig(users, known)
      return recalling
    }
    database.pragma("query_only = ON")
    const right = await recall([...declared, { username: "carol", password: "wonderland" }, { username: "bob", password: "x" }])
    expect([right.declaredHashes(), (await signIn(right, "alice", "wonderland"))._tag]).toEqual([hashes, "Verified"])
    expect((await recall([{ username: "alice" }])).declaredHashes()).toEqual([])
    expect((await recall(declared, [[alice, "another hash"]])).declaredHashes()).toEqual([])
    database.pragma("query_only = OFF")
    await people.setPassword("alice", "by hand")
    expect((await recall(declared)).declaredHashes()).toEqual([])
  })

  test("take the name of somebody from another provider, who stays who they are", async () => {
    const { people } = opened()
    const bob = await admitted(people, { claims: { preferred_username: "bob" } })
    await admitted(people, { subject: "2", claims: { preferred_username: "bob (moved)" } })
    expect(await people.upsertFromConfig([{ username: "bob", password: "wonderland" }])).toMatchObject({ added: ["bob"] })
    expect((await people.show("bob"))?.subject).not.toBe(bob.subject)
    expect(await people.find(bob.subject)).toMatchObject({ username: "bob (moved 2)" })
    await people.upsertFromConfig([])
    expect((await people.list()).map(({ username }) => username)).toEqual(["bob (moved 2)", "bob (moved)"].toSorted())
  })

  test("a subject that is somebody else's is refused, and nothing of the file is taken over", async () => {
    const { people } = opened()
    await people.add({ username: "carol", subject: "s-1" })
    await expect(people.upsertFromConfig([{ username: "alice" }, { username: "bob", subject: "s-1" }])).rejects.toMatchObject({
      name: "AlreadyExists",
      message: "the subject s-1 of user bob belongs to another user",
    })
    expect((await people.list()).map(({ username }) => username)).toEqual(["carol"])
  })

  test("whoever changes people meanwhile is waited for, ten times at the most", async () => {
    const users = usersOf(temporaryDatabase(inMemory))
    const hashing = standInHashing()
    const declared = declaredSecrets(hashing, users.rehash)
    let agreed = 0
    const busy = (times: number): Users => ({
      ...users,
      agree: (written, removed, revision) => users.agree(written, removed, ++agreed <= times ? revision + 1 : revision),
    })
    const file = [{ username: "alice" }]
    expect(await declareUsers(busy(9), { hashing, declared, now: () => sampleTime }, file)).toMatchObject({ added: ["alice"] })
    expect(agreed).toBe(10)
    agreed = 0
    const other = [{ username: "bob" }]
    await expect(declareUsers(busy(10), { hashing, declared, now: () => sampleTime }, other)).rejects.toMatchObject({
      operation: "write declared users",
      code: "CONFLICT",
    })
    expect(agreed).toBe(10)
  })
})

describe("rows of people", () => {
  const row = (username: string, more: Partial<UserRow> = {}): UserRow => ({
    subject: `sub-${username}`,
    username,
    usernameKey: username,
    passwordHash: undefined,
    claims: {},
    disabled: false,
    tenant: undefined,
    origin: "command",
    createdAt: 1,
    updatedAt: 1,
    ...more,
  })

  test("count up the revision with what others must notice, and tell of every change, those that fail too", async () => {
    const told = vi.fn()
    const database = temporaryDatabase(inMemory)
    const users = usersOf(database, told)
    const { insert, disable, setPassword, remove, rehash, refresh, revision, agree } = users
    const first = Number(await revision())
    expect([insert(row("a", { passwordHash: "old" })), insert(row("a"))]).toEqual([true, false])
    expect([await disable("a", true, 5), await disable("b", true, 5)]).toEqual([true, false])
    expect([users.findUsername("a"), users.findSubject("sub-a")?.disabled]).toMatchObject([{ disabled: true, updatedAt: 5 }, true])
    expect([await disable("a", false, 6), users.findUsername("a")?.disabled]).toEqual([true, false])
    expect([await setPassword("a", "new", 7), await setPassword("b", "new", 7)]).toEqual([true, false])
    expect(Number(await revision()) - first).toBe(7)
    await rehash("sub-a", "old", "other")
    expect(users.findUsername("a")?.passwordHash, "it was changed meanwhile").toBe("new")
    await rehash("sub-a", "new", "newer")
    refresh("sub-a", { name: "A" }, 8)
    expect(users.findUsername("a")).toMatchObject({ passwordHash: "newer", claims: { name: "A" }, updatedAt: 8 })
    expect(Number(await revision()) - first, "a better hash of one password, and claims, change nobody's sign-in").toBe(7)
    const now = Number(await revision())
    expect([await agree([row("b")], ["a"], now - 1), users.findUsername("a") === undefined]).toEqual([false, false])
    expect([await agree([row("b")], ["a"], now), (await users.all()).map(({ username }) => username)]).toEqual([true, ["b"]])
    expect(Number(await revision())).toBe(now + 1)
    expect([await remove("b"), await remove("b")]).toEqual([true, false])
    expect(told.mock.calls.length).toBe(14)
    database.close()
    told.mockClear()
    expect(() => insert(row("c"))).toThrow(StoreUnavailable)
    expect(told.mock.calls.length).toBe(1)
  })

  test("are read with what else a turn of the event loop reads, where it has a connection of its own, and told of after each change", async () => {
    const database = temporaryDatabase(inMemory)
    const log = { database, reading: vi.fn(), renew: vi.fn(), close: () => undefined }
    const people = sqliteAuthenticator(database, { hashing: standInHashing(), now: () => sampleTime }, log as never)
    const { subject } = await people.add({ username: "alice" })
    expect([log.renew.mock.calls.length, log.reading.mock.calls.length]).toEqual([1, 0])
    expect([(await people.find(subject))?.username, (await people.show("alice"))?.subject]).toEqual(["alice", subject])
    expect(log.reading.mock.calls.length).toBe(2)
  })

  test("say what was asked where the database cannot do it", () => {
    const database = temporaryDatabase(inMemory)
    const users = usersOf(database)
    const reading = vi.fn()
    const read = usersRead({ database, reading } as never)
    users.insert(row("a"))
    expect([read.findSubject("sub-a"), read.findUsername("a"), read.findUsername("b"), reading.mock.calls.length]).toEqual([
      row("a"),
      row("a"),
      undefined,
      3,
    ])
    const identities = identitiesOf(database, users)
    database.close()
    const asked = [
      () => users.findSubject("a"),
      () => users.findUsername("a"),
      () => users.all(),
      () => users.insert(row("b")),
      () => users.disable("a", true, 1),
      () => users.setPassword("a", "b", 1),
      () => users.rehash("a", "b", "c"),
      () => users.remove("a"),
      () => users.revision(),
      () => users.agree([], [], 1),
      () => users.refresh("a", {}, 1),
      () => identities.admit(sampleIdentity(), undefined, 1),
      () => identities.providers(),
      () => read.findSubject("a"),
    ].map((run) => {
      try {
        run()
      } catch (error) {
        return error instanceof StoreUnavailable ? error.operation : String(error)
      }
      return "nothing failed"
    })
    expect(asked).toEqual([
      "read a user",
      "read a user",
      "list users",
      "add a user",
      "change a user",
      "change a user",
      "renew a password hash",
      "remove a user",
      "list users",
      "write declared users",
      "write a user",
      "admit a user from another provider",
      "list users",
      "read a user",
    ])
  })
})
