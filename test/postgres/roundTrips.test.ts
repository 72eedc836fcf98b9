import { type Database, openDatabase, postgresAuthenticator, postgresTokenStore } from "@postern/adapter-postgres"
import { saveGrant } from "@postern/core/model"
import { sampleGrant } from "@postern/core/testing"
import { argon2id } from "@postern/stores"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { nodeDigest as digest } from "../../packages/adapter-http/src/ports.ts"
import { readAhead } from "../../packages/adapter-postgres/src/database/readAhead.ts"
import { cheap } from "../store/support.ts"
import { authorize, codeFor, post, redeem, signedIn, token, tokensFor } from "../support/flows.ts"
import { closing, postgresServer } from "../support/postgres.ts"
import { beginning, password, type World, world } from "../support/world.ts"

const server = postgresServer()

/** A provider on PostgreSQL that tells what it asked the database for. */
const provider = async (): Promise<{ readonly w: World; readonly asked: () => ReadonlyArray<string> }> => {
  const database = closing(await openDatabase(await (await server()).database()))
  let asked: Array<string> = []
  const heard =
    <Args extends ReadonlyArray<unknown>, A>(ask: (operation: string, ...args: Args) => A) =>
    (operation: string, ...args: Args): A => {
      asked.push(operation)
      return ask(operation, ...args)
    }
  const counted: Database = { ...database, read: heard(database.read), write: heard(database.write), transact: heard(database.transact) }
  const people = readAhead()
  const authenticator = postgresAuthenticator(counted, { hashing: argon2id(cheap), now: () => beginning }, people)
  await authenticator.add({ username: "alice", password, claims: { name: "Alice" } })
  const { verify, find, admit } = authenticator
  const w = await world({
    tokens: postgresTokenStore(counted, undefined, people),
    authenticator: { verify, find, admit },
    more: { digest },
  })
  return {
    w,
    asked: () => {
      const before = asked
      asked = []
      return before
    },
  }
}

/** Four times a second somebody looks at what other servers have changed: here time stands still once they did. */
const settled = async ({ w, asked }: Awaited<ReturnType<typeof provider>>): Promise<void> => {
  for (let each = 0; each < 2; each++) await token(w, "opaque", { grant_type: "client_credentials", scope: "api.read" })
  asked()
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] })
  return () => vi.useRealTimers()
})

describe("round trips to PostgreSQL (docs/scaling.md, Cost)", () => {
  it("a client's own reference token takes its commit", async () => {
    const on = await provider()
    await settled(on)
    const answer = await token(on.w, "opaque", { grant_type: "client_credentials", scope: "api.read" })
    expect([answer.status, on.asked()]).toEqual([200, ["commit"]])
  })

  it("a code takes one read, of the code with its grant and person, and its commit", async () => {
    const on = await provider()
    await settled(on)
    const code = await codeFor(on.w, "web", { scope: "openid offline_access" })
    on.asked()
    const answer = await redeem(on.w, code)
    expect([answer.status, on.asked()]).toEqual([200, ["read a code", "commit"]])
  })

  it("a refresh takes one read, of the token with its grant and person, and its commit", async () => {
    const on = await provider()
    await settled(on)
    const { refresh_token } = await tokensFor(on.w)
    on.asked()
    const answer = await token(on.w, "web", { grant_type: "refresh_token", refresh_token })
    expect([answer.status, on.asked()]).toEqual([200, ["read a refresh token", "commit"]])
  })

  it("userinfo takes one read, of the grant with its person", async () => {
    const on = await provider()
    await settled(on)
    const { access_token } = await tokensFor(on.w)
    on.asked()
    const answer = await on.w.send({ path: "/connect/userinfo", headers: { authorization: `Bearer ${access_token}` } })
    expect([answer.status, on.asked()]).toEqual([200, ["read a grant"]])
  })

  it("introspection takes one read, of the token with its grant and person", async () => {
    const on = await provider()
    await settled(on)
    const { access_token } = await tokensFor(on.w, "opaque")
    on.asked()
    const answer = await post(on.w, "/connect/introspect", "opaque", { token: access_token })
    expect([answer.json?.["active"], on.asked()]).toEqual([true, ["read an access token"]])
  })

  it("an authorization request reads session, person and consent, and commits its grant with the code", async () => {
    const on = await provider()
    const visitor = await signedIn(on.w)
    await settled(on)
    const answer = await authorize(visitor)
    expect(answer.params["code"]).toBeDefined()
    expect(on.asked()).toEqual(["read a session", "read a consent", "read a user", "commit"])
  })

  it("sixteen refreshes at once share their round trips", async () => {
    const on = await provider()
    await settled(on)
    const families = []
    for (let each = 0; each < 16; each++) families.push(await tokensFor(on.w))
    const refreshed = async (sent: ReadonlyArray<unknown>) =>
      Promise.all(sent.map((each) => token(on.w, "web", { grant_type: "refresh_token", refresh_token: String(each) })))
    // A busy machine divides sixteen requests among more turns: of five rounds one is undisturbed, and none takes a round trip for each request.
    const rounds: Array<number> = []
    let sent: ReadonlyArray<unknown> = families.map(({ refresh_token }) => refresh_token)
    for (let round = 0; round < 5; round++) {
      on.asked()
      const answers = await refreshed(sent)
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      rounds.push(on.asked().length)
      sent = answers.map(({ json }) => json?.["refresh_token"])
    }
    expect(Math.min(...rounds)).toBeLessThan(8)
    expect(Math.max(...rounds)).toBeLessThan(16)
  })
})

