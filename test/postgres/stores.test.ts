import { describe, expect, it } from "vitest"
import { AlreadyExists, generateClientSecret, type PostgresStores, postgresStores, shownUrl, urlFault } from "@postern/adapter-postgres"
import { openDatabase } from "@postern/adapter-postgres"
import { secretOf } from "@postern/core"
import { defaultKeyPolicy, joseSigner, keyEncryption, tendKeys } from "@postern/core/jose"
import { sampleTime } from "@postern/core/testing"
import { connect } from "../../packages/adapter-postgres/src/database/connect.ts"
import { schemaState } from "../../packages/adapter-postgres/src/schema/migrate.ts"
import { migrations } from "../../packages/adapter-postgres/src/schema/schema.ts"
import { cheap, sampleIdentity, signIn } from "../store/support.ts"
import { closing, postgresServer } from "../support/postgres.ts"

const server = postgresServer()
const now = () => sampleTime
const encryption = keyEncryption(Buffer.alloc(32, 7).toString("base64url"))
const on = async (url: string, options = {}): Promise<PostgresStores> =>
  closing(await postgresStores(url, { hashing: cheap, now, encryption, ...options }))
const fresh = async (options = {}): Promise<PostgresStores> => on(await (await server()).database(), options)

/** Two processes' stores on one database. */
const two = async (options = {}): Promise<readonly [PostgresStores, PostgresStores]> => {
  const url = await (await server()).database()
  return [await on(url, options), await on(url, options)]
}

const web = { client_id: "web", client_name: "Web", redirect_uris: ["https://web.example/callback"], client_secret: "correct horse" }
const refusal = async (url: string, options = {}): Promise<{ readonly reason: string; readonly message: string }> =>
  openDatabase(url, options).then(
    () => expect.fail("it was opened"),
    (error: { readonly reason: string; readonly message: string }) => error,
  )

describe("PostgreSQL's schema", () => {
  it("of many that start at once on an empty database each finds it made, once", async () => {
    const url = await (await server()).database()
    const opened = await Promise.all(Array.from({ length: 6 }, async () => closing(await openDatabase(url))))
    expect(await Promise.all(opened.map(schemaState))).toEqual(Array(6).fill({ exists: true, foreign: false, version: migrations.length }))
    expect(await opened[0]?.read("look", "SELECT version::int, name FROM postern.migrations ORDER BY version")).toEqual(
      migrations.map(({ name }, at) => [at + 1, name]),
    )
  })

  it("a step that fails changes nothing, not even the version; the next start takes it", async () => {
    const url = await (await server()).database()
    const bad = { name: "bad", statements: ["CREATE TABLE postern.one (a int)", "CREATE TABLE postern.one (a int)"] }
    await expect(openDatabase(url, { steps: [...migrations, bad] })).rejects.toThrow(
      `cannot take the schema to version ${migrations.length + 1}`,
    )
    const database = closing(await openDatabase(url))
    expect([(await schemaState(database)).version, await database.read("look", "SELECT to_regclass('postern.one')::text")]).toEqual([
      migrations.length,
      [[null]],
    ])
    const good = { name: "good", statements: ["UPDATE postern.revisions SET value = 41 WHERE name = 'clients'"] }
    const next = closing(await openDatabase(url, { steps: [...migrations, good] }))
    expect(await next.read("look", "SELECT value::int FROM postern.revisions WHERE name = 'clients'")).toEqual([[41]])
    expect(await refusal(url)).toMatchObject({
      reason: "newer",
      message: expect.stringContaining(`its schema is version ${migrations.length + 1} and this Postern knows`),
    })
  })

  it("what other providers said to be verified is believed no longer, and every row is kept (OpenID Connect Core §5.7)", async () => {
    const url = await (await server()).database()
    const doubting = migrations.findIndex(({ name }) => name.includes("verified claims"))
    const told = '{"name":"\\u0000","email_verified":true,"phone_number_verified":true}'
    const before = await openDatabase(url, { steps: migrations.slice(0, doubting) })
    for (const origin of ["upstream", "config"])
      await before.read(
        "add",
        "INSERT INTO postern.users (subject, username, username_key, claims, disabled, origin, created_at, updated_at) VALUES ($1, $1, $1, $2, 0, $1, 1, 1) RETURNING 1",
        [origin, told],
      )
    await before.close()
    const database = closing(await openDatabase(url))
    expect(await database.read("look", "SELECT subject, claims FROM postern.users ORDER BY subject")).toEqual([
      ["config", told],
      ["upstream", told.replaceAll("true", "false")],
    ])
  })

  it("a schema of another program is refused and left as it is; one that is not there is not made unless it may be", async () => {
    const url = await (await server()).database()
    expect(await refusal(url, { made: false })).toMatchObject({ reason: "inaccessible" })
    await (await server()).run(url, "CREATE SCHEMA postern", "CREATE TABLE postern.theirs (id int)")
    expect(await refusal(url)).toMatchObject({ reason: "foreign" })
    const database = closing(await connect(url))
    expect(await database.read("look", "SELECT tablename FROM pg_tables WHERE schemaname = 'postern'")).toEqual([["theirs"]])
  })

  it("a server, a database or a user that is not there is refused in one line, without the password", async () => {
    const { url } = await server()
    const wrong = [
      url("nowhere").replace("postern@", "postern:hunter2@"),
      "postgres://me:hunter2@127.0.0.1:1/x?password=hunter2",
      "postgres://me:hunter2@127.0.0.1",
    ]
    for (const each of wrong) {
      const { reason, message } = await refusal(each)
      expect([reason, /hunter2|\n/.test(message)]).toEqual(["inaccessible", false])
    }
    expect(shownUrl("postgres://me:hunter2@db.example:5432/postern?sslmode=require&password=hunter2")).toBe(
      "postgres://me@db.example:5432/postern",
    )
    expect(urlFault("postgresql://me:hunter2@db.example/postern?sslmode=require")).toBeUndefined()
  })
})

