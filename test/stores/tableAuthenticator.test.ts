import { type Person, type UpstreamIdentity, type Verification, secretOf } from "@postern/core/model"
import { type TableOptions, tableAuthenticator } from "@postern/stores"
import { describe, expect, test } from "vitest"
import { sampleIdentity } from "../store/support.ts"
import { standInHash, standInHashing } from "./standInHashing.ts"

interface Row {
  readonly name: string
  readonly hash: string | null | undefined
  readonly active: boolean
  readonly tenant: string | null
}

const row = (name: string, more: Partial<Row> = {}): Row => ({ name, hash: standInHash("wonderland"), active: true, tenant: null, ...more })
const personOf = ({ name, active, tenant }: Row): Person => ({ subject: `sub-${name}`, username: name, active, claims: {}, tenant })
const rejected = (reason: string): Verification => ({ _tag: "Rejected", reason })

const opened = (rows: ReadonlyArray<Row>, more: Partial<TableOptions<Row>> = {}) => {
  const hashing = standInHashing()
  const asked: Array<unknown> = []
  const people = tableAuthenticator<Row>({
    byUsername: (username, tenant) => (asked.push([username, tenant]), rows.find(({ name }) => name === username) ?? null),
    bySubject: (subject) => rows.find(({ name }) => `sub-${name}` === subject) ?? null,
    person: personOf,
    passwordHash: ({ hash }) => hash,
    hashing,
    ...more,
  })
  const verify = async (username: string, password: string, tenant?: string, sentBy?: "client") =>
    people.verify({
      username,
      password: secretOf(password),
      tenant,
      address: "192.0.2.1",
      acrValues: [],
      ...(sentBy === undefined ? {} : { sentBy }),
    })
  return { people, verify, hashing, asked }
}

describe("people of a table", () => {
  test("sign in with their password, and are found by their subject", async () => {
    const { people, verify, hashing, asked } = opened([row("alice")])
    expect(await verify("alice", "wonderland", "acme")).toEqual({ _tag: "Verified", person: personOf(row("alice")), amr: ["pwd"] })
    expect(asked).toEqual([["alice", "acme"]])
    expect([await people.find("sub-alice"), await people.find("sub-bob")]).toEqual([personOf(row("alice")), undefined])
    await verify("alice", "x", undefined, "client")
    expect(hashing.verified).toEqual(["wonderland sign_in 192.0.2.1", "x password_grant 192.0.2.1"])
  })

  test("OWASP ASVS 2.2: a name that nobody has and a person without a password cost a hash, as a wrong password does", async () => {
    const { verify, hashing } = opened([row("alice"), row("upstream", { hash: null }), row("none", { hash: undefined })])
    expect([
      await verify("alice", "wrong"),
      await verify("nobody", "wonderland"),
      await verify("upstream", ""),
      await verify("none", ""),
    ]).toEqual([rejected("wrong password"), rejected("no such person"), rejected("wrong password"), rejected("wrong password")])
    expect(hashing.verified.length).toBe(4)
    const everything = opened([row("none", { hash: undefined })], { hashing: { decoy: "a decoy", verify: async () => true } })
    expect([await everything.verify("none", "x"), await everything.verify("nobody", "x")]).toEqual([
      rejected("wrong password"),
      rejected("no such person"),
    ])
  })

  test("who types more than 1024 characters is refused before anything is looked up or hashed", async () => {
    const { verify, hashing, asked } = opened([])
    const long = rejected("a username or password of more than 1024 characters")
    expect([await verify("a", "x".repeat(1025)), await verify("a".repeat(1025), "x"), asked, hashing.verified]).toEqual([
      long,
      long,
      [],
      [],
    ])
    expect([await verify("a", "x".repeat(1024)), await verify("a".repeat(1024), "x")]).toEqual([
      rejected("no such person"),
      rejected("no such person"),
    ])
  })

  test("who is disabled, or belongs to another tenant, is told so with the right password alone", async () => {
    const { verify } = opened([row("off", { active: false }), row("acme", { tenant: "acme" }), row("any")])
    expect([await verify("off", "wonderland"), await verify("off", "wrong")]).toEqual([
      rejected("the person is disabled"),
      rejected("wrong password"),
    ])
    expect(await verify("acme", "wonderland", "other")).toEqual(rejected("the person belongs to another tenant"))
    const tags = await Promise.all([
      verify("acme", "wonderland", "acme"),
      verify("acme", "wonderland"),
      verify("any", "wonderland", "other"),
    ])
    expect(tags.map(({ _tag }) => _tag)).toEqual(["Verified", "Verified", "Verified"])
  })

  test("nobody is admitted from another provider, unless the table says who", async () => {
    const identity: UpstreamIdentity = sampleIdentity()
    expect(await opened([]).people.admit(identity, "acme")).toEqual(rejected("nobody is admitted from another provider"))
    const admit = (given: UpstreamIdentity, tenant: string | undefined): Verification => rejected(`${given.subject} of ${tenant}`)
    expect(await opened([], { admit }).people.admit(identity, "acme")).toEqual(rejected("theirs-1 of acme"))
  })

  test("passwords are argon2id hashes where no other kind is named", async () => {
    const { hashing: _hashing, ...usual } = { hashing: undefined, hash: "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNo" }
    const { verify } = opened([row("alice", usual)], { hashing: undefined })
    expect(await verify("alice", "wonderland")).toEqual(rejected("wrong password"))
  })
})
