import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { argon2id, type People, sqliteAuthenticator } from "@postern/adapter-sqlite"
import type { Person, UpstreamIdentity, Verification } from "@postern/core/model"
import { memoryAuthenticator } from "@postern/core/memory"
import { sampleTime } from "@postern/core/testing"
import { describe, expect, it } from "vitest"
import { cheap, sampleIdentity, signIn, standingClock, temporaryDatabase, temporaryPath } from "./support.ts"

const open = (path = temporaryPath(), now = () => sampleTime): People =>
  sqliteAuthenticator(temporaryDatabase(path), { hashing: argon2id(cheap), now })

/** The person of an identity that must be admitted. */
const admitted = async (people: Pick<People, "admit">, told: Partial<UpstreamIdentity> = {}): Promise<Person> => {
  const verification: Verification = await people.admit(sampleIdentity(told), undefined)
  if (verification._tag !== "Verified") throw new Error(`not admitted: ${verification.reason}`)
  return verification.person
}

describe("people from other providers", () => {
  it("are known by issuer and subject, and by nothing else (OpenID Connect Core §5.7)", async () => {
    const people = open()
    const ann = await admitted(people)
    expect(await admitted(people, { claims: { email: "new@example.com" }, provider: "renamed" })).toMatchObject({ subject: ann.subject })
    expect((await admitted(people, { subject: "theirs-2" })).subject).not.toBe(ann.subject)
    expect((await admitted(people, { issuer: "https://other.example" })).subject).not.toBe(ann.subject)
  })

  it("never take over who is here already, whatever they are called and whatever their e-mail says (RFC 9700 §4.15)", async () => {
    const people = open()
    const alice = await people.add({
      username: "alice",
      password: "wonderland",
      claims: { email: "alice@example.com", email_verified: true },
    })
    const claims = { preferred_username: "ＡLICE", email: "alice@example.com", email_verified: true }
    const other = await admitted(people, { claims })
    expect(other.subject).not.toBe(alice.subject)
    expect(other.username).toBe("ＡLICE (corp)")
    expect((await admitted(people, { claims, subject: "theirs-2" })).username).toBe("ＡLICE (corp 2)")
    expect(people.find(alice.subject)).toEqual(alice)
    expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Verified", person: { subject: alice.subject } })
  })

  it("have no password, and a name made up for them when their provider tells none that can be used", async () => {
    const people = open()
    for (const [subject, claims, username] of [
      ["1", { preferred_username: "ann", email: "ann@example.com" }, "ann"],
      ["2", { preferred_username: " \u0000 ", email: "bea@example.com" }, "bea@example.com"],
      ["3", { preferred_username: 7 }, "somebody (corp)"],
      ["4", { preferred_username: "x".repeat(300) }, "x".repeat(120)],
    ] as const)
      expect((await admitted(people, { subject, claims })).username).toBe(username)
    expect(await people.show("ann")).toMatchObject({ hasPassword: false, origin: "upstream", provider: "corp" })
    expect(await signIn(people, "ann", "")).toMatchObject({ _tag: "Rejected" })
  })

  it("have the claims that their provider tells now, and the acr and amr of this sign-in", async () => {
    const clock = standingClock()
    const people = open(temporaryPath(), clock.now)
    const { subject } = await admitted(people, { claims: { name: "Ann", phone_number: "1" } })
    clock.forward(60)
    expect(people.admit(sampleIdentity({ claims: { name: "Ann Smith" }, acr: "silver", amr: ["otp"] }), undefined)).toMatchObject({
      person: { claims: { name: "Ann Smith" } },
      acr: "silver",
      amr: ["otp"],
    })
    expect((await people.find(subject))?.claims).toEqual({ name: "Ann Smith" })
    expect(await people.list()).toMatchObject([{ createdAt: sampleTime, updatedAt: sampleTime + 60 }])
  })

  it("are rejected when they are disabled, and nothing of theirs is changed", async () => {
    const people = open()
    const { subject } = await admitted(people, { claims: { preferred_username: "ann" } })
    await people.disable("ann")
    expect(people.admit(sampleIdentity({ claims: { name: "x" } }), undefined)).toEqual({ _tag: "Rejected", reason: "the user is disabled" })
    expect(people.find(subject)).toMatchObject({ active: false, claims: { preferred_username: "ann" } })
    await people.enable("ann")
    expect(await admitted(people)).toMatchObject({ subject })
  })

  it("are somebody new after they were removed: a subject is never used again (OpenID Connect Core §2)", async () => {
    const people = open()
    const { subject } = await admitted(people, { claims: { preferred_username: "ann" } })
    await people.remove("ann")
    expect((await admitted(people, { claims: { preferred_username: "ann" } })).subject).not.toBe(subject)
  })

  it("make way for a username that the configuration declares, and stay who they are", async () => {
    const people = open()
    const { subject } = await admitted(people, { claims: { preferred_username: "bob" } })
    await people.upsertFromConfig([{ username: "bob", password: "wonderland" }])
    const bob = await people.show("bob")
    expect(bob).toMatchObject({ origin: "config", provider: undefined })
    expect(bob?.subject).not.toBe(subject)
    expect(await people.find(subject)).toMatchObject({ username: "bob (moved)" })
    expect(await admitted(people, { claims: { preferred_username: "bob" } })).toMatchObject({ subject, username: "bob (moved)" })
    await people.upsertFromConfig([])
    expect((await people.list()).map(({ username }) => username)).toEqual(["bob (moved)"])
  })

  it("are not kept when their issuer or subject is longer than one may be", async () => {
    const people = open()
    expect(people.admit(sampleIdentity({ subject: "x".repeat(256) }), undefined)).toMatchObject({ _tag: "Rejected" })
    expect(await people.list()).toEqual([])
  })

  it("of three processes that admit the same fifty people at once, all find the same fifty", async () => {
    const path = temporaryPath()
    const people = open(path)
    const children = Array.from({ length: 3 }, (_, name) =>
      spawn(process.execPath, [new URL("admitter.ts", import.meta.url).pathname, path, "50", String(name)], {
        stdio: ["pipe", "pipe", "inherit"],
      }),
    )
    const lines = children.map((child) => createInterface({ input: child.stdout })[Symbol.asyncIterator]())
    await Promise.all(lines.map((line) => line.next()))
    const exits = children.map((child) => once(child, "exit"))
    for (const child of children) child.stdin.write("go\n")
    const found = (await Promise.all(lines.map((line) => line.next()))).map(
      ({ value }) => JSON.parse(String(value)) as Record<string, string>,
    )
    await Promise.all(exits)
    expect(new Set(Object.values(found[0] ?? {})).size).toBe(50)
    for (const each of found) expect(each).toEqual(found[0])
    expect(await people.list()).toHaveLength(50)
  })
})

describe("the authenticator in memory", () => {
  it("admits by issuer and subject, tells claims anew, and knows who it admitted", async () => {
    const people = memoryAuthenticator([])
    const admit = async (told: Partial<UpstreamIdentity>) => {
      const verification = await people.admit(sampleIdentity(told), undefined)
      return verification._tag === "Verified" ? verification.person : undefined
    }
    const ann = await admit({ claims: { name: "Ann" } })
    expect(await admit({ claims: { name: "Ann Smith" } })).toEqual({ ...ann, claims: { name: "Ann Smith" } })
    expect((await admit({ issuer: "https://other.example" }))?.subject).not.toBe(ann?.subject)
    expect(await people.find(ann?.subject ?? "")).toMatchObject({ claims: { name: "Ann Smith" } })
  })
})