describe("clients and people in PostgreSQL", () => {
  it("clients are added once, replaced whole, removed once, and declared with the file; secrets are hashed or sealed", async () => {
    const { clients, database } = await fresh()
    await clients.add(web)
    await expect(clients.add(web)).rejects.toThrow(AlreadyExists)
    expect([await clients.verifySecret("web", secretOf("correct horse")), await clients.verifySecret("web", secretOf("wrong"))]).toEqual([
      true,
      false,
    ])
    expect(await clients.put({ ...web, client_name: "Other", client_secret: "another" })).toBe("replaced")
    expect(await clients.put({ client_id: "third" })).toBe("added")
    expect([await clients.find("web"), await clients.verifySecret("web", secretOf("another"))]).toMatchObject([
      { clientName: "Other" },
      true,
    ])
    const secret = generateClientSecret()
    await clients.add({ client_id: "hmac", token_endpoint_auth_method: "client_secret_jwt", client_secret: secret })
    expect((await clients.secretOf("hmac"))?.reveal()).toBe(secret)
    expect(JSON.stringify(await database.read("look", "SELECT clients::text FROM postern.clients"))).not.toMatch(
      new RegExp(`another|${secret}`),
    )
    expect(await clients.upsertFromConfig([{ ...web, client_id: "spa" }, web])).toEqual({
      added: ["spa"],
      changed: ["web"],
      removed: [],
      unchanged: [],
    })
    expect(await clients.upsertFromConfig([web])).toEqual({ added: [], changed: [], removed: ["spa"], unchanged: ["web"] })
    expect((await clients.list()).map(({ metadata, origin }) => [metadata.client_id, origin])).toEqual([
      ["hmac", "command"],
      ["third", "command"],
      ["web", "config"],
    ])
    expect([await clients.remove("web"), await clients.remove("web"), await clients.find("web")]).toEqual([true, false, undefined])
  })

  it("what another process changes is noticed a moment later, what this one changes at once", async () => {
    const [here, there] = await two()
    await here.clients.add(web)
    expect(await there.clients.find("web")).toMatchObject({ clientName: "Web" })
    await here.clients.put({ ...web, client_name: "Renamed" })
    expect(await here.clients.find("web")).toMatchObject({ clientName: "Renamed" })
    await expect.poll(async () => (await there.clients.find("web"))?.clientName).toBe("Renamed")
    await there.clients.remove("web")
    await expect.poll(async () => here.clients.find("web")).toBeUndefined()
  })

  it("people sign in, are disabled, given passwords, removed; their subject is theirs alone", async () => {
    const { people } = await fresh()
    const alice = await people.add({ username: " Alice ", password: "wonderland", claims: { name: "Alice\u0000Liddell" } })
    expect(await signIn(people, "ａｌｉｃｅ", "wonderland")).toMatchObject({ _tag: "Verified", person: alice })
    await expect(people.add({ username: "ALICE" })).rejects.toThrow(AlreadyExists)
    await people.disable("alice")
    expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Rejected" })
    await people.enable("alice")
    await people.setPassword("alice", "looking glass")
    expect(await signIn(people, "alice", "looking glass")).toMatchObject({ _tag: "Verified" })
    await people.add({ username: "carol", subject: "s-1" })
    await expect(people.upsertFromConfig([{ username: "dora" }, { username: "bob", subject: "s-1" }])).rejects.toThrow(AlreadyExists)
    expect((await people.list()).map(({ username }) => username)).toEqual(["Alice", "carol"])
    await people.remove("carol")
    expect(await people.show("carol")).toBeUndefined()
  })

  it("somebody from another provider is one person however many first sign-ins there are at once, and makes way for a declared name", async () => {
    const [here, there] = await two()
    const identity = sampleIdentity({ claims: { preferred_username: "ann" } })
    const admissions = await Promise.all(
      Array.from({ length: 12 }, async (_, each) => (each % 2 === 0 ? here : there).people.admit(identity, undefined)),
    )
    const subjects = new Set(admissions.map((each) => (each._tag === "Verified" ? each.person.subject : each._tag)))
    expect([subjects.size, (await here.people.list()).length]).toEqual([1, 1])
    expect(await there.people.show("ann")).toMatchObject({ subject: [...subjects][0], origin: "upstream", provider: "corp" })
    const another = await here.people.admit(sampleIdentity({ subject: "theirs-2", claims: { preferred_username: "Ann" } }), undefined)
    expect(another).toMatchObject({ _tag: "Verified", person: { username: "Ann (corp)" } })
    expect(await there.people.admit({ ...identity, claims: { name: "Ann" } }, undefined)).toMatchObject({
      person: { claims: { name: "Ann" } },
    })
    expect((await here.people.find([...subjects][0] ?? ""))?.claims).toEqual({ name: "Ann" })
    await here.people.upsertFromConfig([{ username: "ann", password: "wonderland" }])
    expect((await there.people.list()).map(({ username, origin }) => [username, origin])).toEqual([
      ["ann", "config"],
      ["Ann (corp)", "upstream"],
      ["ann (moved)", "upstream"],
    ])
    expect(await here.people.admit(identity, undefined)).toMatchObject({ person: { subject: [...subjects][0] } })
    await here.people.remove("ann (moved)")
    expect((await here.people.admit(identity, undefined))._tag).toBe("Verified")
    expect(await here.people.find([...subjects][0] ?? "")).toBeUndefined()
  })

  it("of many that start at once with the same file none gives a person another subject", async () => {
    const url = await (await server()).database()
    const starters = await Promise.all(Array.from({ length: 4 }, () => on(url)))
    const declared = [{ username: "alice", password: "wonderland" }, { username: "bob" }]
    const outcomes = await Promise.all(starters.map(({ people }) => people.upsertFromConfig(declared)))
    expect(outcomes.filter(({ added }) => added.length > 0).map(({ added }) => added)).toEqual([["alice", "bob"]])
    expect(outcomes.flatMap(({ changed }) => changed)).toEqual([])
  })
})