describe("a person who was read with a grant", () => {
  /** A store and people on a database whose reads of grants are told only when they may be; `acknowledging` comes before a change is acknowledged. */
  const opened = async () => {
    const database = closing(await openDatabase(await (await server()).database()))
    const told = Promise.withResolvers<undefined>()
    let acknowledging = async (): Promise<unknown> => undefined
    const held: Database = {
      ...database,
      read: async (operation, ...rest) => {
        const rows = await database.read(operation, ...rest)
        if (operation === "read a grant") await told.promise
        return rows
      },
      write: async (operation, ...rest) => {
        const result = await database.write(operation, ...rest)
        if (operation === "change a user") await acknowledging()
        return result
      },
    }
    const ahead = readAhead()
    const people = postgresAuthenticator(held, { hashing: argon2id(cheap), now: () => beginning }, ahead)
    const tokens = postgresTokenStore(held, undefined, ahead)
    return {
      people,
      tell: () => told.resolve(undefined),
      /** Reads a grant of a person, and goes on once the database has answered. */
      reading: async (subject: string) => {
        const grant = sampleGrant(1, { subject })
        await tokens.commit([saveGrant(grant)])
        const found = tokens.findGrant(grant.id)
        await new Promise((resolve) => setTimeout(resolve, 100))
        return { found }
      },
      before: (change: () => Promise<unknown>) => void (acknowledging = change),
    }
  }

  it("is read again once this process has disabled them", async () => {
    const { people, tell, reading, before } = await opened()
    const { subject } = await people.add({ username: "alice", password })
    const { found } = await reading(subject)
    before(async () => {
      tell()
      await found
    })
    await people.disable("alice")
    expect(await people.find(subject)).toMatchObject({ active: false })
  })

  it("is read again where the read was under way while they were disabled", async () => {
    const { people, tell, reading } = await opened()
    const { subject } = await people.add({ username: "alice", password })
    const { found } = await reading(subject)
    await people.disable("alice")
    tell()
    await found
    expect(await people.find(subject)).toMatchObject({ active: false })
  })

  it("is read again where another provider told new claims of them meanwhile", async () => {
    const { people, tell, reading } = await opened()
    const admitted = async (name: string): Promise<string> => {
      const identity = { provider: "other", issuer: "https://other.example", subject: "1", claims: { name }, amr: [] }
      const verification = await people.admit?.(identity, undefined)
      return verification?._tag === "Verified" ? verification.person.subject : ""
    }
    const subject = await admitted("Before")
    const { found } = await reading(subject)
    await admitted("After")
    tell()
    await found
    expect(await people.find(subject)).toMatchObject({ claims: { name: "After" } })
  })
})