describe("keys, trails and audit events in PostgreSQL", () => {
  it("of several that start at once one makes each key, and all sign with it", async () => {
    const url = await (await server()).database()
    const starters = await Promise.all(Array.from({ length: 4 }, () => on(url)))
    const algorithms = ["ES256", "EdDSA"] as const
    const added = await Promise.all(
      starters.map(({ keys }) => tendKeys({ store: keys, algorithms, policy: defaultKeyPolicy, encryption, now })),
    )
    expect(added.flat().length).toBe(2)
    const [first, second] = starters.map(({ keys }) => joseSigner({ keys: keys.list, now, encryption }))
    const jwt = (await first?.sign({ alg: "ES256", typ: "JWT", claims: { sub: "ann" } })) ?? ""
    expect(await second?.verify(jwt, "JWT")).toEqual({ sub: "ann" })
  })

  it("trails and audit events noted on one process are found on another, and leave by number and age", async () => {
    const [here, there] = await two({ trails: { most: 1000, age: 100 }, audit: { store: true, age: 100, most: 5 } })
    const trail = {
      endpoint: "token",
      clientId: undefined,
      subject: "ann\u0000",
      steps: [],
      outcome: "Refuse",
      status: 400,
      fault: undefined,
    }
    for (let each = 0; each < 1500; each++)
      here.trails.record(() => ({ ...trail, requestId: `request ${each % 1400}`, at: sampleTime }), true)
    await here.trails.flush()
    expect(await there.trails.find("request 1399")).toStrictEqual({ ...trail, requestId: "request 1399", at: sampleTime })
    expect(await there.trails.find("request 1400")).toBeUndefined()
    while ((await there.sweep(sampleTime)).more);
    expect(await here.database.read("look", "SELECT count(*)::int FROM postern.trails")).toEqual([[1000]])
    for (const requestId of ["first", "second"])
      here.trails.record(() => ({ ...trail, clientId: "web\u0000", requestId, at: sampleTime }), true)
    await here.trails.flush()
    // Behind more than one slice of others'.
    const own = await there.trails.ofClient("web\u0000", sampleTime)
    expect(own.map(({ requestId, clientId }) => [requestId, clientId])).toEqual([
      ["first", "web\u0000"],
      ["second", "web\u0000"],
    ])
    expect([await there.trails.ofClient("web\u0000", sampleTime + 1), await there.trails.ofClient("web", 0)]).toEqual([[], []])
    await here.clients.add({ client_id: "one" })
    await here.audit.flush()
    const any = { event: undefined, clientId: undefined, subject: undefined, since: undefined, most: 10 }
    expect(await there.audit.list(any)).toMatchObject([{ event: "client_added", clientId: "one", at: sampleTime }])
    expect(await there.audit.list({ ...any, clientId: "two" })).toEqual([])
    const [told] = await there.audit.list(any)
    for (let each = 0; each < 12; each++) here.audit.record(() => (told === undefined ? [] : [{ ...told, subject: `s${each}` }]))
    await here.audit.flush()
    while ((await there.sweep(sampleTime)).more);
    expect((await there.audit.list(any)).map(({ subject }) => subject)).toEqual(["s7", "s8", "s9", "s10", "s11"])
    while ((await there.sweep(sampleTime + 100)).more);
    expect([await there.audit.list(any), await there.database.read("look", "SELECT count(*)::int FROM postern.trails")]).toEqual([
      [],
      [[0]],
    ])
  })
})
